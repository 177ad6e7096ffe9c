"""Which APIs a team can claim, and by which words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from crossgate.errors import UsageError
from crossgate.load.write import to_yaml
from crossgate.selfservice import ClaimApi, find_api, find_apis


def definition(kind: str, claim: str = "", *, version: str = "v1", **spec: Any) -> dict[str, Any]:
    names = {"kind": kind, "plural": f"{kind.lower()}s"}
    claims = {"claimNames": {"kind": claim, "plural": f"{claim.lower()}s", "shortNames": ["sh"]}} if claim else {}
    schema = {"type": "object", "properties": {"spec": {"type": "object", "description": f"A {kind}."}}}
    versions = [
        {"name": "v1alpha1", "served": True},
        {"name": "v1", "served": True, "referenceable": True, "schema": {"openAPIV3Schema": schema}},
    ]
    return {
        "apiVersion": f"apiextensions.crossplane.io/{version}",
        "kind": "CompositeResourceDefinition",
        "metadata": {"name": f"{kind.lower()}s.example.org"},
        "spec": {"group": "example.org", "names": names, **claims, "versions": versions, **spec},
    }


def composition(name: str, kind: str, **labels: str) -> dict[str, Any]:
    spec = {"compositeTypeRef": {"apiVersion": "example.org/v1", "kind": kind}, "mode": "Pipeline", "pipeline": []}
    return {
        "apiVersion": "apiextensions.crossplane.io/v1",
        "kind": "Composition",
        "metadata": {"name": name, "labels": labels},
        "spec": spec,
    }


def apis(tmp_path: Path, *bodies: dict[str, Any]) -> tuple[ClaimApi, ...]:
    (tmp_path / "dist").mkdir()
    (tmp_path / "dist/all.yaml").write_text(to_yaml(bodies))
    return find_apis(tmp_path / "dist", root=tmp_path)


def test_an_api_is_found_by_every_word_that_people_use(tmp_path: Path) -> None:
    found = apis(tmp_path, definition("XCluster", "ClusterClaim"), definition("XOther", "Other"))
    for word in ("ClusterClaim", "clusterclaim", "Cluster", "XCluster", "clusterclaims"):
        assert find_api(found, word).kind == "ClusterClaim"


def test_a_word_for_two_apis_asks_for_the_whole_kind(tmp_path: Path) -> None:
    found = apis(tmp_path, definition("XCluster", "ClusterClaim"), definition("XOther", "Other"))
    with pytest.raises(UsageError, match="'sh' is the name of several APIs") as raised:
        find_api(found, "sh")
    assert raised.value.hint == "write the whole kind: ClusterClaim, Other"


def test_a_mistyped_word_is_answered_with_the_one_that_was_meant(tmp_path: Path) -> None:
    found = apis(tmp_path, definition("XCluster", "ClusterClaim"))
    with pytest.raises(UsageError, match="there is no API 'cluser'") as raised:
        find_api(found, "cluser")
    assert raised.value.hint == "did you mean ClusterClaim?"
    with pytest.raises(UsageError) as raised:
        find_api(found, "zzz")
    assert raised.value.hint == "APIs are: ClusterClaim"


def test_the_version_is_the_one_that_compositions_use(tmp_path: Path) -> None:
    [api] = apis(tmp_path, definition("XCluster", "ClusterClaim"))
    assert (api.api_version, api.description) == ("example.org/v1", "A XCluster.")


def test_what_nobody_claims_is_not_offered(tmp_path: Path) -> None:
    """A composite kind without claims is made by other Compositions; in Crossplane 2 a namespaced one is what teams write."""
    found = apis(
        tmp_path,
        definition("XInner"),
        definition("XCluster", version="v2", scope="Cluster"),
        definition("Modern", version="v2", scope="Namespaced"),
        definition("Newest", version="v2"),
    )
    assert [api.kind for api in found] == ["Modern", "Newest"]


def test_the_labels_of_its_compositions_are_the_choices(tmp_path: Path) -> None:
    [api, _] = apis(
        tmp_path,
        definition("XCluster", "ClusterClaim", defaultCompositionRef={"name": "b"}),
        definition("XOther", "Other"),
        composition("a", "XCluster", provider="gcp", tier="standard"),
        composition("b", "XCluster", provider="aws"),
        composition("c", "XOther", provider="azure"),
    )
    assert api.labels == {"provider": ("aws", "gcp"), "tier": ("standard",)}
    assert api.usual == {"provider": "aws"}


def test_without_a_dist_the_way_out_is_synth(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no API that can be claimed") as raised:
        find_apis(tmp_path / "dist", root=tmp_path)
    assert raised.value.hint == "call crossgate synth first"
