"""``crossgate render`` as its users call it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
import yaml

CLAIM = """\
apiVersion: demo.example.org/v1alpha1
kind: Edge
metadata:
  name: front
  namespace: team-a
spec:
  name: front
"""

XR = """\
apiVersion: demo.example.org/v1alpha1
kind: XEdge
metadata: {name: direct}
spec: {name: front, cidr: 10.1.0.0/16}
status: {conditions: []}
"""


def outcome(invoke: Any, *arguments: str, stdin: str = "") -> list[dict[str, Any]]:
    done = invoke("render", *arguments, "-o", "json", stdin=stdin)
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def refused(invoke: Any, *arguments: str) -> str:
    """Return what standard error says; nothing may stand on standard output, which would look like a rendering."""
    done = invoke("render", *arguments)
    assert done.returncode in (2, 3)
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) <= 3
    return str(done.stderr)


def test_a_claim_as_json(project: Any, invoke: Any) -> None:
    project.write("claim.yaml", CLAIM)
    (made,) = outcome(invoke, "claim.yaml")
    assert set(made) == {"composed", "xr", "context", "warnings"}
    xr = made["xr"]
    assert xr["kind"] == "XEdge"
    assert xr["metadata"]["name"].startswith("front-")
    assert xr["spec"]["cidr"] == "10.0.0.0/8"
    assert xr["spec"]["compositionRef"] == {"name": "edge"}
    assert xr["spec"]["claimRef"]["namespace"] == "team-a"
    assert {condition["type"] for condition in xr["status"]["conditions"]} >= {"Ready", "Synced"}
    assert [body["kind"] for body in made["composed"]] == ["SecurityGroupRule", "Release"]


def test_several_documents_and_files_and_standard_input(project: Any, invoke: Any) -> None:
    project.write("one.yaml", f"{CLAIM}---\n{CLAIM.replace('name: front', 'name: back')}")
    project.write("two.yaml", XR)
    names = [made["xr"]["metadata"]["name"].partition("-")[0] for made in outcome(invoke, "one.yaml", "two.yaml", "-", stdin=CLAIM)]
    assert names == ["front", "back", "direct", "front"]


def test_yaml_is_the_xr_and_then_what_it_composes(project: Any, invoke: Any) -> None:
    project.write("claim.yaml", CLAIM)
    done = invoke("render", "claim.yaml")
    documents = list(yaml.safe_load_all(done.stdout))
    (made,) = outcome(invoke, "claim.yaml")
    assert documents == [made["xr"], *made["composed"]]


def test_the_tree(project: Any, invoke: Any, golden: Callable[[str, str], None]) -> None:
    project.write("claim.yaml", f"{CLAIM}---\n{XR}")
    done = invoke("render", "claim.yaml", "--tree")
    assert done.returncode == 0, done.stderr
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    golden("render-tree.txt", done.stdout)
    assert invoke("render", "claim.yaml", "-o", "tree").stdout == done.stdout


def test_an_xr_needs_no_xrd_when_a_composition_is_for_it(project: Any, invoke: Any) -> None:
    for name in ("composition.yaml", "xrd.yaml"):
        project.write(name, (project.root / "dist" / name).read_text())
        (project.root / "dist" / name).unlink()
    project.write("xr.yaml", XR)
    (made,) = outcome(invoke, "xr.yaml", "--composition", "composition.yaml")
    assert made["composed"][0]["spec"]["forProvider"]["cidrBlocks"] == ["10.1.0.0/16"]
    project.write("claim.yaml", CLAIM)
    assert "no XRD offers Edge" in refused(invoke, "claim.yaml", "--composition", "composition.yaml")
    (made,) = outcome(invoke, "claim.yaml", "--composition", "composition.yaml", "--xrd", "xrd.yaml")
    assert made["composed"][0]["spec"]["forProvider"]["cidrBlocks"] == ["10.0.0.0/8"]


def test_the_composition_that_is_named_is_used_whatever_the_claim_selects(project: Any, invoke: Any) -> None:
    text = (project.root / "dist" / "composition.yaml").read_text()
    project.write("other.yaml", text.replace("name: edge\n", "name: other\n", 1).replace("fromPort: 443", "fromPort: 8443"))
    project.write("claim.yaml", CLAIM + "  compositionRef: {name: edge}\n")
    (made,) = outcome(invoke, "claim.yaml", "--composition", "other.yaml")
    assert made["composed"][0]["spec"]["forProvider"]["fromPort"] == 8443


def test_of_several_that_are_named_the_claim_chooses(project: Any, invoke: Any) -> None:
    text = (project.root / "dist" / "composition.yaml").read_text()
    other = text.replace("name: edge\n", "name: other\n", 1).replace("XEdge", "XOther")
    project.write("all.yaml", f"{text}---\n{other}")
    project.write("claim.yaml", CLAIM + "  compositionRef: {name: other}\n")
    assert "XOther" in refused(invoke, "claim.yaml", "--composition", "all.yaml")


def test_observed_resources_give_names_and_status(project: Any, invoke: Any) -> None:
    text = (project.root / "dist" / "composition.yaml").read_text()
    patch = "              - {type: ToCompositeFieldPath, fromFieldPath: status.id, toFieldPath: status.rule}\n"
    at = text.index("              - type: FromCompositeFieldPath")
    project.write("dist/composition.yaml", text[:at] + patch + text[at:])
    project.write("claim.yaml", CLAIM)
    (first,) = outcome(invoke, "claim.yaml")
    observed = {**first["composed"][0], "status": {"id": "sgr-1"}}
    observed["metadata"]["name"] = "there-already"
    project.write("observed.yaml", json.dumps(observed))
    (made,) = outcome(invoke, "claim.yaml", "--observed", "observed.yaml")
    assert made["composed"][0]["metadata"]["name"] == "there-already"
    assert made["xr"]["status"]["rule"] == "sgr-1"


def test_context_and_required_resources_reach_the_functions(project: Any, invoke: Any) -> None:
    text = (project.root / "dist" / "composition.yaml").read_text()
    text = text.replace(
        "FromCompositeFieldPath\n                fromFieldPath: spec.cidr", "FromEnvironmentFieldPath\n                fromFieldPath: net"
    )
    project.write("dist/composition.yaml", text)
    project.write("claim.yaml", CLAIM)
    project.write("env.yaml", "net: 10.9.0.0/16\n")
    (made,) = outcome(invoke, "claim.yaml", "--context", "apiextensions.crossplane.io/environment=env.yaml")
    assert made["composed"][0]["spec"]["forProvider"]["cidrBlocks"] == ["10.9.0.0/16"]
    step = """\
    - step: env
      functionRef: {name: function-environment-configs}
      input:
        apiVersion: environmentconfigs.fn.crossplane.io/v1beta1
        kind: Input
        spec: {environmentConfigs: [{type: Reference, ref: {name: net}}]}
