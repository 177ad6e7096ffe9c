from __future__ import annotations

from pathlib import Path

import pytest

from crossgate.errors import PolicyError
from crossgate.policy.bundle import read_bundle
from crossgate.policy.export import Export, Options, export_gatekeeper
from crossgate.policy.rules import find_rules

OWN = """\
# METADATA
# title: No x
# custom:
#   severity: {severity}
#   reason: HAS_X
#   remediation: Remove x.
#   input: {input}
package crossgate.test.x

import rego.v1

import data.crossgate.lib.a as helper

kinds := {{"Pod", "Job"}}

{name} contains {{"msg": "data.crossgate.lib.a # import rego.v1", "path": ["x"]}} if helper.has(input)
"""
LIB = "package crossgate.lib.a\n\nimport rego.v1\n\nhas(object) if object.x == data.crossgate.lib.b.x\n"


@pytest.fixture
def export(tmp_path: Path):
    """Export a rule with two libraries, or other texts."""

    def run(options: Options | None = None, **texts: str) -> Export:
        given = texts or {"x": OWN.format(severity="error", input="document", name="deny")}
        given |= {"lib_a": LIB, "lib_b": "package crossgate.lib.b\n\nx := 1\n", "lib_c": "package crossgate.lib.c\n\nx := 1\n"}
        for name, text in given.items():
            (tmp_path / f"{name}.rego").write_text(text)
        (tmp_path / "data.json").write_text('{"limits": {"default": 1, "most": 2}, "both": {"most": 1}}')
        bundle = read_bundle([tmp_path])
        return export_gatekeeper(bundle, find_rules(bundle), options)

    return run


def foreign(head: str, body: str = "") -> str:
    return f"package main\n\nimport rego.v1\n\n{head}\n\n{body}"


def test_a_rule_becomes_a_template_and_a_constraint(export):
    files = export().files
    (template,), (constraint,) = files["templates/test-x.yaml"], files["constraints/test-x.yaml"]
    assert template["spec"]["crd"]["spec"]["names"]["kind"] == constraint["kind"] == "CrossgateTestX"
    assert template["metadata"]["name"] == "crossgatetestx"
    assert constraint["spec"]["enforcementAction"] == "deny"
    assert constraint["spec"]["match"]["kinds"] == [{"apiGroups": ["*"], "kinds": ["Job", "Object", "Pod"]}]


def test_the_libraries_are_those_that_the_rule_needs_and_stand_below_lib(export):
    """What is not needed is left out; strings and comments stay as they are; lines keep their places."""
    (template,) = export().files["templates/test-x.yaml"]
    source = template["spec"]["targets"][0]["code"][0]["source"]
    rule, a, b = source["libs"]
    assert source["version"] == "v1"
    assert "package lib.crossgate.test.x\n\n\n\nimport data.lib.crossgate.lib.a as helper\n" in rule
    assert '"msg": "data.crossgate.lib.a # import rego.v1"' in rule
    assert a == "package lib.crossgate.lib.a\n\n\n\nhas(object) if object.x == data.lib.crossgate.lib.b.x\n"
    assert b.startswith("package lib.crossgate.lib.b")
    assert "data.lib.crossgate.test.x.deny with input as input.review.object" in source["rego"]


@pytest.mark.parametrize(("severity", "name", "action"), [("warning", "warn", "warn"), ("info", "warn", "dryrun")])
def test_severities_become_actions(export, severity, name, action):
    files = export(x=OWN.format(severity=severity, input="document", name=name)).files
    assert files["constraints/test-x.yaml"][0]["spec"]["enforcementAction"] == action


def test_audit_refuses_nothing_and_namespaces_are_spared(export):
    spec = export(Options(audit=True, excluded=("a", "b"))).files["constraints/test-x.yaml"][0]["spec"]
    assert (spec["enforcementAction"], spec["match"]["excludedNamespaces"]) == ("dryrun", ["a", "b"])


def test_what_stands_in_git_is_not_asked_about_what_crossplane_makes(export):
    (template,) = export(x=OWN.format(severity="error", input="written", name="deny")).files["templates/test-x.yaml"]
    assert "not made(input.review.object)" in template["spec"]["targets"][0]["code"][0]["source"]["rego"]


@pytest.mark.parametrize(
    ("texts", "why"),
    [
        ({"x": OWN.format(severity="error", input="estate", name="deny")}, "needs more than one object"),
        ({"x": OWN.format(severity="error", input="document", name="deny").replace("reason:", "git_only: never\n#   reason:")}, "never"),
        ({"m": foreign('deny contains "x" if data["a"]')}, "reads data as a whole or by a key"),
        ({"m": foreign('deny contains "x" if data.unknown.y')}, "reads data.unknown.y, which the policies do not hold"),
        ({"m": foreign('import input.spec\n\ndeny contains "x" if spec.a')}, "imports input.spec"),
        ({"m": foreign('deny := ["x"] if input.a')}, "is no set: write it as deny contains"),
        ({"m": foreign('deny contains "x" if input.a', 'exception contains ["a"] if input.b')}, "its package has exceptions"),
        ({"m": foreign('deny contains "x" if data.limits.most > 3')}, "cannot be written as names of Rego"),
        (
            {"m": foreign('deny contains "x" if data.both.most > 3'), "both": "package both\n\ny := 1\n"},
            "is a package and stands in a data file",
        ),
        ({"m": foreign('deny contains "x" if input.a', "\n".join(f'x{n} := "{"y" * 1000}"' for n in range(1100)))}, "more than 1 MiB"),
        ({"m": foreign(f'deny_{"x" * 60} contains "x" if input.a')}, "more than 63 characters"),
    ],
)
def test_what_cannot_be_exported_is_named_with_the_reason(export, texts, why):
    """Nothing is dropped in silence."""
    made = export(**texts)
    assert made.files == {}
    assert why in made.refused[0].why


def test_packages_that_a_key_may_lead_to_come_along(export):
    """Without them the rule would find nothing in the cluster, and let pass."""
    parts = {"p": "package parts\n\nx := 1\n", "q": "package parts.deep\n\nbad := 1\n", "r": "package partsother\n\nbad := 1\n"}
    (template,) = export(m=foreign('deny contains "x" if data.parts[input.a].bad'), **parts).files["templates/main-deny.yaml"]
    libraries = template["spec"]["targets"][0]["code"][0]["source"]["libs"]
    assert [text.split()[1] for text in libraries] == ["lib.main", "lib.parts", "lib.parts.deep"]


def test_ways_out_are_refused(export):
    with pytest.raises(PolicyError, match=r"http\.send is refused"):
        export(m=foreign('deny contains "x" if http.send({"method": "get", "url": input.a})'))


def test_two_rules_of_one_kind_are_told_apart(export):
    made = export(m=foreign('deny_a contains "x" if input.a\n\ndeny_A contains "x" if input.a'))
    assert (list(made.exported), [refusal.rule for refusal in made.refused]) == (["main/deny_A"], ["main/deny_a"])
