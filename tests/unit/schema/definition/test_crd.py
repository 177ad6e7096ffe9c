"""CRDs: what the API server says of them before it serves anything."""

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

ROOT = "spec.versions[0].schema.openAPIV3Schema"


def refused(body: dict[str, Any]) -> list[str]:
    return [format_path(fault.at) for fault in definition_faults(body) if fault.severity is Severity.ERROR]


def test_a_sound_crd_has_nothing_against_it(crd: Any) -> None:
    assert definition_faults(crd()) == []


def test_a_number_or_a_string_may_be_said_in_two_ways_only(crd: Any) -> None:
    """The API server knows two patterns by heart; there ``anyOf`` may name types."""
    either = [{"type": "integer"}, {"type": "string"}]
    field = {"x-kubernetes-int-or-string": True}
    for good in ({"anyOf": either}, {"allOf": [{"anyOf": either}, {"pattern": "a"}]}):
        assert refused(crd({"type": "object", "properties": {"port": {**field, **good}}})) == []
    bad = {**field, "anyOf": [*reversed(either)]}
    assert len(refused(crd({"type": "object", "properties": {"port": bad}}))) == 2


def test_strict_decoding_refuses_a_typo_but_not_below_items(crd: Any) -> None:
    """Go's decoder of ``items`` drops what it does not know: then it is a warning, and here the missing type is the error."""
    below = f"{ROOT}.properties.spec.properties.size"
    assert refused(crd({"type": "object", "properties": {"size": {"type": "string", "typ": "string"}}})) == [f"{below}.typ"]
    listed = crd({"type": "object", "properties": {"size": {"type": "array", "items": {"typ": "string"}}}})
    assert refused(listed) == [f"{below}.items.type"]


def test_only_some_keywords_stand_at_the_root_beside_a_status_subresource(crd: Any) -> None:
    body = crd(subresources={"status": {}})
    schema = body["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    schema["anyOf"] = [{"required": ["spec"]}]
    assert refused(body) == [f"{ROOT}.anyOf"]
    del body["spec"]["versions"][0]["subresources"]
    assert refused(body) == []


def test_metadata_at_the_root_is_restricted_by_name_only(crd: Any) -> None:
    body = crd()
    properties = body["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]
    properties["metadata"] = {"type": "object", "properties": {"name": {"type": "string", "maxLength": 20}}}
    assert refused(body) == []
    properties["metadata"]["properties"]["labels"] = {"type": "object"}
    assert refused(body) == [f"{ROOT}.properties.metadata"]


def test_logic_speaks_of_fields_that_are_described(crd: Any) -> None:
    body = crd()
    schema = body["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    schema["oneOf"] = [{"properties": {"spec": {"properties": {"gone": {"minLength": 1}}}}}]
    assert refused(body) == [f"{ROOT}.oneOf[0].properties.spec.properties.gone"]


@pytest.mark.parametrize(
    ("version", "path"),
    [
        ({"deprecationWarning": "old"}, "deprecationWarning"),
        ({"deprecated": True, "deprecationWarning": "two\nlines"}, "deprecationWarning"),
        (
            {"subresources": {"scale": {"specReplicasPath": "spec.n", "statusReplicasPath": ".status.n"}}},
            "subresources.scale.specReplicasPath",
        ),
        (
            {"subresources": {"scale": {"specReplicasPath": ".spec.n", "statusReplicasPath": ".spec.n"}}},
            "subresources.scale.statusReplicasPath",
        ),
        ({"selectableFields": [{"jsonPath": ".spec.gone"}]}, "selectableFields[0].jsonPath"),
        ({"selectableFields": [{"jsonPath": ".spec"}]}, "selectableFields[0].jsonPath"),
        (
            {"additionalPrinterColumns": [{"name": "A", "type": "string", "format": "x", "jsonPath": ".spec"}]},
            "additionalPrinterColumns[0].format",
        ),
    ],
)
def test_what_stands_around_a_schema(crd: Any, version: dict[str, Any], path: str) -> None:
    assert refused(crd(**version)) == [f"spec.versions[0].{path}"]


@pytest.mark.parametrize(
    ("conversion", "paths"),
    [
        ({"strategy": "None"}, []),
        ({"strategy": "webhook"}, ["spec.conversion.strategy"]),
        ({"strategy": "Webhook"}, ["spec.conversion.webhook.clientConfig", "spec.conversion.webhook.conversionReviewVersions"]),
        (
            {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": {"url": "http://convert"}}},
            ["spec.conversion.webhook.clientConfig.url"],
        ),
        (
            {
                "strategy": "Webhook",
                "webhook": {"conversionReviewVersions": ["v2"], "clientConfig": {"service": {"name": "a", "namespace": "b"}}},
            },
            ["spec.conversion.webhook.conversionReviewVersions"],
        ),
        ({"strategy": "None", "webhook": {"conversionReviewVersions": ["v1"]}}, ["spec.conversion.webhook"]),
    ],
)
def test_conversion(crd: Any, conversion: dict[str, Any], paths: list[str]) -> None:
    body = crd()
    body["spec"]["conversion"] = conversion
    assert refused(body) == paths


def test_groups_of_kubernetes_need_its_approval(crd: Any) -> None:
    body = crd()
    body["spec"]["group"] = "stores.k8s.io"
    body["metadata"]["name"] = "stores.stores.k8s.io"
    assert refused(body) == ["metadata.annotations[api-approved.kubernetes.io]"]
    body["metadata"]["annotations"] = {"api-approved.kubernetes.io": "unapproved, for a test"}
    assert refused(body) == []


def test_a_part_of_the_wrong_type_is_left_to_the_kinds_own_schema(tmp_path: Path, root: Path) -> None:
    """What cannot be walked is named once, and is no fault of crossgate's own."""
    text = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: stores.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {kind: Store, plural: stores, shortNames: 5}
  versions: [{name: v1, served: true, storage: true, additionalPrinterColumns: [a], schema: {openAPIV3Schema: {type: object}}}]
"""
    (tmp_path / "crd.yaml").write_text(text, encoding="utf-8")
    report = check([tmp_path], config=replace(Config.find(root), root=tmp_path, dist=tmp_path))
    assert {finding.path for finding in report.findings} >= {"spec.names.shortNames", "spec.versions[0].additionalPrinterColumns[0]"}
    assert not [item for item in report.could_not_check if "fault of crossgate" in item.what]
