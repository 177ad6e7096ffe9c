"""What patches read must be declared where it is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crossgate.model import Judgement

Faults = Callable[..., list[str]]


def read(source: str, target: str = "spec.forProvider.extra.x", **more: Any) -> dict[str, Any]:
    return {"type": "FromCompositeFieldPath", "fromFieldPath": source, "toFieldPath": target, **more}


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("spec.parameters.name", "a declared field"),
        ("spec.parameters.labels[example.org/team]", "any key of a map"),
        ("spec.parameters.zones[0]", "an element of a list"),
        ("spec.parameters.free.what.ever[3]", "below x-kubernetes-preserve-unknown-fields anything may stand"),
        ("spec.parameters", "a whole object"),
        ("metadata.name", "every object has a name"),
        ("metadata.uid", "the API server gives every object a uid"),
        ("metadata.labels[crossplane.io/claim-name]", "the claim controller sets it"),
        ("metadata.annotations[example.org/note]", "annotations carry over from the claim"),
        ("spec.claimRef.namespace", "Crossplane's own field of an XR with a claim"),
        ("spec.compositionRef.name", "Crossplane's own field"),
        ("spec.compositionSelector.matchLabels.provider", "Crossplane's own field"),
        ("spec.writeConnectionSecretToRef.namespace", "Crossplane's own field"),
        ("spec.resourceRefs[0].name", "Crossplane's own field"),
        ("status.conditions[0].reason", "Crossplane's own status"),
        ("kind", "every object has a kind"),
    ],
)
def test_what_the_xr_can_hold_is_read_without_a_finding(faults: Faults, source: str, reason: str) -> None:
    assert faults([read(source)]) == [], reason


@pytest.mark.parametrize(
    ("source", "meant"),
    [
        ("spec.parameters.namee", "spec.parameters.name"),
        ("spec.parameters.Name", "spec.parameters.name"),
        ("spec.name", "spec.parameters.name"),
        ("spec.parameter.name", "spec.parameters.name"),
        ("metadata.labelz.team", "metadata.labels.team"),
        ("metadata.labels.crossplane.io/claim-name", "metadata.labels[crossplane.io/claim-name]"),
        ("spec.parameters.disk.gigabyte", "spec.parameters.disk.gigabytes"),
        ("spec.claimref.name", "spec.claimRef.name"),
        ("status.Url", "status.url"),
    ],
)
def test_a_typo_is_found_and_the_nearest_field_is_named(judge: Callable[..., Judgement], source: str, meant: str) -> None:
    (finding,) = judge([read(source)]).findings
    assert finding.rule == "crossplane/unknown-source-field"
    assert finding.reason == ("WRONG_PARENT" if "crossplane.io" in source else "NOT_IN_XRD")
    assert source in finding.message
    assert "spec.forProvider.extra.x" in finding.message, "the field that it was meant for is named too"
    assert finding.remediation == f"did you mean {meant}?"
    assert finding.path.endswith("patches[0].fromFieldPath")


@pytest.mark.parametrize(
    "source",
    [
        "spec.parameters.name.first",  # a field of a string: fatal at run time
        "spec.parameters.name[0]",  # an element of a string
        "spec.parameters[0]",  # an element of an object
        "spec.parameters.zones.first",  # a field of a list
        "spec.parameters.port.number",  # a field of an integer or string
    ],
)
def test_a_path_through_the_wrong_type_is_found(faults: Faults, source: str) -> None:
    """An Optional patch does not help: Crossplane takes only missing fields for absent, the rest is fatal."""
    assert faults([read(source)]) == ["unknown-source-field WRONG_PARENT"]


def test_an_xr_with_a_claim_has_no_spec_crossplane(faults: Faults) -> None:
    assert faults([read("spec.crossplane.compositionRef.name")]) == ["unknown-source-field NOT_IN_XRD"]


@pytest.mark.parametrize("source", ["spec..name", "spec.[0]", ".spec", "spec.", "spec[", "spec[]"])
def test_what_is_no_field_path_is_found(faults: Faults, source: str) -> None:
    assert faults([read(source)]) == ["invalid-path SYNTAX"]


def test_a_wildcard_is_not_expanded_in_a_source(faults: Faults) -> None:
    assert faults([read("spec.parameters.zones[*]")]) == ["invalid-path SOURCE_WILDCARD"]


def test_every_variable_of_a_combine_is_looked_up(judge: Callable[..., Judgement]) -> None:
    patch = {
        "type": "CombineFromComposite",
        "toFieldPath": "spec.forProvider.extra.x",
        "combine": {
            "strategy": "string",
            "variables": [{"fromFieldPath": "spec.parameters.name"}, {"fromFieldPath": "spec.parameters.regionn"}],
            "string": {"fmt": "%s-%s"},
        },
    }
    (finding,) = judge([patch]).findings
    assert finding.path.endswith("combine.variables[1].fromFieldPath")
    assert finding.remediation == "did you mean spec.parameters.region?"


def test_what_a_patch_to_the_xr_reads_must_be_declared_in_the_crd(faults: Faults) -> None:
    good = {"type": "ToCompositeFieldPath", "fromFieldPath": "status.atProvider.url", "toFieldPath": "status.url"}
    assert faults([good]) == []
    assert faults([{**good, "fromFieldPath": "status.atProvider.uri"}]) == ["unknown-source-field NOT_IN_CRD"]


def test_a_typo_in_a_patch_set_is_one_finding_however_many_templates_use_it(
    judge: Callable[..., Judgement], bucket: dict[str, Any]
) -> None:
    use = {"type": "PatchSet", "patchSetName": "common"}
    templates = [{"name": name, "base": bucket, "patches": [use]} for name in ("one", "two")]
    (finding,) = judge(templates=templates, patchSets=[{"name": "common", "patches": [read("spec.parameters.namee")]}]).findings
    assert finding.path == "spec.pipeline[0].input.patchSets[0].patches[0].fromFieldPath"


def test_environment_patches_read_the_xr_too(faults: Faults) -> None:
    environment = {"patches": [{"type": "FromCompositeFieldPath", "fromFieldPath": "spec.parameters.namee", "toFieldPath": "name"}]}
    assert faults([], environment=environment) == ["unknown-source-field NOT_IN_XRD"]
