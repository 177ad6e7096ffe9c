"""A finding about a composed field must point at the line that its author can change."""

from __future__ import annotations

from typing import Any

from crossgate.model import Document, Flow, Place, Resource, Role, Severity
from crossgate.paths import Path, format_path
from crossgate.trace import causes_of, finding, stable_identity


def document(file: str, body: dict[str, Any]) -> Document:
    """A document whose every path has a line of its own, so that a test sees which path was looked up."""
    return Document(body, file, 1, lambda path: Place(f"{file}#{format_path(path)}", 1))


XRD = document(
    "xrd",
    {
        "spec": {
            "versions": [
                {"name": "v0", "schema": {"openAPIV3Schema": {}}},
                {"name": "v1", "schema": {"openAPIV3Schema": {"properties": {"spec": {"properties": {"cidr": {"default": "0.0.0.0/0"}}}}}}},
            ]
        }
    },
)
COMPOSITION = document("composition", {})


def chain(spec: dict[str, Any], *flows: Flow) -> Resource:
    body = {"apiVersion": "example.org/v1", "kind": "Net", "metadata": {"namespace": "a", "name": "n"}, "spec": spec}
    written = document("claim", body)
    claim = Resource(body, Role.CLAIM, written, definition=XRD)
    xr_body = {**body, "kind": "XNet", "metadata": {"name": "n-x"}}
    xr = Resource(xr_body, Role.XR, written, parent=claim, flows=(Flow(("spec",), ("spec",)),), definition=XRD)
    composed_body = {"apiVersion": "p.io/v1", "kind": "Firewall", "metadata": {"name": "n-x-123"}, "spec": {"ranges": ["0.0.0.0/0"]}}
    base: Path = ("spec", "pipeline", 0, "input", "resources", 0, "base")
    return Resource(
        composed_body, Role.COMPOSED, written, parent=xr, composition=COMPOSITION, step="s", template="fw", base=base, flows=flows
    )


PATCH: Path = ("spec", "pipeline", 0, "input", "resources", 0, "patches", 1)


def test_a_patched_field_leads_to_the_claim_that_fed_it_and_names_the_patch() -> None:
    resource = chain({"cidr": "0.0.0.0/0"}, Flow(("spec", "cidr"), ("spec", "ranges", 0), PATCH))
    causes = causes_of(resource, ("spec", "ranges", 0))
    assert [(cause.role, cause.place.file) for cause in causes] == [
        ("claim", "claim#spec.cidr"),
        ("patch", "composition#spec.pipeline[0].input.resources[0].patches[1]"),
    ]


def test_a_field_that_no_patch_wrote_leads_to_the_template() -> None:
    causes = causes_of(chain({}), ("spec", "ranges", 0))
    assert [(cause.role, cause.path) for cause in causes] == [("template", "spec.pipeline[0].input.resources[0].base.spec.ranges[0]")]


def test_a_value_that_nobody_wrote_in_the_claim_leads_to_the_default_of_its_version() -> None:
    resource = chain({}, Flow(("spec", "cidr"), ("spec", "ranges", 0), PATCH))
    causes = causes_of(resource, ("spec", "ranges", 0))
    assert ("default", "spec.versions[1].schema.openAPIV3Schema.properties.spec.properties.cidr.default") in [
        (cause.role, cause.path) for cause in causes
    ]


def test_a_field_below_a_copied_object_keeps_its_remainder() -> None:
    resource = chain({"net": {"ranges": ["x"]}}, Flow(("spec", "net"), ("spec",), PATCH))
    assert causes_of(resource, ("spec", "ranges", 0))[0].path == "spec.net.ranges[0]"


def test_the_last_patch_that_wrote_a_field_is_the_one_that_counts() -> None:
    """Patches run in order, and a later one overwrites what an earlier one wrote."""
    first, second = Flow(("spec", "a"), ("spec", "ranges"), PATCH), Flow(("spec", "b"), ("spec", "ranges"), (*PATCH[:-1], 2))
    assert [cause.path for cause in causes_of(chain({"a": 1, "b": 2}, first, second), ("spec", "ranges", 0)) if cause.role == "claim"] == [
        "spec.b[0]"
    ]


def test_every_variable_of_a_combine_is_a_cause() -> None:
    flows = (Flow(("spec", "a"), ("spec", "name"), PATCH), Flow(("metadata", "name"), ("spec", "name"), PATCH))
    paths = [cause.path for cause in causes_of(chain({"a": 1}, *flows), ("spec", "name"))]
    assert {"spec.a", "metadata.name"} <= set(paths)


def test_a_wrapped_manifest_is_traced_through_the_object_around_it() -> None:
    composed = chain({"image": "x"}, Flow(("spec", "image"), ("spec", "forProvider", "manifest", "spec", "image"), PATCH))
    inner = Resource({"kind": "Pod"}, Role.WRAPPED, composed.document, parent=composed, inside=("spec", "forProvider", "manifest"))
    assert causes_of(inner, ("spec", "image"))[0].path == "spec.image"


def test_fingerprints_survive_generated_names_and_moved_lines_but_not_another_template() -> None:
    def mark(resource: Resource) -> str:
        return finding(resource, ("spec",), rule="r/x", reason="X", severity=Severity.ERROR, message="m").fingerprint

    one, same = chain({}), chain({})
    same.body["metadata"]["name"] = "n-y-456"
    assert mark(one) == mark(same)
    other = Resource(one.body, Role.COMPOSED, one.document, parent=one.parent, composition=COMPOSITION, step="s", template="other")
    assert mark(one) != mark(other)
    assert "n-x" not in stable_identity(one)
