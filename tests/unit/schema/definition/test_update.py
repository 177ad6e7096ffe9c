"""A changed CRD or XRD: what the API server refuses, and what breaks objects that are stored."""

from __future__ import annotations

import subprocess
from copy import deepcopy
from typing import Any

import pytest

from crossgate.check import check
from crossgate.config import Config
from crossgate.load.write import to_yaml
from crossgate.model import Severity
from crossgate.paths import format_path
from crossgate.plan.make import plan
from crossgate.schema.definition import update_faults

SCHEMA = "spec.versions[0].schema.openAPIV3Schema"


def said(before: Any, after: Any) -> list[tuple[str, str]]:
    return [("refused" if fault.severity is Severity.ERROR else "breaks", format_path(fault.at)) for fault in update_faults(before, after)]


def changed(body: Any, *path: Any, to: Any) -> Any:
    body = deepcopy(body)
    holder = body
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = to
    return body


def versions(body: Any, **of: dict[str, Any]) -> Any:
    """Give a definition versions with the schema of its first."""
    (first,) = body["spec"]["versions"]
    return changed(body, "spec", "versions", to=[{**first, "name": name, **given} for name, given in of.items()])


@pytest.mark.parametrize(
    ("path", "to"),
    [(("group",), "example.com"), (("scope",), "Cluster"), (("names", "kind"), "Shop"), (("names", "plural"), "shops")],
)
def test_what_the_server_keeps_of_a_crd_may_not_move(crd, path, to):
    assert said(crd(), changed(crd(), "spec", *path, to=to)) == [("refused", format_path(("spec", *path)))]


def test_names_of_a_crd_that_may_move(crd):
    assert said(crd(), changed(crd(), "spec", "names", to={"kind": "Store", "plural": "stores", "shortNames": ["st"]})) == []


def test_names_of_an_xrd_may_not_move_at_all(xrd):
    """Its own schema compares them as a whole; claims that are added or taken away it does not see."""
    assert said(xrd(), changed(xrd(), "spec", "names", "shortNames", to=["xs"])) == [("refused", "spec.names")]
    assert said(xrd(), changed(xrd(), "spec", "claimNames", "kind", to="Shop")) == [("refused", "spec.claimNames")]
    assert said(xrd(), changed(xrd(), "spec", "claimNames", to=None)) == []


def test_the_scope_of_an_xrd_that_says_none_is_its_default(xrd):
    assert said(xrd(), changed(xrd(), "spec", "scope", to="LegacyCluster")) == []
    assert said(xrd(), changed(xrd(), "spec", "scope", to="Namespaced")) == [("refused", "spec.scope")]


def test_the_version_in_which_objects_are_stored_may_not_go(crd, xrd):
    """``status.storedVersions`` names it as soon as the CRD is there; that nothing may be stored in it any more is not known here."""
    assert said(crd(), versions(crd(), v2={})) == [("refused", "spec.versions")]
    assert said(xrd(), versions(xrd(), v2={})) == [("refused", "spec.versions")]
    kept = versions(crd(), v1={"served": False, "storage": False}, v2={})
    assert said(crd(), kept) == [("breaks", "spec.versions[0]")]
    assert said(crd(), versions(crd(), v1={"storage": False}, v2={})) == [("breaks", "spec.versions[0]")]
    assert said(crd(), versions(crd(), v1={}, v2={"storage": False})) == []


def test_a_version_that_is_served_no_longer_is_told(crd):
    two = versions(crd(), v1alpha1={"storage": False}, v1={})
    assert said(two, versions(crd(), v1={})) == [("breaks", "spec.versions")]
    assert said(two, versions(crd(), v1alpha1={"storage": False, "served": False}, v1={})) == [("breaks", "spec.versions[0]")]
    assert said(versions(crd(), v1alpha1={"storage": False, "served": False}, v1={}), versions(crd(), v1={})) == []


