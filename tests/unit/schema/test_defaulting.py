"""Nulls and defaults, as apiextensions-apiserver's ``pkg/apiserver/schema/defaulting`` treats them."""

from __future__ import annotations

from typing import Any

import pytest

from crossgate.schema.defaulting import DefaultTree, copy_json, drop_nulls

INTEGER = {"type": "integer"}
ONE = {"type": "integer", "default": 1}


def _stored(value: Any, schema: dict[str, Any]) -> Any:
    copy = copy_json(value)
    drop_nulls(copy, schema)
    return DefaultTree.of(schema).applied(copy)


@pytest.mark.parametrize(
    ("reason", "value", "schema", "expected"),
    [
        ("a missing value takes its default", {}, {"properties": {"a": ONE}}, {"a": 1}),
        ("a value stays", {"a": 2}, {"properties": {"a": ONE}}, {"a": 2}),
        ("a null with a default takes it", {"a": None}, {"properties": {"a": ONE}}, {"a": 1}),
        ("a null that is a value stays", {"a": None}, {"properties": {"a": {**ONE, "nullable": True}}}, {"a": None}),
        ("a null without either is dropped", {"a": None}, {"properties": {"a": INTEGER}}, {}),
        ("a null under a schema that says nothing is dropped", {"a": None}, {"properties": {"a": {}}}, {}),
        ("a null of an unknown field stays", {"a": None}, {"x-kubernetes-preserve-unknown-fields": True}, {"a": None}),
        ("a null in a map is dropped", {"a": None}, {"additionalProperties": INTEGER}, {}),
        ("a null in a map of defaults takes one", {"a": None}, {"additionalProperties": ONE}, {"a": 1}),
        ("a null in a list stays", [None], {"items": INTEGER}, [None]),
        ("a null in a list of defaults takes one", [None, 2], {"items": ONE}, [1, 2]),
        ("defaults below a missing object are not made up", {}, {"properties": {"o": {"properties": {"a": ONE}}}}, {}),
        (
            "an object's own default is filled further",
            {},
            {"properties": {"o": {"default": {}, "properties": {"a": ONE}}}},
            {"o": {"a": 1}},
        ),
        (
            "items of a default list too",
            {},
            {"properties": {"l": {"default": [{}], "items": {"properties": {"a": ONE}}}}},
            {"l": [{"a": 1}]},
        ),
        ("each object of a list", [{}, {"a": 2}], {"items": {"properties": {"a": ONE}}}, [{"a": 1}, {"a": 2}]),
        (
            "false, zero and the empty string are values",
            {"a": 0, "b": False, "c": ""},
            {"properties": dict.fromkeys("abc", ONE)},
            {"a": 0, "b": False, "c": ""},
        ),
    ],
)
def test_what_is_stored(reason: str, value: Any, schema: dict[str, Any], expected: Any) -> None:
    assert _stored(value, schema) == expected, reason


def test_a_default_is_copied_and_the_value_left_alone() -> None:
    schema = {"properties": {"o": {"default": {"l": []}, "properties": {"l": {"items": INTEGER}}}}}
    value: dict[str, Any] = {}
    first = _stored(value, schema)
    first["o"]["l"].append(1)
    assert _stored(value, schema) == {"o": {"l": []}}
    assert value == {}


def test_parts_without_defaults_are_shared_not_copied() -> None:
    """Most of a large resource has no defaults: it must not be walked for every document."""
    value = {"big": {"x": [1]}, "o": {}}
    made = DefaultTree.of({"properties": {"big": {"type": "object"}, "o": {"properties": {"a": ONE}}}}).applied(value)
    assert made == {"big": {"x": [1]}, "o": {"a": 1}}
    assert made["big"] is value["big"]
    assert value["o"] == {}
