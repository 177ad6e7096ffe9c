"""Gatekeeper itself (its `gator`) says about objects what crossgate says, by the templates that crossgate exports."""

from __future__ import annotations

import json
import random
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from copy import deepcopy
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from crossgate.load.write import to_yaml
from crossgate.policy.bundle import read_bundle
from crossgate.policy.embedded import load_engine
from crossgate.policy.export import Exemption, Export, Options, export_gatekeeper
from crossgate.policy.export.agreement import Comparison
from crossgate.policy.rules import Rule, find_rules
from crossgate.waive import load_waivers
from crossgate.waive.admission import exemptions

POLICIES = Path(__file__).parents[2] / "policies"
TELLING: list[Any] = ["10.0.0.0/8", "0.0.0.0/0", "CHANGE_ME", "nginx:latest", "h100", "LoadBalancer", "default", True, 0, 3, [], {}]

pytestmark = pytest.mark.tools


def test_verdicts_are_the_same(tool: Callable[[str], str], tmp_path: Path) -> None:
    """Every document of every exported rule's tests, and each with values gone or changed: the same findings at the same places."""
    bundle = read_bundle([POLICIES], tests=True)
    rules = find_rules(bundle)
    export = export_gatekeeper(bundle, rules, Options(excluded=()))
    exported = [rule for rule in rules if rule.id in export.exported]
    comparison = Comparison(bundle)
    chance = random.Random(20270101)
    objects: dict[str, dict[str, Any]] = {}
    for rule in exported:
        for document in comparison.documents(rule):
            for variant in (document, *(changed(chance, document) for _ in range(3))):
                if (sent := as_sent(variant)) is not None:
                    objects[json.dumps(sent, sort_keys=True)] = sent
    assert len(objects) > 1200
    here = Counter(ours(bundle, exported, export, objects.values()))
    there = Counter(gators(tool("gator"), export, objects.values(), tmp_path))
    assert {rule for rule, *_ in here} == {rule.id for rule in exported}
    assert (here - there, there - here) == (Counter(), Counter())


def test_templates_that_gatekeeper_refuses_are_not_exported(tool: Callable[[str], str], tmp_path: Path) -> None:
    """A rule in conftest's style, with a data file, is taken by Gatekeeper; what reads data by a key is not, and is not written."""
    (tmp_path / "policies" / "limits").mkdir(parents=True)
    (tmp_path / "policies" / "limits" / "data.yaml").write_text("most: 3\nkinds: [Deployment]\n")
    (tmp_path / "policies" / "a.rego").write_text(
        "package main\n\nimport rego.v1\n\nimport data.limits\n\n"
        'deny contains sprintf("%v is more than %v", [input.spec.replicas, limits.most]) '
        "if {\n"
        "\tinput.kind in data.limits.kinds\n\tinput.spec.replicas > limits.most\n}\n"
    )
    (tmp_path / "policies" / "b.rego").write_text('package b\n\nimport rego.v1\n\ndeny contains "x" if data["limits"].most > 1\n')
    bundle = read_bundle([tmp_path / "policies"])
    export = export_gatekeeper(bundle, find_rules(bundle), Options(excluded=()))
    assert list(export.exported) == ["main/deny"]
    assert "reads data as a whole or by a key" in export.refused[0].why
    objects = [
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": str(replicas)}, "spec": {"replicas": replicas}}
        for replicas in (1, 4)
    ]
    assert [(rule, message) for rule, message, *_ in gators(tool("gator"), export, objects, tmp_path)] == [
        ("main/deny", "4 is more than 3")
    ]


