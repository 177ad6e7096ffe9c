"""From problems to findings: what is said, where, and what is left unsaid."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crossgate.model import Document, Flow, Resource, Role, Severity
from crossgate.schema import Schemas
from crossgate.schema.judge import MOST_TOLD

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
                "schema": {"openAPIV3Schema": {"properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer"}}}}}},
            },
            {"name": "v1alpha1", "served": True, "deprecated": True, "schema": {"openAPIV3Schema": {}}},
            {"name": "v0", "served": False, "schema": {"openAPIV3Schema": {}}},
        ],
    },
}


@pytest.fixture(scope="module")
def schemas(root: Path) -> Schemas:
    return Schemas.load([root / "schemas"]).including([Document(XRD, "xrd.yaml")])


def _claim(body: dict[str, Any] | None = None, **spec: Any) -> Resource:
    body = body or {"apiVersion": "example.org/v1", "kind": "Pool", "metadata": {"name": "p", "namespace": "t"}, "spec": spec}
    return Resource(body, Role.CLAIM, Document(body, "claim.yaml", 1))


def _bucket(**provider: Any) -> dict[str, Any]:
    return {"apiVersion": "storage.gcp.upbound.io/v1beta2", "kind": "Bucket", "metadata": {"name": "b"}, "spec": {"forProvider": provider}}


def _composed(body: dict[str, Any], patches: list[dict[str, Any]], *, flows: tuple[Flow, ...] = (), sets: Any = None) -> Resource:
    given = {
        "apiVersion": "pt.fn.crossplane.io/v1beta1",
        "kind": "Resources",
        "resources": [{"name": "bucket", "patches": patches}],
        "patchSets": sets,
    }
    composition = {"kind": "Composition", "spec": {"pipeline": [{"step": "patch", "input": given}]}}
    claim = _claim(size=1)
    return Resource(
        body,
        Role.COMPOSED,
        claim.document,
        parent=claim,
        composition=Document(composition, "composition.yaml", 1),
        step="patch",
        template="bucket",
        flows=flows,
    )


def test_each_kind_of_problem_has_its_rule(schemas: Schemas) -> None:
    judgement = schemas.judge([_claim(size="1", sise=1)])
    assert [(finding.rule, finding.reason, finding.path, finding.severity) for finding in judgement.findings] == [
        ("schema/unknown-field", "UNKNOWN_FIELD", "spec.sise", Severity.ERROR),
        ("schema/invalid", "SCHEMA_INVALID", "spec.size", Severity.ERROR),
    ]
    assert judgement.findings[0].remediation == "did you mean 'size'?"
    assert judgement.findings[1].message == 'spec.size: found string "1", expected integer'
    assert judgement.findings[1].place.file == "claim.yaml"


def test_a_failed_rule_is_its_own_kind(schemas: Schemas) -> None:
    (finding,) = schemas.judge([Resource(_bucket(), Role.DOCUMENT, Document(_bucket(), "b.yaml", 1))]).findings
    assert (finding.rule, finding.path) == ("schema/cel", "spec")
    assert finding.message == "spec.forProvider.location is a required parameter"


def test_versions_that_are_not_served_are_findings_and_deprecated_ones_warnings(schemas: Schemas) -> None:
    unserved = {"apiVersion": "example.org/v0", "kind": "Pool", "metadata": {"name": "p"}, "spec": {}}
    (finding,) = schemas.judge([_claim(unserved)]).findings
    assert (finding.rule, finding.severity) == ("schema/unserved-version", Severity.ERROR)
    (finding,) = schemas.judge([_claim({**unserved, "apiVersion": "example.org/v1alpha1"})]).findings
    assert (finding.rule, finding.severity, finding.message) == (
        "schema/deprecated-version",
        Severity.WARNING,
        "apiVersion: example.org/v1alpha1 Pool is deprecated",
    )
    assert finding.remediation.startswith("write apiVersion: example.org/v1, ")


def test_a_kind_without_schema_could_not_be_checked_and_is_said_once(schemas: Schemas) -> None:
    bodies = [{"apiVersion": "a.example.org/v1", "kind": "A", "metadata": {"name": name}} for name in "xyz"]
    judgement = schemas.judge([Resource(body, Role.DOCUMENT, Document(body, "a.yaml", 3)) for body in bodies])
    assert judgement.findings == ()
    (unknown,) = judgement.could_not_check
    assert unknown.what == "A x: no schema for a.example.org/v1 A (and 2 more)"
    assert unknown.where == "a.yaml:3"
    assert "crossgate schema import" in unknown.hint


def test_an_xr_does_not_repeat_what_its_claim_was_told(schemas: Schemas) -> None:
    claim = _claim(size="1")
    body = {"apiVersion": "example.org/v1", "kind": "XPool", "metadata": {"name": "p-x"}, "spec": {"size": "1", "claimRef": {"name": "p"}}}
    judgement = schemas.judge([claim, Resource(body, Role.XR, claim.document, parent=claim)])
    assert [(finding.resource.kind, finding.path) for finding in judgement.findings] == [
        ("Pool", "spec.size"),
        ("XPool", "spec.claimRef.apiVersion"),
        ("XPool", "spec.claimRef.kind"),
        ("XPool", "spec.claimRef.namespace"),
    ]


def test_the_manifest_inside_an_object_is_judged_by_its_own_schema_and_once(schemas: Schemas) -> None:
    manifest = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "labels": {"a": "b c"}}, "dataa": {"a": "YQ=="}}
    body = {
        "apiVersion": "kubernetes.crossplane.io/v1alpha2",
        "kind": "Object",
        "metadata": {"name": "o"},
        "spec": {"forProvider": {"manifest": manifest}},
    }
    whole = _composed(body, [])
    wrapped = Resource(manifest, Role.WRAPPED, whole.document, parent=whole, inside=("spec", "forProvider", "manifest"))
    judgement = schemas.judge([whole, wrapped])
    assert [(finding.resource.kind, finding.path) for finding in judgement.findings] == [
        ("Object", "spec.forProvider.manifest.metadata.labels.a"),
        ("Secret", "dataa"),
    ]


LATER = {"type": "FromCompositeFieldPath", "fromFieldPath": "status.location", "toFieldPath": "spec.forProvider.location"}
NEVER = {**LATER, "fromFieldPath": "spec.location"}
COMBINED = {
    "type": "CombineFromComposite",
    "combine": {"strategy": "string", "variables": [{"fromFieldPath": "spec.size"}, {"fromFieldPath": "status.zone"}]},
    "toFieldPath": "spec.forProvider.location",
}


@pytest.mark.parametrize(
    ("reason", "patches", "findings"),
    [
        ("nothing will ever fill the field", [], 1),
        ("the status will fill it", [LATER], 0),
        ("the type of a patch has a default", [{key: value for key, value in LATER.items() if key != "type"}], 0),
        ("the environment will fill it", [{**NEVER, "type": "FromEnvironmentFieldPath"}], 0),
        ("a combination with a part of the status", [COMBINED], 0),
        ("a field of the spec that is not there now is not there later", [NEVER], 1),
        ("a patch to another field does not help", [{**LATER, "toFieldPath": "spec.forProvider.project"}], 1),
    ],
)
def test_a_required_field_that_waits_for_the_cluster_is_no_fault(
    reason: str, patches: list[dict[str, Any]], findings: int, schemas: Schemas
) -> None:
    assert len(schemas.judge([_composed(_bucket(), patches)]).findings) == findings, reason


def test_patches_of_a_patch_set_wait_too(schemas: Schemas) -> None:
    use = [{"type": "PatchSet", "patchSetName": "late"}]
    assert schemas.judge([_composed(_bucket(), use, sets=[{"name": "late", "patches": [LATER]}])]).findings == ()


def test_what_was_written_already_is_judged(schemas: Schemas) -> None:
    flow = Flow(("status", "location"), ("spec", "forProvider", "location"))
    (finding,) = schemas.judge([_composed(_bucket(location=5), [LATER], flows=(flow,))]).findings
    assert finding.path == "spec.forProvider.location"


def test_a_wrapped_manifest_waits_for_what_its_object_waits_for(schemas: Schemas) -> None:
    manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {}}
    body = {
        "apiVersion": "kubernetes.crossplane.io/v1alpha2",
        "kind": "Object",
        "metadata": {"name": "o"},
        "spec": {"forProvider": {"manifest": {**manifest, "metadata": {}}}},
    }
    patch = {**LATER, "toFieldPath": "spec.forProvider.manifest.metadata.name"}
    whole = _composed(body, [patch])
    wrapped = Resource({**manifest, "metadata": {}}, Role.WRAPPED, whole.document, parent=whole, inside=("spec", "forProvider", "manifest"))
    assert schemas.judge([whole, wrapped]).findings == ()
    assert len(schemas.judge([replace(whole, composition=None), replace(wrapped, parent=replace(whole, composition=None))]).findings) == 1


def test_the_faults_of_one_object_are_listed_up_to_a_limit_and_then_counted(schemas: Schemas) -> None:
    findings = schemas.judge([_claim(**{f"field{number}": 1 for number in range(MOST_TOLD + 50)})]).findings
    assert len(findings) == MOST_TOLD + 1
    assert findings[-1].message.endswith("(and 49 more like it in this object)")
