"""What Crossplane's conversion (crossplane-runtime ``pkg/xcrd``) makes of an XRD. Each fact is one of that source."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from crossgate.errors import SchemaError
from crossgate.schema.kinds import KindSchema
from crossgate.schema.xrd import kinds_of_xrd

SPEC = {"type": "object", "required": ["size"], "properties": {"size": {"type": "integer"}}}
XRD: dict[str, Any] = {
    "apiVersion": "apiextensions.crossplane.io/v1",
    "kind": "CompositeResourceDefinition",
    "metadata": {"name": "xpools.example.org"},
    "spec": {
        "group": "example.org",
        "names": {"kind": "XPool", "plural": "xpools"},
        "claimNames": {"kind": "Pool", "plural": "pools"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "referenceable": True,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": SPEC}}},
            }
        ],
    },
}


def _kinds(change: dict[str, Any] | None = None, *, api_version: str = "v1", schema: dict[str, Any] | None = None) -> dict[str, KindSchema]:
    xrd = copy.deepcopy(XRD)
    xrd["apiVersion"] = f"apiextensions.crossplane.io/{api_version}"
    xrd["spec"].update(change or {})
    if schema is not None:
        xrd["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = schema
    return {kind.kind: kind for kind in kinds_of_xrd(xrd)}


def _spec(kind: KindSchema) -> dict[str, Any]:
    found: dict[str, Any] = kind.schema["properties"]["spec"]
    return found


def test_a_v1_xrd_makes_a_cluster_scoped_xr_and_a_namespaced_claim() -> None:
    kinds = _kinds()
    assert {name: (kind.scope, kind.made_by, kind.status) for name, kind in kinds.items()} == {
        "XPool": ("Cluster", "xrd", True),
        "Pool": ("Namespaced", "claim", True),
    }


def test_machinery_fields_stand_beside_the_authors() -> None:
    kinds = _kinds()
    common = {
        "size",
        "compositionRef",
        "compositionSelector",
        "compositionRevisionRef",
        "compositionRevisionSelector",
        "compositionUpdatePolicy",
    }
    assert set(_spec(kinds["XPool"])["properties"]) == common | {"resourceRefs", "claimRef", "writeConnectionSecretToRef"}
    assert set(_spec(kinds["Pool"])["properties"]) == common | {"resourceRef", "compositeDeletePolicy", "writeConnectionSecretToRef"}


def test_a_claims_secret_has_no_namespace_and_an_xrs_needs_one() -> None:
    kinds = _kinds()
    assert _spec(kinds["Pool"])["properties"]["writeConnectionSecretToRef"]["required"] == ["name"]
    assert _spec(kinds["XPool"])["properties"]["writeConnectionSecretToRef"]["required"] == ["name", "namespace"]


@pytest.mark.parametrize(
    ("scope", "api_version", "where"), [(None, "v2", "Namespaced"), ("Cluster", "v2", "Cluster"), ("Namespaced", "v1", "Namespaced")]
)
def test_a_modern_xr_keeps_its_machinery_under_spec_crossplane(scope: str | None, api_version: str, where: str) -> None:
    kinds = _kinds({"claimNames": None, **({"scope": scope} if scope else {})}, api_version=api_version)
    xr = kinds["XPool"]
    assert xr.scope == where
    assert set(_spec(xr)["properties"]) == {"size", "crossplane"}
    references = _spec(xr)["properties"]["crossplane"]["properties"]["resourceRefs"]["items"]["properties"]
    assert ("namespace" in references) == (where == "Cluster"), "a namespaced XR cannot refer to another namespace"
    assert set(xr.schema["properties"]["status"]["properties"]) == {"conditions"}


def test_the_defaults_of_the_policies_are_those_of_the_xrds_own_crd() -> None:
    kinds = _kinds()
    assert _spec(kinds["XPool"])["properties"]["compositionUpdatePolicy"]["default"] == "Automatic"
    assert _spec(kinds["Pool"])["properties"]["compositeDeletePolicy"]["default"] == "Background"
    assert "default" not in _spec(kinds["Pool"])["properties"]["compositionUpdatePolicy"]
    kinds = _kinds({"defaultCompositionUpdatePolicy": "Manual", "defaultCompositeDeletePolicy": "Foreground"})
    assert _spec(kinds["XPool"])["properties"]["compositionUpdatePolicy"]["default"] == "Manual"
    assert _spec(kinds["Pool"])["properties"]["compositeDeletePolicy"]["default"] == "Foreground"


def test_the_name_may_be_63_long_or_less_when_the_author_says_so() -> None:
    name = {"type": "object", "properties": {"name": {"maxLength": 20, "pattern": "^p"}}}
    for longest, schema in ((63, None), (20, {"type": "object", "properties": {"spec": SPEC, "metadata": name}})):
        made = _kinds(schema=schema)["Pool"].schema["properties"]["metadata"]["properties"]["name"]
        assert made == {"type": "string", "maxLength": longest}, "a pattern on the name is not taken over"


def test_rules_at_the_root_and_of_spec_and_status_are_kept_and_other_keywords_are_lost() -> None:
    rule = [{"rule": "true"}]
    spec = {
        **SPEC,
        "x-kubernetes-validations": rule,
        "oneOf": [{"required": ["size"]}],
        "anyOf": [{"required": ["size"]}],
        "maxProperties": 1,
    }
    schema = {
        "type": "object",
        "x-kubernetes-validations": rule,
        "properties": {"spec": spec, "status": {"x-kubernetes-validations": rule}, "other": {}},
    }
    made = _kinds(schema=schema)["XPool"].schema
    assert made["x-kubernetes-validations"] == rule
    assert set(made["properties"]) == {"apiVersion", "kind", "metadata", "spec", "status"}
    assert set(made["properties"]["spec"]) == {"type", "properties", "required", "x-kubernetes-validations", "oneOf"}
    assert made["properties"]["status"]["x-kubernetes-validations"] == rule


def test_a_machinery_field_wins_over_the_authors_field_of_that_name() -> None:
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"compositionRef": {"type": "string"}}}}}
    assert _spec(_kinds(schema=schema)["XPool"])["properties"]["compositionRef"]["type"] == "object"


@pytest.mark.parametrize("key", ["kind", "plural"])
def test_claim_and_xr_cannot_share_a_name(key: str) -> None:
    with pytest.raises(SchemaError, match="is the composite's too"):
        _kinds({"claimNames": {"kind": "Pool", "plural": "pools", key: XRD["spec"]["names"][key]}})


def test_a_version_without_schema_cannot_be_used() -> None:
    with pytest.raises(SchemaError, match="has no schema"):
        _kinds({"versions": [{"name": "v1", "served": True}]})
    with pytest.raises(SchemaError, match="cannot be used"):
        _kinds({"versions": None})


def test_a_deprecated_version_warns_in_its_own_words_or_the_servers() -> None:
    version = XRD["spec"]["versions"][0]
    assert _kinds({"versions": [{**version, "deprecated": True}]})["Pool"].deprecation == "example.org/v1 Pool is deprecated"
    own = _kinds({"versions": [{**version, "deprecated": True, "deprecationWarning": "use v2"}]})
    assert own["Pool"].deprecation == "use v2"
