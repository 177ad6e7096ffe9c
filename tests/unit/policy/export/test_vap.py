from __future__ import annotations

import random
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from crossgate.errors import PolicyError
from crossgate.load import load_paths
from crossgate.model import Document, Place, Resource, Role
from crossgate.policy.bundle import Bundle, read_bundle
from crossgate.policy.data import lists_of
from crossgate.policy.export import Exemption, Options, export_vap
from crossgate.policy.export.agreement import Comparison, applies, faults
from crossgate.policy.export.twins import twin_of
from crossgate.policy.export.vap import plural
from crossgate.policy.rules import find_rules
from crossgate.schema import Schemas
from crossgate.schema.celengine import evaluate
from crossgate.schema.celtext import read_rule

RULE = """\
# METADATA
# title: Few replicas
# custom: {severity: error, reason: MANY, remediation: Ask for fewer.}
package crossgate.test.few

import rego.v1

deny contains {"msg": "many", "path": ["spec", "replicas"]} if {
	input.kind == "Deployment"
	input.spec.replicas > data.crossgate.lists.limits.most
}
"""
TEST = """\
package crossgate.test.few_test

import rego.v1

import data.crossgate.test.few

test_refuses if count({finding | some finding in few.deny with input as {"kind": "Deployment", "spec": {"replicas": 9}}}) == 1

test_lets_pass if {
	every number in [1, 2, 3] {
		count({finding | some finding in few.deny with input as {"kind": "Deployment", "spec": {"replicas": number}}}) == 0
	}
}
"""
LISTS = "package crossgate.lists.limits\n\nimport rego.v1\n\nmost := 3\n"
TWIN = "kinds: [apps/Deployment]\nfaults: [\"object.spec.replicas > lists.limits.most ? ['many'] : []\"]\n"


@pytest.fixture
def pack(tmp_path: Path):
    """Write a rule with its tests and a twin, and read them."""

    def write(twin: str, rule: str = RULE) -> Bundle:
        for name, text in {"few.rego": rule, "few_test.rego": TEST, "few.cel": twin, "limits.rego": LISTS}.items():
            (tmp_path / name).write_text(text)
        return read_bundle([tmp_path], tests=True)

    return write


def exported(bundle: Bundle, options: Options | None = None):
    return export_vap(bundle, find_rules(bundle), options)


@pytest.fixture(scope="module")
def own(root: Path) -> Bundle:
    return read_bundle([root / "policies"], tests=True)


def test_a_twin_becomes_a_policy_and_its_binding(pack):
    (policy, binding) = exported(pack(TWIN)).files["test-few.yaml"]
    (match,) = policy["spec"]["matchConstraints"]["resourceRules"]
    assert (match["apiGroups"], match["resources"]) == (["apps"], ["deployments"])
    assert policy["spec"]["variables"][-1] == {"name": "faults", "expression": "(object.spec.replicas > 3 ? ['many'] : [])"}
    assert policy["spec"]["validations"][0]["message"] == "test/few: Few replicas. Ask for fewer."
    assert binding["spec"]["policyName"] == policy["metadata"]["name"]
    assert binding["spec"]["validationActions"] == ["Deny"]
    (place,) = binding["spec"]["matchResources"]["namespaceSelector"]["matchExpressions"]
    assert place["values"] == ["kube-system"]


def test_audit_refuses_nothing(pack):
    assert exported(pack(TWIN), Options(audit=True)).files["test-few.yaml"][1]["spec"]["validationActions"] == ["Audit"]


