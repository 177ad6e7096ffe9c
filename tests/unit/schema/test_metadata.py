"""Metadata: what the server names, and where exactly the fault stands. Its verdicts are held to the server's in tests/conformance."""

from __future__ import annotations

from typing import Any

import pytest

from crossgate.schema.decoding import is_quantity
from crossgate.schema.metadata import check_metadata, generated_name


def _check(metadata: Any, *, namespaced: bool = True) -> list[tuple[str, tuple[str | int, ...]]]:
    return [(problem.path, problem.at) for problem in check_metadata({"metadata": metadata}, namespaced=namespaced)]


def test_a_bad_label_is_named_as_the_server_does_and_placed_at_its_key() -> None:
    assert _check({"name": "m", "labels": {"good": "x", "tier": "a b"}}) == [("metadata.labels", ("metadata", "labels", "tier"))]
    (problem,) = check_metadata({"metadata": {"name": "m", "labels": {"tier": "a b"}}}, namespaced=True)
    assert problem.message.startswith("found label 'tier' with value \"a b\", expected letters, digits")


@pytest.mark.parametrize(
    ("metadata", "path"),
    [
        ({}, "metadata.name"),
        (None, "metadata.name"),
        ({"name": "Upper"}, "metadata.name"),
        # The prefix itself passes: the server cuts two characters where it means to cut the dash.
        ({"generateName": "X-"}, "metadata.name"),
        ({"name": "m", "namespace": "a.b"}, "metadata.namespace"),
        ({"name": "m", "annotations": {"a b": "c"}}, "metadata.annotations"),
        ({"name": "m", "annotations": {"a": "x" * 262144}}, "metadata.annotations"),
        ({"name": "m", "finalizers": ["not ok"]}, "metadata.finalizers"),
        ({"name": "m", "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "p"}]}, "metadata.ownerReferences.uid"),
        ({"name": "m", "labels": {"a": 1}}, "metadata.labels.a"),
        ({"name": "m", "lables": {}}, "metadata.lables"),
        ("text", "metadata"),
    ],
)
def test_faults(metadata: Any, path: str) -> None:
    assert [named for named, _ in _check(metadata)] == [path]


@pytest.mark.parametrize(
    "metadata",
    [
        {"name": "m"},
        {"name": "a.b-c"},
        {"generateName": "m-"},
        {"name": "m", "labels": None, "annotations": None, "creationTimestamp": None},
        {"name": "m", "labels": {"a": "", "example.org/B_c.d": "X"}},
        {"name": "m", "annotations": {"Example.ORG/Any": "anything at all\n"}},
    ],
)
def test_good_metadata(metadata: dict[str, Any]) -> None:
    assert _check(metadata) == []


def test_a_namespace_of_a_cluster_scoped_object_is_dropped_by_the_server() -> None:
    assert _check({"name": "m", "namespace": "Not Good"}, namespaced=False) == []


def test_a_generated_name_is_as_long_as_the_servers() -> None:
    assert generated_name({"generateName": "a" * 80}) == "a" * 58 + "xxxxx"
    assert generated_name({"name": "n", "generateName": "g"}) == "n"


@pytest.mark.parametrize(
    ("value", "good"),
    [
        ("500m", True),
        ("1Gi", True),
        ("1.5", True),
        (".5", True),
        ("1e3", True),
        (2, True),
        (0.5, True),
        ("1gb", False),
        ("", False),
        ("1 Gi", False),
        (True, False),
    ],
)
def test_quantities(value: Any, good: bool) -> None:
    assert is_quantity(value) is good
