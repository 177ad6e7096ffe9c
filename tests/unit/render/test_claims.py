from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from crossgate.model import Document, Flow
from crossgate.render.apis import Api, read_api
from crossgate.render.claims import Composite, composite_for, generated_name
from crossgate.schema import Schemas

SPEC = {
    "type": "object",
    "properties": {
        "size": {"type": "string"},
        "region": {"type": "string", "default": "us"},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "named": {"type": "object", "properties": {"known": {"type": "string"}}},
    },
}


def xrd(spec_schema: dict[str, Any] | None = None, **spec: Any) -> Document:
    def version(name: str, referenceable: bool, **extra: Any) -> dict[str, Any]:
        schema = deepcopy(spec_schema or SPEC)
        schema["properties"] |= extra
        return {
            "name": name,
            "served": True,
            "referenceable": referenceable,
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": schema}}},
        }

    body = {
        "apiVersion": "apiextensions.crossplane.io/v1",
        "kind": "CompositeResourceDefinition",
        "metadata": {"name": "xthings.example.org"},
        "spec": {
            "group": "example.org",
            "names": {"kind": "XThing", "plural": "xthings"},
            "claimNames": {"kind": "Thing", "plural": "things"},
            "versions": [version("v1alpha1", False, old={"type": "string", "default": "o"}), version("v1", True)],
            **spec,
        },
    }
    return Document(body, "xrd.yaml")


def claim(spec: dict[str, Any] | None = None, version: str = "v1", **metadata: Any) -> dict[str, Any]:
    return {
        "apiVersion": f"example.org/{version}",
        "kind": "Thing",
        "metadata": {"name": "fraud", "namespace": "team", **metadata},
        "spec": spec or {"size": "L"},
    }


def made(body: dict[str, Any], document: Document | None = None) -> Composite:
    document = document or xrd()
    api = read_api(document)
    assert isinstance(api, Api)
    return composite_for(body, api, Schemas.load(()).including([document]))


def test_the_claim_itself_is_left_alone() -> None:
    body = claim({"size": "L", "unknown": 1, "named": {"other": 2}})
    before = deepcopy(body)
    made(body)
    assert body == before


@pytest.mark.parametrize("field", ["labels", "annotations"])
@pytest.mark.parametrize(
    ("key", "carried"),
    [
        ("team", True),
        ("example.org/team", True),
        ("crossplane.io/external-name", True),
        ("argocd.argoproj.io/instance", True),
        ("kubectl.kubernetes.io/last-applied-configuration", False),
        ("app.kubernetes.io/name", False),
        ("node.k8s.io/x", False),
        ("k8s.io/x", False),
        ("mykubernetes.io/x", False),
        ("x.kubernetes.io", False),
        ("example.org/kubernetes.io", True),
    ],
)
def test_kubernetes_own_labels_and_annotations_stay_behind(field: str, key: str, carried: bool) -> None:
    assert (key in made(claim(**{field: {key: "v"}})).body["metadata"].get(field, {})) is carried


def test_the_labels_that_name_the_claim_cannot_be_forged() -> None:
    labels = made(claim(labels={"crossplane.io/claim-name": "other", "crossplane.io/claim-namespace": "theirs"})).body["metadata"]["labels"]
    assert labels["crossplane.io/claim-name"] == "fraud"
    assert labels["crossplane.io/claim-namespace"] == "team"


def test_composed_resources_are_named_after_the_xr_unless_the_claim_says_otherwise() -> None:
    body = made(claim()).body
    assert body["metadata"]["labels"]["crossplane.io/composite"] == body["metadata"]["name"]
    own = made(claim(labels={"crossplane.io/composite": "mine"})).body
    assert own["metadata"]["labels"]["crossplane.io/composite"] == "mine", "the XR controller keeps a label that is there"


def test_fields_of_crossplane_itself() -> None:
    preserving = {**SPEC, "x-kubernetes-preserve-unknown-fields": True}
    spec = {
        "size": "L",
        "compositionRef": {"name": "a"},
        "compositionSelector": {"matchLabels": {"a": "b"}},
        "compositionRevisionSelector": {"matchLabels": {"c": "d"}},
        "compositionUpdatePolicy": "Automatic",
        "compositionRevisionRef": {"name": "a-1234567"},
        "compositeDeletePolicy": "Foreground",
        "writeConnectionSecretToRef": {"name": "s"},
        "resourceRef": {"apiVersion": "example.org/v1", "kind": "XThing", "name": "mine"},
        "claimRef": {"apiVersion": "v1", "kind": "Forged", "name": "x", "namespace": "y"},
        "resourceRefs": [{"apiVersion": "v1", "kind": "Secret", "name": "stolen"}],
    }
    assert made(claim(spec), xrd(preserving)).body["spec"] == {
        "size": "L",
        "region": "us",
        "compositionRef": {"name": "a"},
        "compositionSelector": {"matchLabels": {"a": "b"}},
        "compositionRevisionSelector": {"matchLabels": {"c": "d"}},
        "compositionUpdatePolicy": "Automatic",
        "claimRef": {"apiVersion": "example.org/v1", "kind": "Thing", "name": "fraud", "namespace": "team"},
    }


