"""``crossgate test`` as its users call it."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from crossgate.errors import LoadError
from crossgate.testing import Project, cases, check, findings, render_claim, rendered

CLAIM = """\
apiVersion: demo.example.org/v1alpha1
kind: Edge
metadata: {name: front, namespace: team-a}
spec: {name: front, cidr: 10.1.0.0/16}
"""

RULE = """\
apiVersion: ec2.aws.upbound.io/v1beta1
kind: SecurityGroupRule
metadata: {annotations: {crossplane.io/composition-resource-name: rule}}
spec: {forProvider: {cidrBlocks: [10.1.0.0/16]}}
"""


def case(project: Any, name: str = "front", **files: str) -> Path:
    files = {"claim": CLAIM, **files}
    for file, text in files.items():
        project.write(f"tests/cases/{name}/{file}.yaml", text)
    return Path(project.root / "tests/cases" / name)


def test_a_subset_passes(project: Any, invoke: Any) -> None:
    case(project, expected=RULE, case="match: subset")
    done = invoke("test")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("✓ front\n\n1 passed in ")


def test_what_differs_is_named_with_the_line_of_what_was_expected(project: Any, invoke: Any) -> None:
    case(project, expected=RULE.replace("10.1.0.0/16", "10.2.0.0/16"), case="match: subset")
    done = invoke("test")
    assert done.returncode == 1
    assert "✗ front" in done.stdout
    assert "SecurityGroupRule rule spec.forProvider.cidrBlocks[0]: expected '10.2.0.0/16', got '10.1.0.0/16'" in done.stdout
    assert "expected.yaml:4" in done.stdout


def test_a_subset_is_not_enough_where_the_match_is_exact(project: Any, invoke: Any) -> None:
    case(project, expected=RULE)
    done = invoke("test")
    assert done.returncode == 1
    assert "Release chart: was not expected" in done.stdout


def test_update_writes_what_became_and_then_nothing_more(project: Any, invoke: Any) -> None:
    folder = case(project)
    assert invoke("test").returncode == 1, "nothing is expected: that proves nothing"
    done = invoke("test", "--update")
    assert (done.returncode, "✓ front (updated)" in done.stdout) == (0, True)
    text = (folder / "expected.yaml").read_text()
    assert [body["kind"] for body in yaml.safe_load_all(text)] == ["XEdge", "SecurityGroupRule", "Release"]
    done = invoke("test", "--update")
    assert (done.returncode, "updated" in done.stdout) == (0, False)
    assert (folder / "expected.yaml").read_text() == text
    (folder / "expected.yaml").write_text(text.replace("10.1.0.0/16", "10.2.0.0/16"))
    assert invoke("test").returncode == 1


def test_update_keeps_a_subset_a_subset(project: Any, invoke: Any) -> None:
    folder = case(project, expected=RULE.replace("10.1.0.0/16", "10.2.0.0/16"), case="match: subset")
    assert invoke("test", "--update").returncode == 0
    assert yaml.safe_load((folder / "expected.yaml").read_text()) == yaml.safe_load(RULE)


def test_assertions_in_cel(project: Any, invoke: Any) -> None:
    assertions = """\
assertions:
- size(composed) == 2
- resources.rule.spec.forProvider.fromPort == 443
- composed.all(r, r.metadata.labels['crossplane.io/claim-name'] == input.metadata.name)
- cel: xr.spec.cidr == '10.2.0.0/16'
  message: the network is passed on
- xr.spec.nothing == 1
- size(composed)
"""
    case(project, case=assertions)
    done = invoke("test")
    assert done.returncode == 1
    failures = [line.strip() for line in done.stdout.splitlines()[1:-2]]
    assert failures[0] == "the network is passed on: xr.spec.cidr == '10.2.0.0/16' is false"
    assert failures[1].startswith("xr.spec.nothing == 1 is an error: no such key")
    assert failures[2] == "size(composed) is 2, which is not true"
    assert len(failures) == 3


def test_assertions_see_everything_that_is_made(project: Any, invoke: Any) -> None:
    path = project.root / "dist" / "composition.yaml"
    wrapper = """\
          - name: config
            base:
              apiVersion: kubernetes.crossplane.io/v1alpha2
              kind: Object
              spec: {forProvider: {manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: inside}}}}
