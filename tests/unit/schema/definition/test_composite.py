"""XRDs: the main file of who writes an API, judged with every fault at its line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crossgate.check import check
from crossgate.config import Config
from crossgate.model import Severity
from crossgate.paths import format_path
from crossgate.schema.definition import definition_faults

SPEC = "spec.versions[0].schema.openAPIV3Schema.properties.spec"


def said(body: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(fault.severity, fault.family.value[0], format_path(fault.at)) for fault in definition_faults(body)]


def test_a_sound_definition_has_nothing_against_it(xrd: Any) -> None:
    assert said(xrd({"size": {"type": "string", "default": "s", "enum": ["s", "l"]}})) == []


@pytest.mark.parametrize(
    ("field", "rule", "below"),
    [
        ({}, "schema/structure", ".type"),
        ({"type": "array"}, "schema/structure", ".items"),
        ({"type": "strin"}, "schema/structure", ".type"),
        ({"type": "null"}, "schema/structure", ".type"),
        ({"type": "string", "enum": ["a"], "default": "b"}, "schema/default", ".default"),
        ({"type": "integer", "minimum": 3, "default": 2}, "schema/default", ".default"),
        ({"type": "string", "default": 2}, "schema/default", ".default"),
        ({"type": "object", "properties": {"a": {"type": "string"}}, "default": {"b": "x"}}, "schema/default", ".default.b"),
        ({"type": "string", "maxLength": "5"}, "schema/structure", ".maxLength"),
        ({"type": "string", "pattern": "("}, "schema/structure", ".pattern"),
        ({"type": "string", "$ref": "#/definitions/a"}, "schema/structure", ".$ref"),
        ({"type": "array", "items": {"type": "string"}, "uniqueItems": True}, "schema/structure", ".uniqueItems"),
        ({"type": "array", "items": [{"type": "string"}]}, "schema/structure", ".items"),
        ({"type": "array", "items": {}}, "schema/structure", ".items.type"),
        (
            {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "string"}},
            "schema/structure",
            ".additionalProperties",
        ),
        ({"type": "object", "definitions": {"a": {"type": "string"}}}, "schema/structure", ".definitions"),
        ({"type": "object", "x-kubernetes-preserve-unknown-fields": False}, "schema/structure", ".x-kubernetes-preserve-unknown-fields"),
        ({"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "list"}, "schema/structure", ".x-kubernetes-list-type"),
        ({"type": "string", "x-kubernetes-list-type": "set"}, "schema/structure", ".x-kubernetes-list-type"),
        (
            {"type": "array", "items": {"type": "object"}, "x-kubernetes-list-type": "set"},
            "schema/structure",
            ".items.x-kubernetes-map-type",
        ),
        (
            {
                "type": "array",
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["name"],
                "items": {"type": "object", "properties": {"name": {"type": "string"}}},
            },
            "schema/structure",
            ".items.properties.name",
        ),
        ({"type": "string", "anyOf": [{"type": "string"}]}, "schema/structure", ".anyOf[0].type"),
        ({"type": "string", "nullable": True, "oneOf": [{"nullable": True}]}, "schema/structure", ".oneOf[0].nullable"),
        ({"type": "object", "x-kubernetes-embedded-resource": True}, "schema/structure", ".properties"),
        ({"type": "string", "x-kubernetes-validations": [{"message": "m"}]}, "schema/rule", ".x-kubernetes-validations[0].rule"),
        (
            {"type": "string", "x-kubernetes-validations": [{"rule": "true", "message": "a\nb"}]},
            "schema/rule",
            ".x-kubernetes-validations[0].message",
        ),
        (
            {"type": "object", "x-kubernetes-validations": [{"rule": "true", "fieldPath": ".gone"}]},
            "schema/rule",
            ".x-kubernetes-validations[0].fieldPath",
        ),
    ],
)
def test_a_field_that_the_api_server_refuses(xrd: Any, field: dict[str, Any], rule: str, below: str) -> None:
    """Each of these leaves the XRD without CRDs, and every claim of it without an API."""
    assert (Severity.ERROR, rule, f"{SPEC}.properties.size{below}") in said(xrd({"size": field}))


def test_a_typo_in_a_keyword_is_named_beside_what_comes_of_it(xrd: Any) -> None:
    """Crossplane drops ``typ`` without a word; what the API server then says is that the type is missing."""
    assert said(xrd({"size": {"typ": "string"}})) == [
        (Severity.WARNING, "schema/unknown-field", f"{SPEC}.properties.size.typ"),
        (Severity.ERROR, "schema/structure", f"{SPEC}.properties.size.type"),
    ]


def test_a_fault_is_told_once_though_it_stands_in_two_crds(xrd: Any) -> None:
    """The composite's CRD and the claim's are made of the same schema."""
    assert len(said(xrd({"size": {"type": "array"}}))) == 1


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"metadata": {"name": "stores.example.org"}}, "metadata.name"),
        ({"spec.group": "nodot"}, "spec.group"),
        ({"spec.claimNames": {"kind": "XStore", "plural": "stores"}}, "spec.claimNames.kind"),
        ({"spec.claimNames": {"kind": "Store", "plural": "xstores"}}, "spec.claimNames.plural"),
        ({"spec.names": {"kind": "XStore", "plural": "XStores"}}, "spec.names.plural"),
        ({"spec.names": {"kind": "XStore", "plural": "xstores", "listKind": "XStore"}}, "spec.names.listKind"),
        ({"spec.names": {"kind": "XStore", "plural": "xstores", "shortNames": ["X"]}}, "spec.names.shortNames[0]"),
    ],
)
def test_names_that_the_api_server_refuses(xrd: Any, change: dict[str, Any], path: str) -> None:
    body = xrd()
    for key, value in change.items():
        (body if key == "metadata" else body["spec"])[key.removeprefix("spec.")] = value
    assert (Severity.ERROR, "schema/definition", path) in said(body)


def test_exactly_one_version_is_referenceable(xrd: Any) -> None:
    body = xrd()
    first = body["spec"]["versions"][0]
    body["spec"]["versions"].append({**first, "name": "v2"})
    assert said(body) == [(Severity.ERROR, "schema/definition", "spec.versions[1].referenceable")]
    first["referenceable"] = body["spec"]["versions"][1]["referenceable"] = False
    assert said(body) == [(Severity.ERROR, "schema/definition", "spec.versions")]


def test_a_version_is_there_once(xrd: Any) -> None:
    body = xrd()
    body["spec"]["versions"].append({**body["spec"]["versions"][0], "referenceable": False})
    assert said(body) == [(Severity.ERROR, "schema/definition", "spec.versions[1].name")]


def test_a_version_without_a_schema_is_a_finding(xrd: Any) -> None:
    """It was "could not check" before, though nothing was in doubt."""
    body = xrd()
    del body["spec"]["versions"][0]["schema"]
    assert said(body) == [(Severity.ERROR, "schema/definition", "spec.versions[0].schema")]


def test_a_column_that_stays_empty_is_a_warning(xrd: Any) -> None:
    body = xrd({"size": {"type": "string"}})
    columns = [
        {"name": "SIZE", "type": "string", "jsonPath": ".spec.size"},
        {"name": "AGE", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
        {"name": "READY", "type": "string", "jsonPath": ".status.conditions[?(@.type=='Ready')].status"},
        {"name": "REF", "type": "string", "jsonPath": ".spec.compositionRef.name"},
        {"name": "SISE", "type": "string", "jsonPath": ".spec.sise"},
    ]
    body["spec"]["versions"][0]["additionalPrinterColumns"] = columns
    at = "spec.versions[0].additionalPrinterColumns"
    assert said(body) == [(Severity.WARNING, "schema/lost-keyword", f"{at}[4].jsonPath")]
    columns[0]["jsonPath"] = "spec.size"
    columns[1]["type"] = "time"
    assert said(body)[:2] == [
        (Severity.ERROR, "schema/definition", f"{at}[0].jsonPath"),
        (Severity.ERROR, "schema/definition", f"{at}[1].type"),
    ]


def test_what_crossplane_drops_or_replaces_is_a_warning(xrd: Any) -> None:
    body = xrd({"resourceRef": {"type": "string"}}, additionalProperties={"type": "string"}, required=["size"])
    assert said(body) == [
        (Severity.WARNING, "schema/lost-keyword", f"{SPEC}.additionalProperties"),
        (Severity.WARNING, "schema/reserved-field", f"{SPEC}.properties.resourceRef"),
        (Severity.WARNING, "schema/lost-keyword", f"{SPEC}.required[0]"),
    ]


def test_the_gate_reports_a_broken_definition_and_nothing_as_unchecked(tmp_path: Path, root: Path) -> None:
    """The finding stands at the author's line; that no schema could be made of the XRD is not said a second time."""
    text = """\
apiVersion: apiextensions.crossplane.io/v2
kind: CompositeResourceDefinition
metadata: {name: stores.example.org}
spec:
  group: example.org
  names: {kind: Store, plural: stores}
  versions:
    - name: v1
      served: true
      referenceable: true
"""
    (tmp_path / "xrd.yaml").write_text(text, encoding="utf-8")
    report = check([tmp_path], config=replace(Config.find(root), root=tmp_path, dist=tmp_path))
    assert not [item for item in report.could_not_check if "xrd.yaml" in item.where]
    found = [finding for finding in report.findings if finding.rule == "schema/definition"]
    assert [(finding.place.line, finding.path) for finding in found] == [(8, "spec.versions[0].schema")]


def test_two_definitions_of_one_kind(tmp_path: Path, root: Path) -> None:
    """Argo CD would sync both, and the second would never be served."""
    one = """\
apiVersion: apiextensions.crossplane.io/v2
kind: CompositeResourceDefinition
metadata: {name: %s.example.org}
spec:
  group: example.org
  names: {kind: Store, plural: %s}
  versions:
    - {name: v1, served: true, referenceable: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object}}}}}
"""
    (tmp_path / "a.yaml").write_text(one % ("stores", "stores"), encoding="utf-8")
    (tmp_path / "b.yaml").write_text(one % ("shops", "shops"), encoding="utf-8")
    report = check([tmp_path], config=replace(Config.find(root), root=tmp_path, dist=tmp_path))
    found = [finding for finding in report.findings if finding.rule == "schema/definition"]
    assert [(Path(finding.place.file).name, finding.path) for finding in found] == [("b.yaml", "spec.names.kind")]
    assert "defined by stores.example.org" in found[0].message
