"""The check as a whole: places, the native mode, order, and Compositions that are hardly Compositions."""

from __future__ import annotations

from typing import Any

import pytest

from crossgate.load import load_text
from crossgate.model import Document
from crossgate.schema import Schemas
from crossgate.static import check_composition

TEXT = """\
apiVersion: apiextensions.crossplane.io/v1
kind: Composition
metadata: {name: stores}
spec:
  compositeTypeRef: {apiVersion: example.org/v1alpha1, kind: XStore}
  mode: Pipeline
  pipeline:
    - step: patch
      functionRef: {name: function-patch-and-transform}
      input:
        apiVersion: pt.fn.crossplane.io/v1beta1
        kind: Resources
        resources:
          - name: bucket
            base:
              apiVersion: store.example.org/v1beta2
              kind: Bucket
              spec:
                forProvider:
                  location: EU
                  locaton: EU
            patches:
              - fromFieldPath: spec.parameters.name
                toFieldPath: spec.forProvider.labels.name
              - fromFieldPath: spec.parameters.namee
                toFieldPath: spec.forProvider.labels.namee
              - fromFieldPath: spec.parameters.size
                toFieldPath: spec.forProvider.class
                transforms:
                  - type: map
                    map:
                      small: COLD
                      large: STANDARD
                      huge: STANDARD
"""


def test_findings_point_at_the_line_that_the_author_wrote(schemas: Schemas) -> None:
    (document,) = load_text(TEXT, "stores.yaml")
    findings = check_composition(document, schemas).findings
    assert [(finding.rule, str(finding.place)) for finding in findings] == [
        ("crossplane/unknown-source-field", "stores.yaml:25:17"),
        ("crossplane/map-not-exhaustive", "stores.yaml:34:23"),
        ("crossplane/unknown-base-field", "stores.yaml:21:19"),
    ]
    assert {finding.resource.name for finding in findings} == {"stores"}
    assert len({finding.fingerprint for finding in findings}) == 3


def test_the_removed_native_mode_is_judged_as_what_it_converts_to(schemas: Schemas) -> None:
    (document,) = load_text(TEXT, "stores.yaml")
    step = document.body["spec"]["pipeline"][0]["input"]
    native = {**document.body, "spec": {"compositeTypeRef": document.body["spec"]["compositeTypeRef"], "resources": step["resources"]}}
    before = [finding.rule for finding in check_composition(document, schemas).findings]
    assert [finding.rule for finding in check_composition(Document(native, "stores.yaml", 1), schemas).findings] == before


@pytest.mark.parametrize(
    "spec",
    [
        None,
        {},
        {"pipeline": None},
        {"pipeline": "x"},
        {"pipeline": ["x", None, {}]},
        {"compositeTypeRef": {"apiVersion": "example.org/v1alpha1", "kind": "XStore"}, "pipeline": [{"step": "a"}]},
        {"compositeTypeRef": {"apiVersion": "a/b/c", "kind": "X"}, "pipeline": []},
    ],
)
def test_a_pipeline_that_is_none_is_said_and_never_passes(schemas: Schemas, spec: Any) -> None:
    body = {"apiVersion": "apiextensions.crossplane.io/v1", "kind": "Composition", "metadata": {"name": "x"}, "spec": spec}
    judgement = check_composition(Document(body, "x.yaml", 1), schemas)
    assert judgement.findings or judgement.could_not_check


def test_an_empty_pipeline_composes_nothing_and_is_no_fault(schemas: Schemas) -> None:
    spec = {"compositeTypeRef": {"apiVersion": "example.org/v1alpha1", "kind": "XStore"}, "pipeline": []}
    body = {"apiVersion": "apiextensions.crossplane.io/v1", "kind": "Composition", "metadata": {"name": "x"}, "spec": spec}
    judgement = check_composition(Document(body, "x.yaml", 1), schemas)
    assert (judgement.findings, judgement.could_not_check) == ((), ())