"""
    path.write_text(f"{path.read_text().rstrip()}\n{wrapper}")
    case(
        project,
        case="assertions: [\"everything.exists_one(r, r.kind == 'ConfigMap' && r.metadata.name == 'inside')\", size(everything) == 6]",
    )
    done = invoke("test")
    assert done.returncode == 0, done.stdout


def test_an_assertion_that_is_no_cel_could_not_be_checked(project: Any, invoke: Any) -> None:
    case(project, case="assertions: ['size(']")
    done = invoke("test")
    assert done.returncode == 3
    assert "could not check" in done.stdout


def test_an_error_that_must_come(project: Any, invoke: Any) -> None:
    wrong = CLAIM.replace("spec: {", "spec: {compositionRef: {name: nope}, ")
    case(project, "good", claim=wrong, case="error: '''nope'', which does not exist'")
    case(project, "other", claim=wrong, case="error: something else")
    case(project, "none", case="error: nope")
    done = invoke("test")
    assert done.returncode == 1
    assert "✓ good" in done.stdout
    assert "the error should contain 'something else', but it is:" in done.stdout
    assert "rendering should have failed with 'nope', but it did not" in done.stdout


def test_files_of_the_case_come_before_the_projects(project: Any, invoke: Any) -> None:
    own = (project.root / "dist" / "composition.yaml").read_text().replace("fromPort: 443", "fromPort: 8443")
    observed = RULE.replace("metadata: {", "metadata: {name: there, ") + "status: {id: x}\n"
    case(
        project,
        composition=own,
        observed=observed,
        context="example.org/key: {a: 1}",
        case="""\
assertions:
- resources.rule.spec.forProvider.fromPort == 8443
- resources.rule.metadata.name == 'there'
- context['example.org/key'].a == 1
""",
    )
    done = invoke("test")
    assert done.returncode == 0, done.stdout


def test_a_function_that_is_not_known_could_not_be_checked(project: Any, invoke: Any) -> None:
    text = (project.root / "dist" / "composition.yaml").read_text()
    foreign = text.replace("function-patch-and-transform", "function-kcl").replace("pt.fn.crossplane.io", "krm.kcl.dev")
    case(project, "foreign", composition=foreign, expected=RULE)
    case(project, "fine", expected=RULE, case="match: subset")
    done = invoke("test")
    assert done.returncode == 3
    assert "? foreign" in done.stdout
    assert "function-kcl" in done.stdout
    assert "1 passed, 1 could not be checked" in done.stdout


def test_junit_and_text_at_once_and_in_many_processes(project: Any, invoke: Any) -> None:
    for number in range(6):
        case(project, f"case-{number}", expected=RULE if number else RULE.replace("443", "444"), case="match: subset")
    case(project, "wrong", expected=RULE.replace("10.1", "10.2"), case="match: subset")
    done = invoke("test", "-j", "2", "-o", "junit=out/report.xml", "-o", "text")
    assert done.returncode == 1
    assert [line for line in done.stdout.splitlines() if line[:1] in "✓✗"][:7] == [*(f"✓ case-{number}" for number in range(6)), "✗ wrong"]
    suite = ElementTree.parse(project.root / "out/report.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures")) == ("7", "1")


@pytest.mark.parametrize("arguments", [["nope"], ["-o", "html"], ["-o", "junit="], ["dist"]])
def test_usage_errors(project: Any, invoke: Any, arguments: list[str]) -> None:
    done = invoke("test", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) <= 3


def test_the_same_from_python(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project.root)
    case(project, "good", expected=RULE, case="match: subset")
    case(project, "wrong", expected=RULE.replace("10.1", "10.2"), case="match: subset")
    good, wrong = cases("tests/cases")
    whole = Project.of()
    check(good, whole)
    with pytest.raises(AssertionError, match=r"expected '10.2.0.0/16', got '10.1.0.0/16'"):
        check(wrong, whole)
    assert rendered(good).rendering.composed[0]["kind"] == "SecurityGroupRule"


def test_manifests_in_the_test_itself(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project.root)
    assert render_claim(CLAIM).rendering.composed[0]["spec"]["forProvider"]["cidrBlocks"] == ["10.1.0.0/16"]
    assert render_claim(yaml.safe_load(CLAIM)).rendering.composed == render_claim(CLAIM).rendering.composed
    for network, open_ in (("10.1.0.0/16", False), ("0.0.0.0/0", True)):
        rules = {finding.rule for finding in findings(CLAIM.replace("10.1.0.0/16", network))}
        assert ("network/open-cidr" in rules) is open_
    with pytest.raises(LoadError, match="2 documents"):
        render_claim(f"{CLAIM}---\n{CLAIM}")
    with pytest.raises(AssertionError, match="no schema"):
        findings("apiVersion: nobody.io/v1\nkind: Thing\nmetadata: {name: a}\n")
