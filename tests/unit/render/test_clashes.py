from __future__ import annotations

from typing import Any

import pytest

from crossgate.model import Document, Finding, Resource, Role
from crossgate.render.clashes import clashes, remote_clusters


def body(kind: str = "Bucket", name: str = "b", namespace: str = "", version: str = "s3.io/v1", **spec: Any) -> dict[str, Any]:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec}


def authored(made: dict[str, Any], role: Role = Role.DOCUMENT, file: str = "a.yaml") -> Resource:
    return Resource(made, role, Document(made, file, 1))


def claim(name: str) -> tuple[Resource, Resource]:
    top = authored(body("Thing", name, "team", "example.org/v1"), Role.CLAIM, f"{name}.yaml")
    return top, Resource(body("XThing", f"{name}-x", version="example.org/v1"), Role.XR, top.document, parent=top)


COMPOSITION = Document(body("Composition", "c"), "c.yaml")


def composed(xr: Resource, made: dict[str, Any], composition: Document = COMPOSITION, template: str = "t") -> Resource:
    return Resource(made, Role.COMPOSED, xr.document, parent=xr, composition=composition, step="s", template=template)


def wrapped(xr: Resource, manifest: dict[str, Any], object_name: str = "o", **spec: Any) -> tuple[Resource, Resource]:
    holder = composed(
        xr, body("Object", f"{object_name}-{xr.identity.name}", version="kubernetes.crossplane.io/v1alpha2", **spec), template=object_name
    )
    return holder, Resource(manifest, Role.WRAPPED, xr.document, parent=holder, inside=("spec", "forProvider", "manifest"))


def rules(*resources: Resource) -> list[str]:
    return [finding.rule for finding in clashes(resources, remote_clusters(resources))]


def only(*resources: Resource) -> Finding:
    (finding,) = clashes(resources, remote_clusters(resources))
    return finding


def test_two_documents_with_one_identity() -> None:
    finding = only(authored(body(), file="a.yaml"), authored(body(version="s3.io/v1beta1"), file="b.yaml"))
    assert finding.rule == "crossplane/duplicate-identity"
    assert finding.place.file == "b.yaml"
    assert "a.yaml:1" in finding.message


@pytest.mark.parametrize(
    "other", [body(name="c"), body(namespace="n"), body("Folder"), body(version="gcs.io/v1"), body(name=""), {"kind": "Bucket"}]
)
def test_another_name_namespace_kind_or_group_is_another_object(other: dict[str, Any]) -> None:
    assert rules(authored(body()), authored(other)) == []


def test_objects_without_a_name_do_not_clash() -> None:
    assert rules(authored(body(name="")), authored(body(name=""))) == []


def test_two_claims_whose_composed_resources_share_a_name() -> None:
    one, xr_one = claim("one")
    two, xr_two = claim("two")
    finding = only(one, xr_one, composed(xr_one, body()), two, xr_two, composed(xr_two, body(), template="u"))
    assert finding.rule == "crossplane/name-collision"
    assert "Thing team/one, template t (one.yaml:1)" in finding.message
    assert finding.origin[0] == "Thing team/two"


def test_one_composition_that_makes_one_name_twice() -> None:
    one, xr_one = claim("one")
    assert rules(one, xr_one, composed(xr_one, body()), composed(xr_one, body(), template="u")) == ["crossplane/name-collision"]


def test_a_composed_resource_and_a_document() -> None:
    one, xr_one = claim("one")
    assert rules(authored(body()), one, xr_one, composed(xr_one, body())) == ["crossplane/name-collision"]


def test_what_alternative_compositions_make_never_meets() -> None:
    one, xr_one = claim("one")
    other = Document(body("Composition", "d"), "d.yaml")
    first, second = composed(xr_one, body()), composed(xr_one, body(), other)
    assert rules(one, xr_one, first, second) == []
    assert rules(one, xr_one, *wrapped(xr_one, body("Pod"))[:1], second) == []


def test_alternatives_higher_up_never_meet_either() -> None:
    one, xr_one = claim("one")
    other = Document(body("Composition", "d"), "d.yaml")
    nested, twin = composed(xr_one, body("XInner", "i")), composed(xr_one, body("XInner", "j"), other)
    inner = Resource(nested.body, Role.XR, xr_one.document, parent=nested)
    inner_twin = Resource(twin.body, Role.XR, xr_one.document, parent=twin)
    assert rules(one, xr_one, nested, inner, composed(inner, body()), twin, inner_twin, composed(inner_twin, body())) == []


def test_an_object_that_writes_what_a_document_holds() -> None:
    one, xr_one = claim("one")
    space = body("Namespace", "monitoring", version="v1")
    finding = only(one, xr_one, *wrapped(xr_one, space), authored(space, file="namespaces.yaml"))
    assert finding.rule == "crossplane/ownership"
    assert finding.resource.kind == "Namespace"
    assert "namespaces.yaml:1" in finding.message
    assert finding.origin[0] == "Thing team/one", "the Object is at fault, whichever of the two comes first"


def test_two_objects_that_write_the_same() -> None:
    one, xr_one = claim("one")
    two, xr_two = claim("two")
    space = body("Namespace", "monitoring", version="v1")
    assert rules(one, xr_one, *wrapped(xr_one, space), two, xr_two, *wrapped(xr_two, space)) == ["crossplane/ownership"]


def test_an_object_that_observes_is_no_clash() -> None:
    one, xr_one = claim("one")
    space = body("Namespace", "monitoring", version="v1")
    assert rules(one, xr_one, *wrapped(xr_one, space, managementPolicies=["Observe"]), authored(space)) == []


@pytest.mark.parametrize(("source", "clash"), [("InjectedIdentity", True), ("Secret", False)])
def test_an_object_on_another_cluster_is_no_clash(source: str, clash: bool) -> None:
    one, xr_one = claim("one")
    space = body("Namespace", "monitoring", version="v1")
    config = authored(body("ProviderConfig", "remote", version="kubernetes.crossplane.io/v1alpha1", credentials={"source": source}))
    holder, inner = wrapped(xr_one, space, providerConfigRef={"name": "remote"})
    assert bool(rules(one, xr_one, holder, inner, authored(space), config)) is clash


def test_the_xr_of_a_claim_does_not_clash_with_its_claim_or_itself() -> None:
    one, xr_one = claim("one")
    nested = composed(xr_one, body("XInner", "i"))
    assert rules(one, xr_one, nested, Resource(nested.body, Role.XR, one.document, parent=nested)) == []


def test_each_clash_is_said_once() -> None:
    found = rules(*(authored(body(), file=f"{number}.yaml") for number in range(4)))
    assert found == ["crossplane/duplicate-identity"] * 3