@pytest.mark.parametrize("package", ["main", "crossgate.test.odd", 'main["a\\"b"]'])
def test_what_is_no_result_refuses(tool: Callable[[str], str], tmp_path: Path, package: str) -> None:
    """In a pull request it could not be checked; at admission it must not be a pass, which an undefined message would be."""
    odd = [
        "42",
        '{"message": "no"}',
        '{"msg": 7, "path": []}',
        '{"msg": "m", "path": "a"}',
        '{"msg": "n", "path": [], "reason": "NOBODYS"}',
    ]
    metadata = "# METADATA\n# title: t\n# custom:\n#   severity: error\n#   reason: A\n#   remediation: r\n"
    rules = "\n\n".join(f"deny contains {result} if input.kind" for result in odd)
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies" / "a.rego").write_text(f"{metadata}package {package}\n\nimport rego.v1\n\n{rules}\n")
    bundle = read_bundle([tmp_path / "policies"])
    export = export_gatekeeper(bundle, find_rules(bundle), Options(excluded=()))
    objects = [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}]
    assert len(list(gators(tool("gator"), export, objects, tmp_path))) == len(odd)


def test_what_is_waived_is_let_pass_and_nothing_else(tool: Callable[[str], str], tmp_path: Path) -> None:
    """By the object's name, the place in it, and an annotation; also inside of an Object; until the last day is over."""

    def service(name: str, **more: Any) -> dict[str, Any]:
        return {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": name, "namespace": "kong", **more},
            "spec": {"type": "LoadBalancer"},
        }

    pointing = {"annotations": {"crossgate/waiver": "other, door"}}
    wrapped = {
        "apiVersion": "kubernetes.crossplane.io/v1alpha2",
        "kind": "Object",
        "metadata": {"name": "door"},
        "spec": {"forProvider": {"manifest": service("gateway-1")}},
    }
    objects = [service("gateway-1"), service("a.gateway-1"), service("gateway-2"), service("door", **pointing), service("door"), wrapped]
    waivers = [
        {"id": "one", "scope": {"resource": "Service kong/gateway-*", "path": "spec.type"}, "expires": "2999-12-31"},
        {"id": "place", "scope": {"resource": "Service kong/a.*", "path": "spec.ports"}, "expires": "2999-12-31"},
        {"id": "door", "scope": {"resource": "Service kong/door", "annotated": True}, "expires": "2999-12-31"},
    ]
    for waiver in waivers:
        waiver |= {"rule": "network/public-load-balancer", "reason": "It is the one door.", "owner": "platform"}
    (tmp_path / "waivers.yaml").write_text(to_yaml([{"waivers": waivers}]))
    exempt, left = exemptions(load_waivers([tmp_path / "waivers.yaml"]), date(2027, 1, 1))
    over = Exemption("network/public-load-balancer", "over", "platform", "2020-01-01", "(?s:^(?:.*)$)")
    assert left == ()
    bundle = read_bundle([POLICIES])
    rules = [rule for rule in find_rules(bundle) if rule.id == "network/public-load-balancer"]
    export = export_gatekeeper(bundle, rules, Options(excluded=(), exempt=(*exempt, over)))
    refused = [json.loads(body)["metadata"] for *_, body in gators(tool("gator"), export, objects, tmp_path)]
    assert refused == [{"name": "a.gateway-1", "namespace": "kong"}, {"name": "door", "namespace": "kong"}]
    annotations = export.files["constraints/network-public-load-balancer.yaml"][0]["metadata"]["annotations"]
    assert "one until 2999-12-31 (platform)" in annotations["crossgate/waivers"]


