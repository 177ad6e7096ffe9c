"""Whatever stands in a claim, an XRD or a Composition: the estate is expanded, the same each time, and its inputs stay as they are."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crossgate.model import Document, Judgement, Resource
from crossgate.render.estate import Estate, expand
from crossgate.render.native import is_native, to_pipeline
from crossgate.schema import Schemas

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)

XRD: dict[str, Any] = {
    "apiVersion": "apiextensions.crossplane.io/v1",
    "kind": "CompositeResourceDefinition",
    "metadata": {"name": "xthings.example.org"},
    "spec": {
        "group": "example.org",
        "names": {"kind": "XThing", "plural": "xthings"},
        "claimNames": {"kind": "Thing", "plural": "things"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "referenceable": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {
                                "type": "object",
                                "properties": {"size": {"type": "string", "default": "M"}},
                                "x-kubernetes-preserve-unknown-fields": True,
                            }
                        },
                    }
                },
            }
        ],
    },
}
COMPOSITION: dict[str, Any] = {
    "apiVersion": "apiextensions.crossplane.io/v1",
    "kind": "Composition",
    "metadata": {"name": "c", "labels": {"provider": "aws"}},
    "spec": {
        "compositeTypeRef": {"apiVersion": "example.org/v1", "kind": "XThing"},
        "resources": [
            {
                "base": {
                    "apiVersion": "kubernetes.crossplane.io/v1alpha2",
                    "kind": "Object",
                    "spec": {"forProvider": {"manifest": {"kind": "A"}}},
                },
                "patches": [{"fromFieldPath": "spec.size", "toFieldPath": "spec.size", "policy": {"mergeOptions": {}}}],
                "connectionDetails": [{"fromConnectionSecretKey": "k"}],
            }
        ],
    },
}
CLAIM: dict[str, Any] = {
    "apiVersion": "example.org/v1",
    "kind": "Thing",
    "metadata": {"name": "a", "namespace": "b", "labels": {"x": "y"}, "annotations": {"x": "y"}},
    "spec": {"size": "L", "compositionSelector": {"matchLabels": {"provider": "aws"}}, "compositionUpdatePolicy": "Manual"},
}


def paths(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(path for key, item in items for path in paths(item, (*at, key)))]


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copy = deepcopy(value)
    at = copy
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = new
    return copy


def comparable(estate: Estate) -> tuple[list[tuple[Any, ...]], Judgement]:
    def row(resource: Resource) -> tuple[Any, ...]:
        return resource.role, resource.body, resource.template, resource.flows, resource.inside

    return [row(resource) for resource in estate.resources], estate.judgement


SCHEMAS = Schemas.load(()).including([Document(XRD, "xrd.yaml")])
MANY = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@MANY
@given(st.sampled_from(paths(CLAIM)), JSON)
def test_any_value_in_a_claim(path: tuple[Any, ...], value: Any) -> None:
    check([XRD, COMPOSITION, replaced(CLAIM, path, value)])


@MANY
@given(st.sampled_from(paths(COMPOSITION)), JSON)
def test_any_value_in_a_composition(path: tuple[Any, ...], value: Any) -> None:
    check([XRD, replaced(COMPOSITION, path, value), CLAIM])


@MANY
@given(st.sampled_from(paths(XRD)), JSON)
def test_any_value_in_an_xrd(path: tuple[Any, ...], value: Any) -> None:
    check([replaced(XRD, path, value), COMPOSITION, CLAIM])


def check(bodies: list[Any]) -> None:
    before = deepcopy(bodies)
    documents = [Document(body, f"{number}.yaml", 1) for number, body in enumerate(bodies)]
    once, again = (comparable(expand(documents, SCHEMAS)) for _ in range(2))
    assert once == again
    assert bodies == before


@MANY
@given(st.sampled_from(paths(COMPOSITION)), JSON)
def test_converting_twice_changes_nothing_more(path: tuple[Any, ...], value: Any) -> None:
    body = replaced(COMPOSITION, path, value)
    if is_native(body):
        assert not is_native(to_pipeline(body))
