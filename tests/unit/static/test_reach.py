"""Patches without effect, resources that wait for optional fields, and names that two claims share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crossgate.model import Judgement, Severity

Faults = Callable[..., list[str]]
Judge = Callable[..., Judgement]


def write(target: str, source: str = "spec.parameters.owner", **more: Any) -> dict[str, Any]:
    return {"type": "FromCompositeFieldPath", "fromFieldPath": source, "toFieldPath": target, **more}


def combine(target: str, *sources: str) -> dict[str, Any]:
    variables = [{"fromFieldPath": source} for source in sources]
    fmt = "-".join("%s" for _ in sources)
    return {
        "type": "CombineFromComposite",
        "toFieldPath": target,
        "combine": {"strategy": "string", "variables": variables, "string": {"fmt": fmt}},
    }


class TestOverwritten:
    OWNER, NAME = "spec.parameters.owner", "spec.parameters.name"  # optional, and required

    def test_a_patch_that_a_later_one_always_overwrites_is_found(self, judge: Judge) -> None:
        (finding,) = judge([write("spec.forProvider.location", self.OWNER), write("spec.forProvider.location", self.NAME)]).findings
        assert (finding.rule, finding.reason, finding.severity) == ("crossplane/unreachable-patch", "OVERWRITTEN", Severity.WARNING)
        assert finding.path.endswith("patches[0]")
        assert "patch 1 of template bucket" in finding.message

    @pytest.mark.parametrize("source", ["spec.parameters.region", "metadata.name", "metadata.uid"])
    def test_a_default_and_the_name_are_always_there(self, faults: Faults, source: str) -> None:
        assert faults([write("spec.forProvider.location", self.OWNER), write("spec.forProvider.location", source)]) == [
            "unreachable-patch OVERWRITTEN"
        ]

    def test_a_later_patch_of_an_optional_field_is_an_override(self, faults: Faults) -> None:
        assert faults([write("spec.forProvider.location", self.NAME), write("spec.forProvider.location", self.OWNER)]) == []

    def test_the_same_optional_source_overwrites_too(self, faults: Faults) -> None:
        assert faults([write("spec.forProvider.location", self.OWNER), write("spec.forProvider.location", self.OWNER)]) == [
            "unreachable-patch OVERWRITTEN"
        ]

    def test_replacing_the_object_around_it_overwrites_too(self, faults: Faults) -> None:
        first = write("spec.forProvider.labels.a", "metadata.name")
        later = write("spec.forProvider.labels", "metadata.labels")
        assert faults([first, later]) == [], "an XR need not have labels"
        assert (
            faults(
                [write("spec.forProvider.zones[0]", "spec.parameters.zones[0]"), write("spec.forProvider.zones", "spec.parameters.zones")]
            )
            == []
        )

    @pytest.mark.parametrize("policy", ["MergeObjects", "ForceMergeObjectsAppendArrays"])
    def test_a_merging_patch_keeps_what_was_there(self, faults: Faults, policy: str) -> None:
        later = write("spec.forProvider.location", self.NAME, policy={"toFieldPath": policy})
        assert faults([write("spec.forProvider.location", self.OWNER), later]) == []

    def test_a_patch_set_serves_several_templates_and_is_not_judged_by_one(self, faults: Faults) -> None:
        sets = [{"name": "common", "patches": [write("spec.forProvider.location", self.OWNER)]}]
        use = {"type": "PatchSet", "patchSetName": "common"}
        assert faults([use, write("spec.forProvider.location", self.NAME)], patchSets=sets) == []

    def test_a_patch_set_that_nobody_uses_is_found(self, faults: Faults) -> None:
        sets = [{"name": "common", "patches": [write("spec.forProvider.location")]}]
        assert faults([], patchSets=sets) == ["unreachable-patch UNUSED_PATCH_SET"]


class TestNeverSet:
    def test_a_cluster_scoped_xr_has_no_namespace(self, faults: Faults) -> None:
        assert faults([write("spec.forProvider.location", "metadata.namespace")]) == ["unreachable-patch SOURCE_NEVER_SET"]

    def test_a_namespaced_xr_has_one(self, faults: Faults) -> None:
        assert faults([write("spec.forProvider.location", "metadata.namespace")], serves=("example.org/v1", "Yard")) == []

    def test_a_namespaced_xr_has_no_claim(self, faults: Faults) -> None:
        yard = {"serves": ("example.org/v1", "Yard")}
        assert faults([write("spec.forProvider.location", "metadata.labels[crossplane.io/claim-name]")], **yard) == [
            "unreachable-patch SOURCE_NEVER_SET"
        ]
        assert faults([write("spec.forProvider.location", "spec.claimRef.name")], **yard) == ["unknown-source-field NOT_IN_XRD"]
        assert faults([write("spec.forProvider.location", "spec.crossplane.compositionRef.name")], **yard) == []

    def test_status_that_nothing_writes_is_never_set(self, faults: Faults) -> None:
        assert faults([write("spec.forProvider.location", "status.url")]) == ["unreachable-patch SOURCE_NEVER_SET"]
        written = {"type": "ToCompositeFieldPath", "fromFieldPath": "status.atProvider.url", "toFieldPath": "status.url"}
        assert faults([written, write("spec.forProvider.location", "status.url")]) == []

    def test_an_unknown_function_may_write_it(self, judge: Judge) -> None:
        step = {"step": "go", "functionRef": {"name": "function-go-templating"}}
        assert judge([write("spec.forProvider.location", "status.url")], steps=[step]).findings == ()

    def test_conditions_are_crossplanes_own(self, faults: Faults) -> None:
        assert faults([write("spec.forProvider.location", "status.conditions[0].reason")]) == []

    def test_an_environment_must_come_from_somewhere(self, faults: Faults) -> None:
        reading = {"type": "FromEnvironmentFieldPath", "fromFieldPath": "project", "toFieldPath": "spec.forProvider.location"}
        assert faults([reading]) == ["unreachable-patch SOURCE_NEVER_SET"]
        step = {
            "step": "environment",
            "functionRef": {"name": "function-environment-configs"},
            "input": {"apiVersion": "environmentconfigs.fn.crossplane.io/v1beta1", "kind": "Input"},
        }
        assert faults([reading], steps=[step]) == []

    def test_an_environment_patch_that_ran_before_gives_it(self, faults: Faults) -> None:
        reading = {"type": "FromEnvironmentFieldPath", "fromFieldPath": "project", "toFieldPath": "spec.forProvider.location"}
        environment = {"patches": [{"type": "FromCompositeFieldPath", "fromFieldPath": "spec.parameters.name", "toFieldPath": "project"}]}
        assert faults([reading], environment=environment) == []

    def test_what_a_later_patch_writes_comes_too_late(self, faults: Faults) -> None:
        """The environment lives for one run of the pipeline: it does not carry over to the next."""
        reading = {"type": "FromEnvironmentFieldPath", "fromFieldPath": "url", "toFieldPath": "spec.forProvider.location"}
        writing = {"type": "ToEnvironmentFieldPath", "fromFieldPath": "status.atProvider.url", "toFieldPath": "url"}
        assert faults([writing, reading]) == []
        assert faults([reading, writing]) == ["unreachable-patch SOURCE_NEVER_SET"]


class TestRequired:
    def required(self, source: str) -> dict[str, Any]:
        return write("spec.forProvider.location", source, policy={"fromFieldPath": "Required"})

    def test_waiting_for_a_field_that_claims_may_leave_out_keeps_the_xr_from_ready(self, judge: Judge) -> None:
        (finding,) = judge([self.required("spec.parameters.owner")]).findings
        assert (finding.rule, finding.severity) == ("crossplane/required-optional-field", Severity.WARNING)

    @pytest.mark.parametrize(
        "source",
        [
            "spec.parameters.name",  # required
            "spec.parameters.region",  # has a default
            "spec.parameters.free.what",  # nobody knows
            "spec.claimRef.name",  # Crossplane's own
            "metadata.labels[crossplane.io/claim-name]",
        ],
    )
    def test_waiting_for_what_is_set_is_what_the_policy_is_for(self, faults: Faults, source: str) -> None:
        assert faults([self.required(source)]) == []

    def test_waiting_for_another_resource_is_what_the_policy_is_for(self, faults: Faults) -> None:
        written = {"type": "ToCompositeFieldPath", "fromFieldPath": "status.atProvider.url", "toFieldPath": "status.url"}
        assert faults([written, self.required("status.url")]) == []


EXTERNAL = "metadata.annotations[crossplane.io/external-name]"
CLAIM_NAME, CLAIM_NAMESPACE = "metadata.labels[crossplane.io/claim-name]", "metadata.labels[crossplane.io/claim-namespace]"


class TestNames:
    @pytest.mark.parametrize("field", ["metadata.name", EXTERNAL])
    @pytest.mark.parametrize(
        ("sources", "expected"),
        [
            (["metadata.name"], []),
            (["metadata.uid"], []),
            (["metadata.labels[crossplane.io/composite]"], []),
            ([CLAIM_NAMESPACE, CLAIM_NAME], []),
            (["spec.claimRef.namespace", "spec.claimRef.name"], []),
            (["metadata.name", "spec.parameters.name"], []),
            ([CLAIM_NAME], ["colliding-name SHARED_FIELDS"]),
            ([CLAIM_NAMESPACE], ["colliding-name SHARED_FIELDS"]),
            (["spec.parameters.name"], ["colliding-name SHARED_FIELDS"]),
            (["spec.parameters.name", "spec.parameters.region"], ["colliding-name SHARED_FIELDS"]),
            (["spec.claimRef.name", "spec.parameters.name"], ["colliding-name SHARED_FIELDS"]),
        ],
    )
    def test_a_name_must_tell_two_claims_apart(self, faults: Faults, field: str, sources: list[str], expected: list[str]) -> None:
        assert faults([combine(field, *sources)]) == expected

    @pytest.mark.parametrize("metadata", [{"name": "artifacts"}, {"annotations": {"crossplane.io/external-name": "artifacts"}}])
    def test_a_fixed_name_is_the_same_for_every_claim(self, judge: Judge, bucket: dict[str, Any], metadata: dict[str, Any]) -> None:
        (finding,) = judge([], {**bucket, "metadata": metadata}).findings
        assert (finding.rule, finding.reason, finding.severity) == ("crossplane/colliding-name", "FIXED_NAME", Severity.WARNING)
        assert "'artifacts'" in finding.message

    def test_a_patched_name_replaces_the_fixed_one(self, faults: Faults, bucket: dict[str, Any]) -> None:
        assert faults([combine("metadata.name", "metadata.name")], {**bucket, "metadata": {"name": "artifacts"}}) == []

    def test_no_name_is_generated_and_unique(self, faults: Faults) -> None:
        assert faults([]) == []

    def test_the_name_of_a_child_may_be_fixed(self, faults: Faults, bucket: dict[str, Any]) -> None:
        """A database in a server, a node pool in a cluster: its name is unique inside what it refers to."""
        bucket["spec"]["forProvider"]["networkRef"] = {"name": "x"}
        assert faults([], {**bucket, "metadata": {"annotations": {"crossplane.io/external-name": "artifacts"}}}) == []
        assert faults([], {**bucket, "metadata": {"name": "artifacts"}}) == ["colliding-name FIXED_NAME"]

    def test_what_is_only_observed_may_have_a_fixed_name(self, faults: Faults, bucket: dict[str, Any]) -> None:
        bucket["spec"]["managementPolicies"] = ["Observe"]
        assert faults([], {**bucket, "metadata": {"annotations": {"crossplane.io/external-name": "shared"}}}) == []

    def test_status_and_environment_may_tell_them_apart(self, faults: Faults) -> None:
        written = {"type": "ToCompositeFieldPath", "fromFieldPath": "status.atProvider.url", "toFieldPath": "status.url"}
        assert faults([written, combine(EXTERNAL, "status.url")]) == []

    def wrapped(self, namespace: str | None) -> dict[str, Any]:
        manifest: dict[str, Any] = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}}
        if namespace:
            manifest["metadata"]["namespace"] = namespace
        return {"apiVersion": "kubernetes.crossplane.io/v1alpha2", "kind": "Object", "spec": {"forProvider": {"manifest": manifest}}}

    def test_a_manifest_in_the_claims_namespace_needs_only_the_claims_name(self, faults: Faults) -> None:
        name, namespace = "spec.forProvider.manifest.metadata.name", "spec.forProvider.manifest.metadata.namespace"
        assert faults([], self.wrapped("shared")) == ["colliding-name FIXED_NAME"]
        assert faults([write(name, CLAIM_NAME)], self.wrapped("shared")) == ["colliding-name SHARED_FIELDS"]
        assert faults([write(name, CLAIM_NAME), write(namespace, CLAIM_NAMESPACE)], self.wrapped(None)) == []

    def test_a_fixed_name_in_a_namespace_of_the_claims_own(self, faults: Faults) -> None:
        """Charts fix the names of what they make; a namespace for each claim keeps them apart, the team's namespace does not."""
        namespace = "spec.forProvider.manifest.metadata.namespace"
        assert faults([write(namespace, "metadata.name")], self.wrapped(None)) == []
        assert faults([combine(namespace, CLAIM_NAMESPACE, CLAIM_NAME)], self.wrapped(None)) == []
        assert faults([write(namespace, CLAIM_NAMESPACE)], self.wrapped(None)) == ["colliding-name FIXED_NAME"]

    def test_a_namespaced_xr_needs_its_namespace_where_names_are_global(self, faults: Faults) -> None:
        yard = {"serves": ("example.org/v1", "Yard")}
        assert faults([combine("metadata.name", "metadata.name")], **yard) == [], "it stands in the XR's own namespace"
        assert faults([combine(EXTERNAL, "metadata.name")], **yard) == ["colliding-name SHARED_FIELDS"]
        assert faults([combine(EXTERNAL, "metadata.namespace", "metadata.name")], **yard) == []