@pytest.mark.parametrize(
    ("who", "labels", "refused"),
    [
        ("someone@example.org", {}, True),
        ("someone@example.org", {"crossplane.io/composite": "x"}, True),
        ("system:serviceaccount:crossplane-system:crossplane", {"crossplane.io/composite": "x"}, False),
        ("system:serviceaccount:argocd:argocd-application-controller", {}, True),
    ],
)
def test_nobody_makes_an_object_look_like_a_controllers(
    tool: Callable[[str], str], tmp_path: Path, who: str, labels: Any, refused: bool
) -> None:
    """A rule about what stands in Git is not asked about what controllers make; a label that somebody adds does not exempt from it."""
    bundle = read_bundle([POLICIES])
    files = export_gatekeeper(bundle, find_rules(bundle), Options(excluded=())).files
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ml-team-a", "labels": labels}}
    request = {
        "uid": "1",
        "kind": {"group": "", "version": "v1", "kind": "Namespace"},
        "operation": "CREATE",
        "name": "ml-team-a",
        "userInfo": {"username": who},
        "object": namespace,
    }
    case = {"name": "case", "object": "review.yaml", "assertions": [{"violations": "yes" if refused else "no"}]}
    suite = {
        "apiVersion": "test.gatekeeper.sh/v1alpha1",
        "kind": "Suite",
        "metadata": {"name": "suite"},
        "tests": [{"name": "test", "template": "template.yaml", "constraint": "constraint.yaml", "cases": [case]}],
    }
    for name, documents in {
        "template.yaml": files["templates/tenancy-labels.yaml"],
        "constraint.yaml": files["constraints/tenancy-labels.yaml"],
        "review.yaml": [{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}],
        "suite.yaml": [suite],
    }.items():
        (tmp_path / name).write_text(to_yaml(documents))
    done = subprocess.run([tool("gator"), "verify", tmp_path / "suite.yaml"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def ours(bundle: Any, rules: list[Rule], export: Export, objects: Any) -> Iterator[tuple[str, str, str, str]]:
    engine = load_engine(bundle)
    kinds = {
        document["metadata"]["annotations"]["crossgate/rule"]: document["spec"]["match"]["kinds"][0]["kinds"]
        for documents in export.files.values()
        for document in documents
        if document["kind"] != "ConstraintTemplate"
    }
    for body in objects:
        engine.set_input_json(json.dumps(body))
        for rule in rules:
            if kinds[rule.id] != ["*"] and body["kind"] not in kinds[rule.id]:
                continue
            for result in json.loads(engine.eval_rule_as_json(rule.reference)):
                yield rule.id, result["msg"], json.dumps(result["path"]), json.dumps(body, sort_keys=True)


def gators(gator: str, export: Export, objects: Any, folder: Path) -> Iterator[tuple[str, str, str, str]]:
    policies, file = folder / "policies.yaml", folder / "objects.yaml"
    policies.write_text(to_yaml(document for name in sorted(export.files, reverse=True) for document in export.files[name]))
    file.write_text("\n---\n".join(map(json.dumps, objects)))
    done = subprocess.run([gator, "test", "-f", policies, "-f", file, "-o", "json"], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    assert done.stdout.startswith(("[", "null")), done.stderr
    for result in json.loads(done.stdout) or []:
        body = result["violatingObject"]
        if body["apiVersion"].split("/")[0] in ("templates.gatekeeper.sh", "constraints.gatekeeper.sh"):
            continue
        details = result["metadata"]["details"]
        yield (
            details["rule"],
            result["msg"].partition(f" ({details['rule']}")[0],
            json.dumps(details["path"]),
            json.dumps(body, sort_keys=True),
        )


def as_sent(body: Any) -> dict[str, Any] | None:
    """Return an object as an API server would have it; None for what it never has: Lists, metadata of another type, what is made."""
    body = deepcopy(body)
    if not isinstance(body, dict) or not isinstance(body.get("kind"), str) or not body["kind"] or body["kind"].endswith("List"):
        return None
    metadata = body.setdefault("metadata", {})
    if not isinstance(body.setdefault("apiVersion", "v1"), str) or not body["apiVersion"] or not isinstance(metadata, dict):
        return None
    metadata.setdefault("name", "a")
    texts = [metadata["name"], metadata.get("namespace", ""), *of(metadata, "labels"), *of(metadata, "annotations")]
    labels = metadata.get("labels")
    made = isinstance(labels, dict) and any(name.startswith("crossplane.io/") for name in labels)
    return None if made or "ownerReferences" in metadata or not all(isinstance(text, str) for text in texts) else body


def of(metadata: dict[str, Any], field: str) -> list[Any]:
    given = metadata.get(field, {})
    return list(given.values()) if isinstance(given, dict) else [None]


def changed(chance: random.Random, body: Any) -> Any:
    """Return a copy with one value gone or another."""
    body = deepcopy(body)
    places = [place for place in _places(body) if place]
    if places:
        *above, last = chance.choice(places)
        holder = body
        for step in above:
            holder = holder[step]
        if chance.random() < 0.3:
            del holder[last]
        else:
            holder[last] = deepcopy(chance.choice(TELLING))
    return body


def _places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield place
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from _places(item, (*place, key))
