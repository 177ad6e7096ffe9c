"""What patches write must be declared where it is written, or the API server drops or refuses it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import pytest

from crossgate.model import Judgement

Faults = Callable[..., list[str]]


def write(target: str, source: str = "spec.parameters.owner", **more: Any) -> dict[str, Any]:
    return {"type": "FromCompositeFieldPath", "fromFieldPath": source, "toFieldPath": target, **more}


@pytest.mark.parametrize(
    "target",
    [
        "spec.forProvider.location",
        "spec.forProvider.labels.team",
        "spec.forProvider.labels[example.org/team]",
        "metadata.labels[example.org/team]",
        "metadata.annotations[example.org/note]",
        "spec.forProvider.extra.any[2].thing",
        "spec.forProvider.zones[0]",
        "spec.forProvider.rules[0].action",
        "spec.forProvider.port",
        "spec.forProvider.networkRef.name",
    ],
)
def test_what_the_crd_declares_is_written_without_a_finding(faults: Faults, target: str) -> None:
    assert faults([write(target)]) == []


@pytest.mark.parametrize(
    ("target", "meant"),
    [
        ("spec.forProvider.locaton", "spec.forProvider.location"),
        ("spec.location", "spec.forProvider.location"),
        ("spec.forprovider.location", "spec.forProvider.location"),
        ("spec.forProvider.rules[0].acton", "spec.forProvider.rules[0].action"),
        ("metadata.annotations.crossplane.io/external-name", "metadata.annotations[crossplane.io/external-name]"),
        ("metadata.annotation[example.org/note]", "metadata.annotations[example.org/note]"),
    ],
)
def test_a_typo_is_found_and_the_nearest_field_is_named(judge: Callable[..., Judgement], target: str, meant: str) -> None:
    (finding,) = judge([write(target)]).findings
    assert finding.rule == "crossplane/unknown-target-field"
    assert finding.reason == ("WRONG_PARENT" if "crossplane.io" in target else "NOT_IN_CRD")
    assert target in finding.message
    assert "spec.parameters.owner" in finding.message, "the field that it comes from is named too"
    assert finding.remediation == f"did you mean {meant}?"


@pytest.mark.parametrize(
    "target", ["spec.forProvider.location.city", "spec.forProvider.rules.age", "spec.forProvider[0]", "spec.forProvider.labels[1]"]
)
def test_a_path_through_the_wrong_type_is_found(faults: Faults, target: str) -> None:
    """``labels[1]`` is an index although labels are a map: Crossplane takes every number in brackets for one."""
    assert faults([write(target)]) == ["unknown-target-field WRONG_PARENT"]


@pytest.mark.parametrize(
    ("value", "path", "expected"),
    [
        ({"a": {}}, "a.b", []),
        ({"a": None}, "a.b", []),
        ({}, "a.b.c[0]", []),
        ({"a": [1]}, "a[1]", []),
        ({"a": "text"}, "a.b", ["type-mismatch BASE_CONFLICT"]),
        ({"a": [1]}, "a.b", ["type-mismatch BASE_CONFLICT"]),
        ({"a": {}}, "a[0]", ["type-mismatch BASE_CONFLICT"]),
        ({"a": ["text"]}, "a[0].b", ["type-mismatch BASE_CONFLICT"]),
    ],
)
def test_a_path_cannot_go_through_a_value_of_the_base(
    faults: Faults, bucket: dict[str, Any], value: Any, path: str, expected: list[str]
) -> None:
    """Where the schema leaves a place open, the base still says what stands there."""
    bucket["spec"]["forProvider"]["extra"] = value
    assert faults([write(f"spec.forProvider.extra.{path}")], bucket) == expected


def test_a_value_that_an_earlier_patch_replaced_is_in_nobodys_way(faults: Faults, bucket: dict[str, Any]) -> None:
    bucket["spec"]["forProvider"]["extra"] = {"a": "text"}
    patches = [write("spec.forProvider.extra.a", "spec.parameters.labels"), write("spec.forProvider.extra.a.b")]
    assert faults(patches, bucket) == []


def test_without_a_target_the_source_is_the_target(faults: Faults) -> None:
    assert faults([{"type": "FromCompositeFieldPath", "fromFieldPath": "spec.parameters.owner"}]) == ["unknown-target-field NOT_IN_CRD"]


def test_status_that_the_xrd_does_not_declare_is_dropped_by_the_api_server(judge: Callable[..., Judgement]) -> None:
    """Case 65: Crossplane writes it, the API server prunes it, and whoever reads it never sees it."""
    (finding,) = judge(
        [{"type": "ToCompositeFieldPath", "fromFieldPath": "status.atProvider.url", "toFieldPath": "status.address"}]
    ).findings
    assert (finding.rule, finding.reason) == ("crossplane/unknown-target-field", "NOT_IN_XRD")
    assert "the API server drops it" in finding.message


def test_a_pipeline_cannot_write_the_spec_of_an_xr(faults: Faults) -> None:
    """Crossplane applies what a pipeline says about the XR to its status subresource, which ignores everything else."""
    patch = {"type": "ToCompositeFieldPath", "fromFieldPath": "status.atProvider.url", "toFieldPath": "spec.parameters.owner"}
    assert faults([patch]) == ["write-ignored NOT_STATUS"]
    assert faults([{**patch, "toFieldPath": "metadata.annotations[example.org/url]"}]) == ["write-ignored NOT_STATUS"]


class TestWildcards:
    def test_elements_of_a_list_in_the_base_can_be_patched(self, faults: Faults, bucket: dict[str, Any]) -> None:
        bucket["spec"]["forProvider"]["rules"] = [{"age": 1}, {"age": 2}]
        assert faults([write("spec.forProvider.rules[*].action")], bucket) == []

    def test_an_earlier_patch_may_make_the_list(self, faults: Faults) -> None:
        patches = [write("spec.forProvider.rules[0].action"), write("spec.forProvider.rules[*].action", "metadata.name")]
        assert faults(patches) == []

    @pytest.mark.parametrize("rules", [None, []])
    def test_nothing_to_expand_fails_the_rendering(self, faults: Faults, bucket: dict[str, Any], rules: Any) -> None:
        if rules is not None:
            bucket["spec"]["forProvider"]["rules"] = rules
        assert faults([write("spec.forProvider.rules[*].action")], bucket) == ["wildcard-without-elements NOTHING_TO_EXPAND"]

    def test_a_typo_behind_the_wildcard_is_found(self, faults: Faults, bucket: dict[str, Any]) -> None:
        bucket["spec"]["forProvider"]["rules"] = [{"age": 1}]
        assert faults([write("spec.forProvider.rules[*].acton")], bucket) == ["unknown-target-field NOT_IN_CRD"]

    def test_a_combine_expands_no_wildcard(self, faults: Faults, bucket: dict[str, Any]) -> None:
        bucket["spec"]["forProvider"]["rules"] = [{"age": 1}]
        combine = {"strategy": "string", "variables": [{"fromFieldPath": "spec.parameters.name"}], "string": {"fmt": "%s"}}
        patch = {"type": "CombineFromComposite", "combine": combine, "toFieldPath": "spec.forProvider.rules[*].action"}
        assert faults([patch], bucket) == ["invalid-path TARGET_WILDCARD"]

    def test_a_star_outside_brackets_is_a_plain_key(self, faults: Faults) -> None:
        assert faults([write("spec.forProvider.labels.*")]) == ["invalid-path TARGET_WILDCARD"]


def test_an_index_that_crossplane_refuses_is_found(faults: Faults) -> None:
    assert faults([write("spec.forProvider.zones[1024]")]) == []
    assert faults([write("spec.forProvider.zones[1025]")]) == ["invalid-path INDEX_TOO_LARGE"]


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        (write("name", "metadata.name"), []),
        (write("namespace", "metadata.namespace"), []),
        (write("name", "spec.sizee"), ["unknown-source-field NOT_IN_XRD"]),
        (write("namee", "metadata.name"), ["unknown-target-field NOT_IN_CRD"]),
        (write("name", "metadata.generation"), ["type-mismatch WRONG_TYPE"]),
    ],
)
def test_patches_of_the_connection_secret_write_its_name_and_namespace(faults: Faults, patch: dict[str, Any], expected: list[str]) -> None:
    assert faults([], serves=("example.org/v1", "Yard"), writeConnectionSecretToRef={"patches": [patch]}) == expected


class TestCarriedManifests:
    """A ``kubernetes.crossplane.io`` Object carries a manifest whose own kind has a schema."""

    OBJECT: ClassVar[dict[str, Any]] = {
        "apiVersion": "kubernetes.crossplane.io/v1alpha2",
        "kind": "Object",
        "spec": {
            "forProvider": {
                "manifest": {
                    "apiVersion": "apps/v1",
                    "kind": "Deployment",
                    "spec": {
                        "selector": {"matchLabels": {"app": "x"}},
                        "template": {"spec": {"containers": [{"name": "server", "resources": {"limits": {"cpu": 1}}}]}},
                    },
                }
            }
        },
    }

    @pytest.mark.parametrize(
        "target",
        [
            "spec.template.spec.containers[0].image",
            "spec.template.spec.nodeSelector[node.kubernetes.io/instance-type]",
            "spec.template.metadata.labels.app",
            "metadata.annotations[eks.amazonaws.com/role-arn]",
            "spec.template.spec.containers[0].resources.limits[nvidia.com/gpu]",
        ],
    )
    def test_fields_of_the_inner_kind_can_be_written(self, faults: Faults, target: str) -> None:
        assert faults([write(f"spec.forProvider.manifest.{target}")], self.OBJECT) == []

    def test_a_typo_inside_is_found(self, judge: Callable[..., Judgement]) -> None:
        (finding,) = judge([write("spec.forProvider.manifest.spec.template.spec.containers[0].img")], self.OBJECT).findings
        assert finding.rule == "crossplane/unknown-target-field"
        assert "Deployment" in finding.message

    def test_a_wrong_type_inside_is_found(self, faults: Faults) -> None:
        patch = write("spec.forProvider.manifest.spec.replicas", "spec.parameters.name")
        assert faults([patch], self.OBJECT) == ["type-mismatch WRONG_TYPE"]
        assert faults([{**patch, "fromFieldPath": "spec.parameters.nodes"}], self.OBJECT) == []

    def test_what_the_cluster_made_of_it_can_be_read(self, faults: Faults) -> None:
        patch = {"type": "ToCompositeFieldPath", "toFieldPath": "status.count"}
        good, bad = "status.atProvider.manifest.status.readyReplicas", "status.atProvider.manifest.status.redyReplicas"
        assert faults([{**patch, "fromFieldPath": good}], self.OBJECT) == []
        assert faults([{**patch, "fromFieldPath": bad}], self.OBJECT) == ["unknown-source-field NOT_IN_CRD"]

    def test_a_manifest_whose_kind_a_patch_decides_is_not_judged(self, faults: Faults) -> None:
        patches = [write("spec.forProvider.manifest.kind"), write("spec.forProvider.manifest.spec.anything")]
        assert faults(patches, self.OBJECT) == []