@pytest.mark.parametrize(
    ("was", "will", "at"),
    [
        ({"type": "string"}, {"type": "integer"}, ""),
        ({"type": "string"}, {"type": "string", "maxLength": 3}, ".maxLength"),
        ({"type": "integer", "maximum": 9}, {"type": "integer", "maximum": 8}, ".maximum"),
        ({"type": "integer", "minimum": 1}, {"type": "integer", "minimum": 2}, ".minimum"),
        ({"type": "string", "enum": ["a", "b"]}, {"type": "string", "enum": ["b", "c"]}, ".enum"),
        ({"type": "string"}, {"type": "string", "enum": ["a"]}, ".enum"),
        ({"type": "string", "pattern": "a"}, {"type": "string", "pattern": "b"}, ".pattern"),
        ({"type": "string", "nullable": True}, {"type": "string"}, ""),
        (
            {"type": "array", "items": {"type": "string"}},
            {"type": "array", "items": {"type": "string", "minLength": 1}},
            ".items.minLength",
        ),
        (
            {"type": "object", "properties": {"b": {"type": "string"}}},
            {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]},
            ".required",
        ),
        ({"type": "object", "properties": {"b": {"type": "string"}}}, {"type": "object", "properties": {}}, ".properties"),
        ({"type": "object", "x-kubernetes-preserve-unknown-fields": True}, {"type": "object"}, ""),
        (
            {"type": "object"},
            {"type": "object", "x-kubernetes-validations": [{"rule": "true"}]},
            ".x-kubernetes-validations[0]",
        ),
    ],
)
def test_a_schema_that_takes_less_is_told(xrd, was, will, at):
    assert said(xrd({"a": was}), xrd({"a": will})) == [("breaks", f"{SCHEMA}.properties.spec.properties.a{at}")]


@pytest.mark.parametrize(
    ("was", "will"),
    [
        ({"type": "string", "maxLength": 3}, {"type": "string"}),
        ({"type": "integer", "maximum": 8}, {"type": "integer", "maximum": 9}),
        ({"type": "string", "enum": ["a"]}, {"type": "string", "enum": ["b", "a"]}),
        ({"type": "string", "enum": ["a"]}, {"type": "string"}),
        ({"type": "string"}, {"type": "string", "minLength": 0, "nullable": True}),
        ({"type": "object", "properties": {}}, {"type": "object", "properties": {"b": {"type": "string", "maxLength": 1}}}),
        (
            {"type": "object", "properties": {"b": {"type": "string"}}},
            {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        ),
    ],
)
def test_a_schema_that_takes_more_breaks_nobody(xrd, was, will):
    assert said(xrd({"a": was}), xrd({"a": will})) == []


def test_what_is_required_with_a_default_breaks_nobody(xrd):
    fields = {"a": {"type": "string", "default": "x"}}
    assert said(xrd(fields), xrd(fields, required=["a"])) == []


def test_an_integer_that_becomes_a_number_takes_more(xrd):
    assert said(xrd({"a": {"type": "integer"}}), xrd({"a": {"type": "number"}})) == []
    assert said(xrd({"a": {"type": "number"}}), xrd({"a": {"type": "integer"}})) != []


def test_a_definition_out_of_form_is_left_to_its_own_schema(crd):
    for path, to in (
        (("spec",), []),
        (("spec", "versions"), [1]),
        (("spec", "versions", 0, "schema"), {"openAPIV3Schema": {"type": "object", "properties": 7}}),
    ):
        assert said(crd(), changed(crd(), *path, to=to)) == []
        assert said(changed(crd(), *path, to=to), crd()) == []


def test_a_check_against_a_base_and_a_plan_say_it(crd, tmp_path, root):
    """At the author's line, and wherever the definition stands now; without a base nothing is said."""
    (tmp_path / "dist").mkdir()
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies" / "a.rego").write_text('package a\n\nimport rego.v1\n\ndeny contains "m" if input.kind == "No"\n')
    (tmp_path / "dist" / "a.yaml").write_text(to_yaml([crd()]))
    for words in (["init", "-q"], ["add", "-A"], ["-c", "user.email=a@example.org", "-c", "user.name=a", "commit", "-q", "-m", "one"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    (tmp_path / "dist" / "a.yaml").unlink()
    (tmp_path / "dist" / "b.yaml").write_text(to_yaml([versions(changed(crd(), "spec", "scope", to="Cluster"), v1={"served": False})]))
    config = Config.find(tmp_path)
    found = {finding.rule: str(finding.place) for finding in check(config=config, base="HEAD").findings}
    assert found["schema/definition-update"] == "dist/b.yaml:7:3"
    assert found["schema/breaking-change"].startswith("dist/b.yaml:")
    assert not {finding.rule for finding in check(config=config).findings} & {"schema/definition-update", "schema/breaking-change"}
    (change,) = plan(config=config, base="HEAD").claims
    assert [mark.danger for mark in change.marks] == ["replaces", "breaks-objects"]