"""
    project.write("dist/composition.yaml", text.replace("  pipeline:\n", f"  pipeline:\n{step}"))
    project.write(
        "net.yaml",
        "apiVersion: apiextensions.crossplane.io/v1beta1\nkind: EnvironmentConfig\nmetadata: {name: net}\ndata: {net: 10.8.0.0/16}\n",
    )
    (made,) = outcome(invoke, "claim.yaml", "--required", "net.yaml")
    assert made["composed"][0]["spec"]["forProvider"]["cidrBlocks"] == ["10.8.0.0/16"]


def test_warnings_go_to_standard_error(project: Any, invoke: Any) -> None:
    text = (project.root / "dist" / "composition.yaml").read_text()
    project.write(
        "dist/composition.yaml",
        text.replace(
            "toFieldPath: spec.forProvider.values.auth.password",
            "toFieldPath: spec.forProvider.values.auth.password\n                policy: {fromFieldPath: Required}",
        ),
    )
    project.write("claim.yaml", CLAIM)
    done = invoke("render", "claim.yaml", "--tree")
    assert done.returncode == 0
    assert done.stderr.startswith("crossgate: warning: Edge team-a/front: ")
    assert '"chart"' in done.stderr
    (made,) = outcome(invoke, "claim.yaml")
    assert len(made["warnings"]) == 1


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        (CLAIM.replace("kind: Edge", "kind: Egde"), ["Egde", "did you mean Edge?", "claim.yaml:2"]),
        (CLAIM.replace("demo.example.org", "demo.example.com"), ["demo.example.com", "did you mean the group demo.example.org?"]),
        (CLAIM.replace("v1alpha1", "v1"), ["'v1'", "v1alpha1", "claim.yaml:1"]),
        (CLAIM + "  compositionSelector: {matchLabels: {provider: azure}}\n", ["provider=azure", "edge has provider=aws", "claim.yaml:8"]),
        (CLAIM + "  compositionRef: {name: edgy}\n", ["'edgy'", "edge", "claim.yaml:8"]),
        (CLAIM.replace("  name: front\n  namespace", "  namespace"), ["has no name"]),
        ("apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n", ["neither a claim nor an XR"]),
        ("a: [\n", ["claim.yaml:"]),
        ("", ["nothing to render"]),
    ],
)
def test_what_cannot_be_rendered_says_why_where_and_the_way_out(project: Any, invoke: Any, claim: str, said: list[str]) -> None:
    project.write("claim.yaml", claim)
    error = refused(invoke, "claim.yaml")
    assert all(text in error for text in said), error


def test_several_compositions_are_named_with_the_way_to_choose(project: Any, invoke: Any) -> None:
    text = (project.root / "dist" / "composition.yaml").read_text()
    project.write("dist/other.yaml", text.replace("name: edge\n", "name: other\n", 1))
    project.write("claim.yaml", CLAIM)
    error = refused(invoke, "claim.yaml")
    assert "edge, other" in error
    assert "--composition FILE" in error


def test_a_pipeline_that_fails_names_its_place(project: Any, invoke: Any) -> None:
    text = (project.root / "dist" / "composition.yaml").read_text()
    project.write("dist/composition.yaml", text.replace("fromFieldPath: spec.cidr", "fromFieldPath: spec.cidr["))
    project.write("claim.yaml", CLAIM)
    error = refused(invoke, "claim.yaml")
    assert "dist/composition.yaml:" in error
    assert "resources[0].patches[0]" in error


@pytest.mark.parametrize(
    "arguments",
    [
        ["--context", "novalue"],
        ["--context", "a=missing.yaml"],
        ["--composition", "missing.yaml"],
        ["--xrd", "missing.yaml"],
        ["-o", "xml"],
    ],
)
def test_usage_errors(project: Any, invoke: Any, arguments: list[str]) -> None:
    project.write("claim.yaml", CLAIM)
    done = invoke("render", "claim.yaml", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("5", "not an object"),
        ("[a]", "not an object"),
        ("kind: A", "no apiVersion"),
        ("apiVersion: v1\nkind: A", "has no name"),
        ("apiVersion: v1\nkind: A\nmetadata: 5", "has no name"),
    ],
)
def test_observed_objects_that_are_none_are_refused(project: Any, invoke: Any, text: str, says: str) -> None:
    """They were left out without a word, and the rendering was that of a cluster where nothing exists."""
    project.write("claim.yaml", CLAIM)
    project.write("observed.yaml", text)
    assert says in refused(invoke, "claim.yaml", "--observed", "observed.yaml")
