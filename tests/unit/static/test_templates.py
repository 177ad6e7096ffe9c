"""Bases, kinds, names of templates, required fields, connection details, readiness checks and the function's own validation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crossgate.model import Judgement, Severity
from crossgate.static import check_composition

Faults = Callable[..., list[str]]
Judge = Callable[..., Judgement]


def write(target: str, source: str = "spec.parameters.owner", **more: Any) -> dict[str, Any]:
    return {"type": "FromCompositeFieldPath", "fromFieldPath": source, "toFieldPath": target, **more}


class TestBases:
    @pytest.mark.parametrize(
        "extra",
        [
            {"class": "COLD", "code": "de", "nodeCount": 3, "weight": 0.5, "versioned": True},
            {"port": 80},
            {"port": "http"},
            {"labels": {"any": "thing"}, "zones": ["a"], "rules": [{"age": 1}]},
            {"extra": {"what": {"ever": [1, None]}}},
            {"class": None},
        ],
    )
    def test_what_the_crd_allows_is_no_finding(self, faults: Faults, bucket: dict[str, Any], extra: dict[str, Any]) -> None:
        bucket["spec"]["forProvider"].update(extra)
        assert faults([], bucket) == []

    @pytest.mark.parametrize(
        ("extra", "fault"),
        [
            ({"locaton": "EU"}, "unknown-base-field NOT_IN_CRD"),
            ({"rules": [{"acton": "Delete"}]}, "unknown-base-field NOT_IN_CRD"),
            ({"nodeCount": "3"}, "type-mismatch WRONG_TYPE"),
            ({"zones": "a"}, "type-mismatch WRONG_TYPE"),
            ({"labels": {"a": 1}}, "type-mismatch WRONG_TYPE"),
            ({"versioned": "true"}, "type-mismatch WRONG_TYPE"),
            ({"class": "HOT"}, "value-not-allowed NOT_ALLOWED"),
            ({"code": "deu"}, "value-not-allowed NOT_ALLOWED"),
            ({"nodeCount": 9}, "value-not-allowed NOT_ALLOWED"),
        ],
    )
    def test_what_the_crd_refuses_is_found(self, faults: Faults, bucket: dict[str, Any], extra: dict[str, Any], fault: str) -> None:
        bucket["spec"]["forProvider"].update(extra)
        assert faults([], bucket) == [fault]

    def test_a_field_that_moved_names_its_new_place(self, judge: Judge, bucket: dict[str, Any]) -> None:
        bucket["spec"]["location"] = "EU"
        (finding,) = judge([], bucket).findings
        assert finding.remediation == "did you mean spec.forProvider.location?"
        assert finding.path == "spec.pipeline[0].input.resources[0].base.spec.location"

    def test_metadata_is_read_as_the_api_server_reads_it(self, faults: Faults, bucket: dict[str, Any]) -> None:
        assert faults([], {**bucket, "metadata": {"labels": {"a": "b"}, "annotations": {"c": "d"}}}) == []
        assert faults([], {**bucket, "metadata": {"labelz": {"a": "b"}}}) == ["unknown-base-field NOT_IN_CRD"]
        assert faults([], {**bucket, "metadata": {"labels": {"a": 1}}}) == ["type-mismatch WRONG_TYPE"]

    def test_a_placeholder_that_a_patch_replaces_is_no_fault(self, faults: Faults, bucket: dict[str, Any]) -> None:
        bucket["spec"]["forProvider"]["class"] = "PATCHED"
        patch = write(
            "spec.forProvider.class", "spec.parameters.size", transforms=[{"type": "map", "map": {"small": "COLD", "large": "STANDARD"}}]
        )
        assert faults([patch], bucket) == []

    @pytest.mark.parametrize(
        ("base", "fault"),
        [
            ({"kind": "Bucket"}, "invalid-base NO_API_VERSION"),
            ({"apiVersion": "", "kind": "Bucket"}, "invalid-base NO_API_VERSION"),
            ({"apiVersion": "store.example.org/v1beta2"}, "invalid-input REFUSED"),
        ],
    )
    def test_a_base_needs_apiversion_and_kind(self, faults: Faults, base: dict[str, Any], fault: str) -> None:
        """The function refuses a base without kind itself; without apiVersion only the API server does."""
        assert faults([], base) == [fault]

    def test_a_manifest_in_an_object_is_judged_by_its_own_kind(self, faults: Faults) -> None:
        def wrapped(manifest: dict[str, Any]) -> dict[str, Any]:
            return {"apiVersion": "kubernetes.crossplane.io/v1alpha2", "kind": "Object", "spec": {"forProvider": {"manifest": manifest}}}

        service = {"apiVersion": "v1", "kind": "Service", "metadata": {"labels": {"a": "b"}}}
        assert faults([], wrapped({**service, "spec": {"ports": [{"port": 80, "targetPort": "http"}]}})) == []
        assert faults([], wrapped({**service, "spec": {"port": [{"port": 80}]}})) == ["unknown-base-field NOT_IN_CRD"]
        assert faults([], wrapped({**service, "spec": {"ports": [{"port": "80"}]}})) == ["type-mismatch WRONG_TYPE"]
        assert faults([], wrapped({**service, "metadata": {"labelz": {"a": "b"}}})) == ["unknown-base-field NOT_IN_CRD"]


class TestRequiredFields:
    def test_what_neither_base_nor_patch_sets_is_found(self, judge: Judge, bucket: dict[str, Any]) -> None:
        del bucket["spec"]["forProvider"]["location"]
        (finding,) = judge([], bucket).findings
        assert (finding.rule, finding.severity) == ("crossplane/required-field-missing", Severity.ERROR)
        assert "spec.forProvider.location" in finding.message

    @pytest.mark.parametrize(
        "patch",
        [
            write("spec.forProvider.location"),
            write("spec.forProvider", "spec.parameters.free"),
            {
                "type": "CombineFromComposite",
                "toFieldPath": "spec.forProvider.location",
                "combine": {"strategy": "string", "variables": [{"fromFieldPath": "spec.parameters.name"}], "string": {"fmt": "%s"}},
            },
        ],
    )
    def test_a_patch_may_set_it(self, faults: Faults, bucket: dict[str, Any], patch: dict[str, Any]) -> None:
        del bucket["spec"]["forProvider"]["location"]
        assert faults([patch], bucket) == []

    def test_a_patch_of_a_later_step_may_set_it(self, faults: Faults, bucket: dict[str, Any], composition: Callable[..., Any]) -> None:
        del bucket["spec"]["forProvider"]["location"]
        first = composition([], bucket).body["spec"]["pipeline"][0]
        later = [{"name": "bucket", "patches": [write("spec.forProvider.location")]}]
        assert faults(templates=later, steps=[{**first, "step": "make"}]) == []

    def test_a_manifest_in_an_object_needs_its_required_fields_too(self, faults: Faults) -> None:
        manifest = {"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"template": {"spec": {"containers": []}}}}
        base = {"apiVersion": "kubernetes.crossplane.io/v1alpha2", "kind": "Object", "spec": {"forProvider": {"manifest": manifest}}}
        assert faults([], base) == ["required-field-missing NEVER_SET"]
        assert faults([write("spec.forProvider.manifest.spec.selector.matchLabels.app")], base) == []

    def test_fields_with_defaults_and_absent_parents_are_not_missing(self, faults: Faults, bucket: dict[str, Any]) -> None:
        bucket["spec"]["forProvider"]["networkRef"] = {}
        assert faults([], bucket) == []


class TestKinds:
    def test_a_version_that_is_not_served_is_found(self, judge: Judge, bucket: dict[str, Any]) -> None:
        judgement = judge([write("spec.any")], {**bucket, "apiVersion": "store.example.org/v1beta1"})
        (finding,) = judgement.findings
        assert (finding.rule, finding.severity) == ("crossplane/unserved-version", Severity.ERROR)
        assert "store.example.org/v1beta2" in finding.remediation
        assert judgement.could_not_check == ()

    def test_a_served_kind_without_schema_could_not_be_checked(self, judge: Judge, bucket: dict[str, Any]) -> None:
        judgement = judge([write("spec.any")], {**bucket, "kind": "Bukket"})
        assert judgement.findings == ()
        (unknown,) = judgement.could_not_check
        assert "Bukket (store.example.org/v1beta2)" in unknown.what
        assert unknown.hint == "write kind: Bucket"

    def test_without_its_xrd_a_composition_could_not_be_checked(self, judge: Judge) -> None:
        judgement = judge([write("spec.forProvider.location")], serves=("example.org/v1alpha1", "XOther"))
        assert judgement.findings == ()
        (unknown,) = judgement.could_not_check
        assert "no XRD of XOther" in unknown.what
        assert unknown.hint

    def test_the_other_side_is_still_judged(self, judge: Judge) -> None:
        (finding,) = judge([write("spec.forProvider.locaton")], serves=("example.org/v1alpha1", "XOther")).findings
        assert finding.rule == "crossplane/unknown-target-field"

    def test_a_version_of_the_xr_that_the_xrd_does_not_serve_is_found(self, judge: Judge) -> None:
        (finding,) = judge([], serves=("example.org/v1", "XStore")).findings
        assert finding.rule == "crossplane/unserved-version"
        assert finding.path == "spec.compositeTypeRef.apiVersion"

    def test_a_manifest_in_a_version_that_is_not_served_is_found(self, judge: Judge) -> None:
        base = {
            "apiVersion": "kubernetes.crossplane.io/v1alpha2",
            "kind": "Object",
            "spec": {"forProvider": {"manifest": {"apiVersion": "apps/v1beta1", "kind": "Deployment"}}},
        }
        (finding,) = judge([], base).findings
        assert finding.rule == "crossplane/unserved-version"
        assert finding.path.endswith("manifest.apiVersion")

    def test_a_step_of_an_unknown_function_could_not_be_checked(self, judge: Judge) -> None:
        step = {
            "step": "go",
            "functionRef": {"name": "function-go-templating"},
            "input": {"apiVersion": "gotemplating.fn.crossplane.io/v1beta1"},
        }
        (unknown,) = judge([], steps=[step]).could_not_check
        assert "function-go-templating" in unknown.what

    def test_functions_that_only_set_conditions_or_the_environment_are_known(self, faults: Faults) -> None:
        ready = {"step": "ready", "functionRef": {"name": "function-auto-ready"}}
        environment = {
            "step": "environment",
            "functionRef": {"name": "function-environment-configs"},
            "input": {"apiVersion": "environmentconfigs.fn.crossplane.io/v1beta1", "kind": "Input"},
        }
        assert faults([], steps=[environment, ready]) == []

    def test_a_renamed_function_is_known_by_its_input(self, schemas: Any, composition: Callable[..., Any]) -> None:
        document = composition([write("spec.forProvider.locaton")])
        document.body["spec"]["pipeline"][0]["functionRef"]["name"] = "patcher"
        assert [finding.rule for finding in check_composition(document, schemas).findings] == ["crossplane/unknown-target-field"]


class TestNamesOfTemplates:
    def test_two_templates_of_one_name_are_found(self, faults: Faults, bucket: dict[str, Any]) -> None:
        """Case 23: the second silently replaces the first."""
        templates = [{"name": "one", "base": bucket}, {"name": "one", "base": bucket}]
        assert faults(templates=templates) == ["duplicate-template SAME_STEP"]

    def test_a_later_step_with_a_base_replaces_the_whole_resource(
        self, faults: Faults, bucket: dict[str, Any], composition: Callable[..., Any]
    ) -> None:
        first = composition([], bucket).body["spec"]["pipeline"][0]
        assert faults([], bucket, steps=[{**first, "step": "make"}]) == ["duplicate-template REPLACES_EARLIER_STEP"]

    def test_a_later_step_without_a_base_patches_what_the_earlier_one_made(self, faults: Faults, composition: Callable[..., Any]) -> None:
        first = {**composition([]).body["spec"]["pipeline"][0], "step": "make"}
        assert (
            faults(templates=[{"name": "bucket", "patches": [write("spec.forProvider.class", "spec.parameters.owner")]}], steps=[first])
            == []
        )
        assert faults(templates=[{"name": "bucket", "patches": [write("spec.forProvider.clas")]}], steps=[first]) == [
            "unknown-target-field NOT_IN_CRD"
        ]

    def test_without_a_base_an_earlier_step_must_make_the_resource(self, faults: Faults) -> None:
        assert faults(templates=[{"name": "bucket", "patches": []}]) == ["invalid-base NO_BASE"]

    def test_an_unknown_function_may_have_made_it(self, judge: Judge) -> None:
        step = {"step": "go", "functionRef": {"name": "function-go-templating"}}
        assert judge(templates=[{"name": "bucket", "patches": []}], steps=[step]).findings == ()


class TestDetails:
    def detail(self, field: str) -> list[dict[str, Any]]:
        return [{"name": "url", "type": "FromFieldPath", "fromFieldPath": field}]

    def test_connection_details_read_declared_fields(self, faults: Faults, bucket: dict[str, Any]) -> None:
        def judged(field: str) -> list[str]:
            return faults(templates=[{"name": "one", "base": bucket, "connectionDetails": self.detail(field)}])

        assert judged("status.atProvider.url") == []
        assert judged("metadata.name") == []
        assert judged("status.atProvider.uri") == ["unknown-source-field NOT_IN_CRD"]
        assert judged("status..url") == ["invalid-path SYNTAX"]

    @pytest.mark.parametrize(
        ("check", "expected"),
        [
            ({"type": "MatchString", "fieldPath": "status.atProvider.url", "matchString": "x"}, []),
            ({"type": "MatchInteger", "fieldPath": "status.atProvider.count", "matchInteger": 1}, []),
            ({"type": "MatchTrue", "fieldPath": "status.ready"}, []),
            ({"type": "NonEmpty", "fieldPath": "status.atProvider.url"}, []),
            ({"type": "None"}, []),
            ({"type": "MatchCondition", "matchCondition": {"type": "Ready", "status": "True"}}, []),
            ({"type": "NonEmpty", "fieldPath": "status.atProvider.uri"}, ["unknown-source-field NOT_IN_CRD"]),
            ({"type": "MatchString", "fieldPath": "status.atProvider.count", "matchString": "1"}, ["type-mismatch NEVER_READY"]),
            ({"type": "MatchTrue", "fieldPath": "status.atProvider.url"}, ["type-mismatch NEVER_READY"]),
        ],
    )
    def test_readiness_checks_compare_with_the_type_of_the_field(
        self, faults: Faults, bucket: dict[str, Any], check: dict[str, Any], expected: list[str]
    ) -> None:
        assert faults(templates=[{"name": "one", "base": bucket, "readinessChecks": [check]}]) == expected


class TestInputs:
    @pytest.mark.parametrize(
        ("patch", "path"),
        [
            ({"type": "Nope"}, "type"),
            ({"type": "FromCompositeFieldPath"}, "fromFieldPath"),
            ({"fromFieldPath": "spec.parameters.name", "toFieldpath": "spec.forProvider.location"}, "toFieldpath"),
            (write("spec.forProvider.location", transforms=[{"type": "string", "string": {"fmt": "%s"}}]), "transforms[0].string.type"),
            (write("spec.forProvider.location", policy={"toFieldPath": "Merge"}), "policy.toFieldPath"),
        ],
    )
    def test_input_that_the_function_refuses_is_found_at_its_place(self, judge: Judge, patch: dict[str, Any], path: str) -> None:
        finding = judge([patch]).findings[0]
        assert (finding.rule, finding.reason) == ("crossplane/invalid-input", "REFUSED")
        assert finding.path == f"spec.pipeline[0].input.resources[0].patches[0].{path}"

    def test_a_patch_set_that_does_not_exist_is_found(self, faults: Faults) -> None:
        assert faults([{"type": "PatchSet", "patchSetName": "nope"}]) == ["invalid-input REFUSED"]

    def test_what_the_function_only_notices_at_run_time_is_found_too(self, judge: Judge) -> None:
        """Its validation does not look into Combine patches, and takes a pattern without type that it then refuses."""
        combine = {"strategy": "string", "variables": [{"fromFieldPath": "spec.parameters.name"}], "string": {"fmt": "%s"}}
        patch = {
            "type": "CombineFromComposite",
            "combine": combine,
            "toFieldPath": "spec.forProvider.location",
            "transforms": [{"type": "nope"}],
        }
        (finding,) = judge([patch]).findings
        assert finding.path == "spec.pipeline[0].input.resources[0].patches[0].transforms[0].type"
        untyped = {"type": "match", "match": {"patterns": [{"literal": "a", "result": "b"}]}}
        assert "NO_PATTERN_TYPE" in {
            finding.reason for finding in judge([write("spec.forProvider.location", transforms=[untyped])]).findings
        }