def test_an_enforced_composition_keeps_the_claims_wish_out() -> None:
    body = made(claim({"compositionRef": {"name": "a"}}), xrd(enforcedCompositionRef={"name": "b"})).body
    assert "compositionRef" not in body["spec"]


@pytest.mark.parametrize(
    ("spec", "xrd_spec", "kept"),
    [
        ({"compositionUpdatePolicy": "Manual"}, {}, True),
        ({}, {"defaultCompositionUpdatePolicy": "Manual"}, True),
        ({"compositionUpdatePolicy": "Automatic"}, {"defaultCompositionUpdatePolicy": "Manual"}, False),
        ({}, {}, False),
    ],
)
def test_a_pinned_revision_goes_over_under_policy_manual_only(spec: dict[str, Any], xrd_spec: dict[str, Any], kept: bool) -> None:
    body = made(claim({**spec, "compositionRevisionRef": {"name": "a-1234567"}}), xrd(**xrd_spec)).body
    assert ("compositionRevisionRef" in body["spec"]) is kept


def test_what_the_api_server_would_prune_never_reaches_a_patch() -> None:
    body = made(claim({"size": "L", "sise": "M", "named": {"known": "k", "other": {"a": 1}}, "free": {"any": [{"x": None}]}})).body
    assert body["spec"]["named"] == {"known": "k"}
    assert body["spec"]["free"] == {"any": [{"x": None}]}
    assert "sise" not in body["spec"]


def test_a_status_in_a_file_is_not_taken() -> None:
    assert "status" not in made({**claim(), "status": {"url": "x"}}).body


def test_a_claim_in_another_version_is_read_in_the_referenceable_one() -> None:
    body = made(claim({"size": "L", "old": "x"}, version="v1alpha1")).body
    assert body["apiVersion"] == "example.org/v1"
    assert body["spec"]["claimRef"]["apiVersion"] == "example.org/v1"
    assert "old" not in body["spec"], "v1 does not know the field"
    assert body["spec"]["region"] == "us"


def test_a_bound_xr_keeps_its_name() -> None:
    bound = {"apiVersion": "example.org/v1", "kind": "XThing", "name": "mine"}
    assert made(claim({"resourceRef": bound})).body["metadata"]["name"] == "mine"


def test_names_are_those_of_the_api_servers_generator() -> None:
    name = made(claim()).body["metadata"]["name"]
    assert name[:6] == "fraud-"
    assert len(name) == 11
    assert set(name[6:]) <= set("bcdfghjklmnpqrstvwxz2456789")
    long = made(claim(name="n" * 63)).body["metadata"]["name"]
    assert len(long) == 63
    assert long[:58] == "n" * 58, "the dash is cut off too"


def test_names_are_the_same_every_time_and_differ_between_claims() -> None:
    bodies = [claim(), claim(namespace="other"), claim(name="frau"), claim(version="v1alpha1"), claim({"size": "XL"})]
    names = [made(body).body["metadata"]["name"] for body in bodies]
    assert len(set(names[:3])) == 3
    assert names[0] == names[3] == names[4], "neither version nor spec renames anything"


def test_endings_spread_evenly() -> None:
    """Endings that cluster would make two claims of one name collide in tests and never on a cluster."""
    names = {generated_name("a-", str(number)) for number in range(20_000)}
    assert len(names) > 19_950


def test_flows_lead_from_every_copied_field_to_its_source() -> None:
    flows = made(claim({"size": "L"}, labels={"team": "a"}, annotations={"note": "b"})).flows
    for path in (("spec", "size"), ("metadata", "labels", "team"), ("metadata", "annotations", "note")):
        assert Flow(path, path) in flows
    assert Flow(("metadata", "name"), ("metadata", "labels", "crossplane.io/claim-name")) in flows
    assert Flow(("metadata", "namespace"), ("spec", "claimRef", "namespace")) in flows
    assert Flow(("spec", "region"), ("spec", "region")) in flows, "a default: the claim has it too once it is admitted"