def test_what_is_waived_is_let_pass_by_its_name_and_nothing_else(pack):
    """The condition is evaluated as the server does; a waiver of one place in an object would let all of it pass, and is left out."""
    exempt = (
        Exemption("test/few", "many", "platform", "2027-03-31", "(?s:^(?:Deployment a/b\\-.*)$)"),
        Exemption("test/few", "door", "platform", "2027-03-31", "(?s:^(?:Deployment c)$)", annotated="door"),
        Exemption("test/few", "place", "platform", "2027-03-31", "(?s:^(?:.*)$)", path="x"),
        Exemption("test/other", "other", "platform", "2027-03-31", "(?s:^(?:.*)$)"),
    )
    export = exported(pack(TWIN), Options(exempt=exempt))
    policy = export.files["test-few.yaml"][0]
    (condition,) = [each["expression"] for each in policy["spec"]["matchConditions"] if each["name"] == "is-not-waived"]
    assert policy["metadata"]["annotations"]["crossgate/waivers"] == "many until 2027-03-31 (platform); door until 2027-03-31 (platform)"
    assert [each.id for each in export.waived] == ["many", "door"]
    assert [(each.rule, "names a path" in each.why) for each in export.not_waived] == [("place", True)]

    def judged(namespace: str, name: str, waiver: str = "") -> Any:
        metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
        body = {"kind": "Deployment", "metadata": metadata | ({"annotations": {"crossgate/waiver": waiver}} if waiver else {})}
        return evaluate(read_rule(condition).source, {"object": body}, old_self=False)

    assert [
        judged("a", "b-1"),
        judged("a", "b"),
        judged("", "b-1"),
        judged("", "c"),
        judged("", "c", "x, door"),
        judged("", "c", "doors"),
    ] == [
        False,
        True,
        True,
        True,
        False,
        True,
    ]
    assert len(exported(pack(TWIN)).files["test-few.yaml"][0]["spec"]["matchConditions"]) == 1


@pytest.mark.parametrize(
    ("twin", "why"),
    [
        (TWIN.replace("> lists", ">= lists"), "CEL refuses, Rego lets pass"),
        (TWIN.replace("lists.limits.most", "9"), "CEL lets pass, Rego refuses"),
        (TWIN.replace("replicas", "replica"), "cannot be evaluated"),
        (TWIN.replace("lists.limits.most", "9") + "partial: something\n", "nothing shows that they agree"),
    ],
)
def test_a_twin_that_parts_from_its_rego_is_not_written(pack, twin, why):
    """Admission that refuses other objects than the pull request did would be worse than none."""
    export = exported(pack(twin))
    assert export.files == {}
    assert why in export.refused[0].why


def test_two_rules_of_one_name_are_told_apart(pack, tmp_path):
    """Of two policies with one name the cluster would have the second alone."""
    pack(TWIN)
    for name, package in (("one", "crossgate.te.st_few"), ("two", "crossgate.te_st.few")):
        (tmp_path / f"{name}.rego").write_text(RULE.replace("crossgate.test.few", package))
        (tmp_path / f"{name}.cel").write_text(TWIN)
        test = TEST.replace("crossgate.test.few", package).replace(f"data.{package}", f"data.{package} as few")
        (tmp_path / f"{name}_test.rego").write_text(test)
    made = exported(read_bundle([tmp_path], tests=True))
    assert sorted(made.files) == ["te-st-few.yaml", "test-few.yaml"]
    assert "would be that of another rule too" in made.refused[0].why


def test_a_partial_twin_may_let_pass_but_not_refuse_more(pack):
    looser = TWIN.replace("> lists.limits.most", "> 8") + "partial: up to eight\n"
    assert exported(pack(looser)).exported == {"test/few": "up to eight"}
    assert "CEL refuses" in exported(pack(TWIN.replace("> lists.limits.most", "> 1") + "partial: x\n")).refused[0].why


@pytest.mark.parametrize(
    ("twin", "what"),
    [
        ("kinds: [", "cannot read the twin"),
        ("- a\n", "the twin is not an object"),
        ("use: pods\nfaults: ['[]']\n", "not in form"),
        ("kinds: &a [*a]\n", "cannot read the twin"),
        ("kinds: [deployments]\nfaults: ['[]']\n", "is no group/Kind"),
        ("faults: ['[]']\n", "names no kinds"),
        ("kinds: [Pod]\n", "has no faults"),
        ("kinds: [Pod]\nfaults: [1]\n", "not in form"),
        ("kinds: [Pod]\nvariables: [{name: a}]\nfaults: ['[]']\n", "not in form"),
        ("kinds: [Pod]\nfaults: ['lists.limits.least']\n", "there is no lists.limits.least"),
        ("use: [pods]\nfaults: ['[]']\n", "there is no lib/pods.cel"),
    ],
)
def test_a_twin_out_of_form_is_an_error(pack, twin, what):
    with pytest.raises(PolicyError, match=what):
        exported(pack(twin))


def test_what_speaks_of_git_alone_is_not_enforced_in_the_cluster(pack):
    rule = RULE.replace("severity: error", "severity: error, git_only: the cluster may")
    assert exported(pack(TWIN, rule)).refused[0].why == "the cluster may"


