"""The gate as its users call it: every fault is refused at the line of its author, and nothing bad passes in silence."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

CLAIM = """\
apiVersion: demo.example.org/v1alpha1
kind: Edge
metadata:
  name: front
  namespace: team-a
spec:
  name: front
"""


def rules(report: dict[str, Any]) -> set[str]:
    return {finding["rule"] for finding in report["findings"]}


def only(report: dict[str, Any], rule: str) -> dict[str, Any]:
    found = [finding for finding in report["findings"] if finding["rule"] == rule]
    assert len(found) == 1, report
    return found[0]


def test_a_good_claim_passes(project: Any) -> None:
    project.write("claims/front.yaml", CLAIM)
    code, report = project.check("claims")
    assert (code, report["findings"], report["couldNotCheck"]) == (0, [], [])
    assert report["summary"]["checked"]["composed resources"] == 2


@pytest.mark.parametrize(
    ("field", "rule", "reason_in"),
    [
        ("cidr: 0.0.0.0/0", "network/open-cidr", "0.0.0.0/0"),
        ("cidr: 10.0.0.1/00", "network/open-cidr", "10.0.0.1/00"),
        ("gpuType: h100", "gpu/allowed-type", "h100"),
        ("password: CHANGE_ME", "secret/placeholder", "CHANGE_ME"),
    ],
)
def test_a_fault_that_appears_only_after_rendering_points_at_the_claim(project: Any, field: str, rule: str, reason_in: str) -> None:
    """The data scientist wrote one line; that line is what the report must name."""
    project.write("claims/front.yaml", CLAIM + f"  {field}\n")
    code, report = project.check("claims")
    assert code == 1
    found = [finding for finding in report["findings"] if finding["rule"] == rule]
    assert found, report
    for finding in found:
        assert (finding["file"], finding["line"]) == ("claims/front.yaml", 8)
        assert reason_in in finding["message"]
        assert finding["remediation"]


def test_a_fault_in_the_template_points_at_the_composition(project: Any) -> None:
    path = project.root / "dist" / "composition.yaml"
    text = path.read_text().replace("cidrBlocks: [10.0.0.0/8]", "cidrBlocks: [10.0.0.0/8, '::/0']")
    path.write_text(text)
    line = next(number for number, content in enumerate(text.split("\n"), 1) if "::/0" in content)
    project.write("claims/front.yaml", CLAIM)
    code, report = project.check("claims")
    finding = only(report, "network/open-cidr")
    assert (code, finding["file"], finding["line"]) == (1, "dist/composition.yaml", line)
    assert len(finding["origin"]) == 3


def test_standard_input_is_judged(project: Any) -> None:
    """`kustomize build … | crossgate check -`."""
    done = project.run("check", "-", "-o", "json", stdin=CLAIM + "  cidr: 0.0.0.0/0\n")
    assert done.returncode == 1
    found = [finding for finding in json.loads(done.stdout)["findings"] if finding["rule"] == "network/open-cidr"]
    assert {(finding["file"], finding["line"]) for finding in found} == {("<stdin>", 8)}


def test_a_claim_for_an_unknown_version_or_kind_of_a_known_api(project: Any) -> None:
    project.write("claims/front.yaml", CLAIM.replace("v1alpha1", "v1"))
    code, report = project.check("claims")
    assert code != 0
    text = json.dumps(report)
    assert "v1alpha1" in text
    project.write("claims/front.yaml", CLAIM.replace("kind: Edge", "kind: Egde"))
    code, report = project.check("claims")
    assert code != 0
    assert "Edge" in json.dumps(report)


def test_a_claim_that_no_composition_can_serve(project: Any) -> None:
    project.write("claims/front.yaml", CLAIM + "  compositionSelector:\n    matchLabels:\n      provider: azure\n")
    code, report = project.check("claims")
    assert code == 1
    finding = only(report, "crossplane/no-composition")
    assert finding["file"] == "claims/front.yaml"
    assert "azure" in finding["message"] + finding["remediation"]


def test_a_claim_that_several_compositions_could_serve_is_rendered_through_each(project: Any) -> None:
    other = (project.root / "dist" / "composition.yaml").read_text().replace("name: edge\n", "name: edge-two\n", 1)
    project.write("dist/second.yaml", other)
    project.write("claims/front.yaml", CLAIM + "  cidr: 0.0.0.0/0\n")
    code, report = project.check("claims")
    assert code == 1
    finding = only(report, "crossplane/ambiguous-composition")
    assert "edge-two" in finding["message"]
    assert "network/open-cidr" in rules(report)


def test_a_broken_file_does_not_hide_the_others(project: Any) -> None:
    project.write("claims/a-broken.yaml", "apiVersion: v1\nkind: [\n")
    project.write("claims/front.yaml", CLAIM + "  cidr: 0.0.0.0/0\n")
    code, report = project.check("claims")
    assert code == 3
    assert any("claims/a-broken.yaml:" in item["where"] and item["hint"] for item in report["couldNotCheck"])
    assert "network/open-cidr" in rules(report)


def test_a_composition_with_an_unknown_function(project: Any) -> None:
    path = project.root / "dist" / "composition.yaml"
    text = (
        path.read_text()
        .replace("function-patch-and-transform", "function-go-templating")
        .replace("pt.fn.crossplane.io", "gotemplating.fn.crossplane.io")
    )
    path.write_text(text)
    project.write("claims/front.yaml", CLAIM)
    code, report = project.check("claims")
    assert code == 3
    item = next(item for item in report["couldNotCheck"] if "function-go-templating" in item["what"])
    assert item["where"].startswith("dist/composition.yaml:")


@pytest.mark.parametrize("folder", ["empty", "missing"])
def test_nothing_to_check_is_not_a_pass(project: Any, folder: str) -> None:
    (project.root / "empty").mkdir()
    done = project.run("check", folder)
    assert done.returncode in (2, 3)
    assert folder in done.stdout + done.stderr


def test_no_policies_at_all_is_not_a_pass(project: Any) -> None:
    project.write("claims/front.yaml", CLAIM)
    (project.root / "none").mkdir()
    done = project.run("check", "claims", "--policy", "none")
    assert done.returncode == 3
    assert "none" in done.stdout


def test_a_policy_that_does_not_compile_names_its_line_and_the_rest_is_still_checked(project: Any) -> None:
    project.write("rules/bad.rego", "package bad\n\nimport rego.v1\n\ndeny contains msg if { msg := }\n")
    project.write("claims/front.yaml", CLAIM + "  typo: 1\n")
    done = project.run("check", "claims", "--policy", "rules", "-o", "json")
    report = json.loads(done.stdout)
    assert done.returncode == 3
    assert any("rules/bad.rego:5" in item["where"] + item["what"] for item in report["couldNotCheck"])
    assert "schema/unknown-field" in rules(report)


def test_usage_errors_are_three_short_lines(project: Any) -> None:
    for arguments in (["check", "-o", "yaml"], ["check", "--nope"], ["nope"], ["check", "-o", "json", "-o", "text"]):
        done = project.run(*arguments)
        assert done.returncode == 2, arguments
        assert done.stdout == ""
        assert "Traceback" not in done.stderr


def test_the_gate_starts_neither_node_nor_what_it_does_not_need(project: Any) -> None:
    """A cold check of one claim is promised in half a second; imports are where that is lost."""
    project.write("claims/front.yaml", CLAIM)
    script = (
        "import re, sys\nfrom crossgate.check import check\nreport = check(['claims'])\nassert report.exit_code == 0, report\n"
        "print(sorted(set(sys.modules) & {'cdk8s', 'constructs', 'jsii', 'pydantic', 'jsonschema', 'git', 'oras', 'mlplatform'}))\n"
        "print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])\n"  # ru_maxrss would be the parent's
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=project.root, capture_output=True, text=True, check=True, env=os.environ)
    modules, memory = done.stdout.splitlines()
    assert modules == "[]"
    assert int(memory) < 150 * 1024


def test_one_run_says_the_same_as_the_next(project: Any, tmp_path: Path) -> None:
    project.write("claims/front.yaml", CLAIM + "  cidr: 0.0.0.0/0\n  password: changeme\n")
    first, second = project.run("check", "claims", "-o", "json"), project.run("check", "claims", "-o", "json")
    assert first.stdout == second.stdout


def test_a_function_under_another_name_is_run_when_the_settings_say_which(project: Any) -> None:
    path = project.root / "dist" / "composition.yaml"
    path.write_text(path.read_text().replace("function-patch-and-transform", "function-ours"))
    project.write("claims/front.yaml", CLAIM)
    assert project.check("claims")[0] == 3
    settings = project.root / "crossgate.toml"
    settings.write_text(settings.read_text() + '[functions]\nfunction-ours = "function-patch-and-transform"\n')
    assert project.check("claims")[0] == 0


def test_a_broken_file_of_the_platform_is_said_even_when_only_a_claim_is_judged(project: Any) -> None:
    """The XRD or Composition that the claim needs may be in it."""
    project.write("dist/second.yaml", "kind: Composition\nspec: [\n")
    project.write("claims/front.yaml", CLAIM)
    code, report = project.check("claims")
    assert code == 3
    assert [item["where"].startswith("dist/second.yaml:") for item in report["couldNotCheck"]] == [True]


def test_standard_input_is_read_as_files_are(project: Any) -> None:
    """Lists are opened and duplicate keys are said, whatever way the manifests come in."""
    items = "".join(f"  {line}\n" for line in (CLAIM + "  cidr: 0.0.0.0/0\n").splitlines())
    done = project.run("check", "-", "-o", "json", stdin="apiVersion: v1\nkind: List\nkind: List\nitems:\n-\n" + items)
    report = json.loads(done.stdout)
    assert {"network/open-cidr", "manifest/duplicate-key"} <= rules(report)


def test_a_composition_alone_with_an_unknown_function_is_not_a_pass(project: Any) -> None:
    """Its input may still be that of a known function: the name says that another one runs."""
    path = project.root / "dist" / "composition.yaml"
    path.write_text(path.read_text().replace("function-patch-and-transform", "function-foo"))
    code, report = project.check("dist")
    assert code == 3
    assert "function-foo" in json.dumps(report["couldNotCheck"])


def test_a_claim_whose_schema_is_known_but_not_its_xrd_is_said_to_be_unrendered(project: Any) -> None:
    """It is validated, which is all that was asked for, but what it becomes is not judged."""
    project.write("claims/front.yaml", CLAIM)
    (project.root / "dist").rename(project.root / "elsewhere")
    done = project.run("check", "claims", "--schemas", "elsewhere/xrd.yaml", "-o", "json")
    assert done.returncode == 0
    assert "Edge is a claim" in done.stdout


def test_an_xrd_without_a_referenceable_version_does_not_hide_its_claims(project: Any) -> None:
    xrd = project.root / "dist" / "xrd.yaml"
    xrd.write_text(xrd.read_text().replace("referenceable: true", "referenceable: false"))
    project.write("claims/front.yaml", CLAIM)
    assert "crossplane/not-rendered" in rules(project.check("claims")[1])


@pytest.mark.parametrize("text", ["group: [a]", "group: 5", "group: {a: b}"])
def test_a_malformed_xrd_is_said_and_the_other_files_are_still_judged(project: Any, text: str) -> None:
    xrd = project.root / "dist" / "xrd.yaml"
    xrd.write_text(xrd.read_text().replace("group: demo.example.org", text))
    project.write("dist/pod.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: n}\nstringData: {a: CHANGE_ME}\n")
    code, report = project.check("dist")
    assert code == 3
    assert "dist/xrd.yaml" in json.dumps(report)
    assert "secret/placeholder" in rules(report)


def waiver(project: Any, expires: str) -> None:
    rules_folder = project.root / "rules"
    if not rules_folder.exists():
        rules_folder.mkdir()
        (rules_folder / "pack.rego").write_text(
            "package demo\n\nimport rego.v1\n\n"
            'deny contains {"msg": "no front", "path": ["metadata", "name"]} if input.metadata.name == "front"\n'
        )
    (rules_folder / "waivers.yaml").write_text(
        "waivers:\n- rule: demo/deny\n  scope: {file: claims/front.yaml}\n  reason: moved next week\n  owner: ada\n"
        f"  expires: {expires}\n"
    )


def test_a_waiver_lets_a_finding_pass_until_its_day_and_is_always_shown(project: Any) -> None:
    project.write("claims/front.yaml", CLAIM)
    waiver(project, "2999-01-01")
    done = project.run("check", "claims", "--policy", "rules")
    assert done.returncode == 0, done.stdout
    assert "moved next week" in done.stdout
    waiver(project, "2001-01-01")
    done = project.run("check", "claims", "--policy", "rules")
    assert done.returncode == 1
    assert "expired" in done.stdout


def test_a_baseline_keeps_old_findings_apart_and_new_ones_count(project: Any) -> None:
    project.write("dist/claim.yaml", CLAIM + "  password: CHANGE_ME\n")
    assert project.run("check").returncode == 1
    assert project.run("baseline", "write").returncode == 0
    done = project.run("check")
    assert done.returncode == 0, done.stdout
    project.write("dist/claim.yaml", CLAIM + "  password: CHANGE_ME\n  cidr: 0.0.0.0/0\n")
    assert project.run("check").returncode == 1


def test_warnings_about_the_policies_themselves_are_told(project: Any) -> None:
    """A rule that can never speak would pass for one that found nothing."""
    project.write("claims/front.yaml", CLAIM)
    silent = 'package own\n\nimport rego.v1\n\ndeny contains "x" if data.nobody.defines == 1\n'
    rule = project.write("own/silent.rego", silent)
    code, report = project.check("--policy", str(rule.parent), "claims")
    found = only(report, "policy/undefined-data")
    assert (code, found["severity"]) == (0, "warning")
    assert "data.nobody.defines" in found["message"]
