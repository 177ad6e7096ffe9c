"""What grows without end while it is rendered stops as "could not check", before memory runs out."""

from __future__ import annotations

import time
from typing import Any

import pytest

from crossgate.errors import TooLargeError
from crossgate.load import load_text
from crossgate.render import render
from crossgate.render.estate import expand
from crossgate.schema import Schemas

XR = {"apiVersion": "a.b/v1", "kind": "X", "metadata": {"name": "x"}, "spec": {"a": "a" * 1000, "list": ["x"] * 10_000}}


def composition(patch: dict[str, Any]) -> dict[str, Any]:
    base = {"apiVersion": "v1", "kind": "ConfigMap"}
    template = {
        "name": "map",
        "base": base,
        "patches": [{"type": "FromCompositeFieldPath", "toFieldPath": "data.a", "fromFieldPath": "spec.a", **patch}],
    }
    given = {"apiVersion": "pt.fn.crossplane.io/v1beta1", "kind": "Resources", "resources": [template]}
    step = {"step": "grow", "functionRef": {"name": "function-patch-and-transform"}, "input": given}
    return {
        "apiVersion": "apiextensions.crossplane.io/v1",
        "kind": "Composition",
        "metadata": {"name": "c"},
        "spec": {"compositeTypeRef": {"apiVersion": "a.b/v1", "kind": "X"}, "mode": "Pipeline", "pipeline": [step]},
    }


def string(kind: str, **how: Any) -> dict[str, Any]:
    return {"type": "string", "string": {"type": kind, **how}}


@pytest.mark.parametrize(
    "patch",
    [
        pytest.param({"transforms": [string("Format", fmt="%[1]s%[1]s")] * 34}, id="34 times twice as long"),
        pytest.param({"transforms": [string("Format", fmt="%[1]s" * 20_000)]}, id="20,000 times in one format"),
        pytest.param({"transforms": [string("Format", fmt="%1000000[1]v" * 100)]}, id="wide columns"),
        pytest.param({"transforms": [string("Replace", replace={"search": "a", "replace": "x" * 100_000})]}, id="a long replacement"),
        pytest.param({"transforms": [string("Replace", replace={"search": "a", "replace": "aaaa"})] * 20}, id="replacements"),
        pytest.param({"fromFieldPath": "spec.list", "transforms": [string("Join", join={"separator": "x" * 10_000})]}, id="separators"),
        pytest.param({"transforms": [string("Convert", convert="ToBase64")] * 40}, id="encodings"),
        pytest.param(
            {
                "type": "CombineFromComposite",
                "combine": {"strategy": "string", "variables": [{"fromFieldPath": "spec.a"}] * 20_000, "string": {"fmt": "%s" * 20_000}},
            },
            id="a combination",
        ),
    ],
)  # fmt: skip
def test_a_text_that_grows_without_end(patch: dict[str, Any]) -> None:
    start = time.process_time()
    with pytest.raises(TooLargeError, match="grows over 12 MiB") as caught:
        render(XR, composition(patch))
    assert time.process_time() - start < 5
    assert 'step "grow"' in caught.value.where
    assert 'resource "map", patch 0' in caught.value.where


def test_in_an_estate_it_could_not_be_checked_at_the_patch() -> None:
    text = """\
apiVersion: apiextensions.crossplane.io/v1
kind: CompositeResourceDefinition
metadata: {name: xs.a.b}
spec:
  group: a.b
  names: {kind: X, plural: xs}
  versions:
    - name: v1
      served: true
      referenceable: true
      schema: {openAPIV3Schema: {properties: {spec: {type: object, x-kubernetes-preserve-unknown-fields: true}}}}
"""
    bodies = [XR, composition({"transforms": [string("Format", fmt="%[1]s%[1]s")] * 34})]
    documents = [*load_text(text), *(load_text(str(body).replace("'", '"'))[0] for body in bodies)]
    judgement = expand(documents, Schemas.load(()).including(documents)).judgement
    assert ["grows over" in item.what for item in judgement.could_not_check] == [True]
    assert not judgement.findings


def test_a_text_as_large_as_an_object_can_be_is_rendered() -> None:
    large = "x" * 1_500_000
    xr = {**XR, "spec": {"a": large}}
    [made] = render(xr, composition({"transforms": [string("Format", fmt="%s%%")]})).composed
    assert made["data"]["a"] == f"{large}%"