def test_resources_are_named_as_kubernetes_guesses_them():
    assert [plural(kind) for kind in ("Pod", "NetworkPolicy", "Ingress", "StorageClass")] == [
        "pods",
        "networkpolicies",
        "ingresses",
        "storageclasses",
    ]


def test_every_twin_of_the_pack_is_exported(own):
    """A twin that parts from its rule, after a change of either, is noticed here."""
    twins = {path.stem for module in own.modules if (path := module.path.with_suffix(".cel")).is_file()} - {
        "pods",
        "images",
        "applications",
    }
    export = exported(own)
    assert {rule.rpartition("/")[2].replace("-", "_") for rule in export.exported} == twins
    assert len(twins) >= 18


def test_what_is_exported_is_valid(own, root):
    """By the schemas of Kubernetes that come with crossgate."""
    documents = [document for documents in exported(own).files.values() for document in documents]
    resources = [Resource(body, Role.DOCUMENT, Document(body, "a.yaml", 1, lambda _: Place("a.yaml", 1))) for body in documents]
    judgement = Schemas.load([root / "schemas"]).judge(resources)
    assert (judgement.findings, judgement.could_not_check) == ((), ())


def test_what_twins_leave_out_is_said_with_the_reason(own):
    """Three say less than their Rego of what they look at; the others say all of it, and name what they do not look at."""
    lists = lists_of(own)
    twins = {rule.id: twin for rule in find_rules(own) if (twin := twin_of(own, rule, lists))}
    assert {rule for rule, twin in twins.items() if twin.partial} == {
        "crossplane/deprecated-version",
        "gitops/default-project",
        "secret/placeholder",
    }
    assert {rule for rule, twin in twins.items() if twin.not_seen} == {
        "network/public-load-balancer",
        "storage/public-access",
        "storage/versioned",
    }
    for rule, less in exported(own).exported.items():
        assert less == twins[rule].left_out
        assert not less or "CEL" in less or "a policy sees one object" in less


def test_what_a_twin_does_not_look_at_excuses_nothing_of_what_it_does(pack):
    looser = TWIN.replace("> lists.limits.most", "> 9")
    assert "CEL lets pass" in exported(pack(looser + "not_seen: other kinds\n")).refused[0].why
    (policy, _) = exported(pack(TWIN + "not_seen: other kinds\n")).files["test-few.yaml"]
    assert policy["metadata"]["annotations"]["crossgate/leaves-out"] == "other kinds"


def test_twins_agree_on_manifests_and_on_variations_of_the_tests(own, root):
    """On all that the project itself generates, and on the tests' documents with values gone or another of the same type."""
    comparison, lists, chance = Comparison(own), lists_of(own), random.Random(20270101)
    written = [document.body for document in load_paths([root / "dist"], root=root).documents if isinstance(document.body, dict)]
    compared = refused = 0
    for rule in find_rules(own):
        twin = twin_of(own, rule, lists)
        if twin is None:
            continue
        tests = comparison.documents(rule)
        for document in [*written, *(varied(chance, body) for body in tests for _ in range(6))]:
            if not applies(twin, document):
                continue
            said = faults(twin, document)
            compared += 1
            if isinstance(said, str):
                # a document without what its schema requires: the server would not have it
                assert "no such key" in said.lower(), (rule.id, said, document)
                continue
            rego = comparison.refuses(rule, document)
            refused += rego
            assert bool(said) == rego or (twin.partial and rego), (rule.id, said, document)
    assert compared > 1000
    assert refused > 300


def varied(chance: random.Random, body: dict[str, Any]) -> dict[str, Any]:
    """Return a copy with up to two values gone, or another of the same type."""
    body = deepcopy(body)
    for _ in range(chance.randint(1, 2)):
        holders = list(holders_of(body))
        holder, key = chance.choice(holders)
        value = holder[key]
        if key in ("kind", "apiVersion"):
            continue
        if isinstance(holder, dict) and chance.random() < 0.4:
            del holder[key]
        elif isinstance(value, bool):
            holder[key] = not value
        elif isinstance(value, int):
            holder[key] = chance.choice([0, 1, 2, 100])
        elif isinstance(value, str):
            holder[key] = chance.choice(["a", "default", "HEAD", "nginx:latest", "1.2.3", "CHANGE_ME", "allUsers", "v1", "*"])
    return body


def holders_of(value: Any) -> Any:
    items = list(value.items()) if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else []
    for key, item in items:
        yield value, key
        yield from holders_of(item)
