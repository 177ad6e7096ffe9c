from __future__ import annotations

from typing import Any

import pytest

from crossgate.model import Document
from crossgate.render.apis import Apis, read_api


def xrd(version: str = "v1", name: str = "one", **spec: Any) -> Document:
    body = {
        "apiVersion": f"apiextensions.crossplane.io/{version}",
        "kind": "CompositeResourceDefinition",
        "metadata": {"name": name},
        "spec": {
            "group": "example.org",
            "names": {"kind": "XThing", "plural": "xthings"},
            "claimNames": {"kind": "Thing", "plural": "things"},
            "versions": [{"name": "v1", "served": True, "referenceable": True}],
            **spec,
        },
    }
    return Document(body, f"{name}.yaml")


@pytest.mark.parametrize(
    ("version", "spec", "legacy", "namespaced", "claim_kind"),
    [
        ("v1", {}, True, False, "Thing"),
        ("v1", {"scope": "Namespaced"}, False, True, ""),
        ("v1", {"scope": "Cluster"}, False, False, ""),
        ("v2", {}, False, True, ""),
        ("v2", {"scope": "Cluster"}, False, False, ""),
        ("v2", {"scope": "LegacyCluster"}, True, False, "Thing"),
    ],
)
def test_the_scope_says_where_crossplanes_fields_stand_and_whether_there_are_claims(
    version: str, spec: dict[str, Any], legacy: bool, namespaced: bool, claim_kind: str
) -> None:
    api = read_api(xrd(version, **spec))
    assert api is not None
    assert (api.legacy, api.namespaced, api.claim_kind) == (legacy, namespaced, claim_kind)
    assert api.machinery == (("spec",) if legacy else ("spec", "crossplane"))


def test_controllers_read_the_referenceable_version() -> None:
    versions = [
        {"name": "v1alpha1", "served": True, "referenceable": False},
        {"name": "v1", "served": True, "referenceable": True},
        {"name": "v0", "served": False, "referenceable": False},
    ]
    api = read_api(xrd(versions=versions))
    assert api is not None
    assert api.api_version == "example.org/v1"
    assert api.served == ("v1alpha1", "v1")


@pytest.mark.parametrize(
    "spec",
    [
        {"group": None},
        {"names": []},
        {"versions": None},
        {"versions": [3, {"name": "v1"}]},
        {"versions": [{"referenceable": True}]},
        {"names": {"kind": 3}},
    ],
)
def test_a_malformed_xrd_offers_nothing(spec: dict[str, Any]) -> None:
    assert read_api(xrd(**spec)) is None
    assert Apis.of([xrd(**spec)]) == Apis()


def test_kinds_are_known_by_group_and_kind_in_any_version() -> None:
    apis = Apis.of(
        [xrd(), Document({"kind": "CompositeResourceDefinition", "apiVersion": "other.io/v1"}, "x.yaml"), Document(None, "y.yaml")]
    )
    assert apis.claimed({"apiVersion": "example.org/v9", "kind": "Thing"}) is not None
    assert apis.composed({"apiVersion": "example.org/v1", "kind": "XThing"}) is not None
    assert apis.claimed({"apiVersion": "example.org/v1", "kind": "XThing"}) is None
    assert apis.claimed({"apiVersion": "example.com/v1", "kind": "Thing"}) is None
    assert apis.groups == {"example.org"}


def test_of_two_xrds_for_one_kind_the_first_counts() -> None:
    apis = Apis.of([xrd(name="mine"), xrd(name="platform")])
    api = apis.claimed({"apiVersion": "example.org/v1", "kind": "Thing"})
    assert api is not None
    assert api.document.file == "mine.yaml"
