"""Values: what was found, what was expected, and the oddities of the server that are followed. Its verdicts stand in tests/conformance."""

from __future__ import annotations

from typing import Any

import pytest

from crossgate.schema.listtypes import check_lists
from crossgate.schema.values import Fault, check_value, is_integral, shown


def _faults(schema: dict[str, Any], value: Any) -> list[Fault]:
    faults: list[Fault] = []
    check_value(schema, value, ("spec",), faults)
    check_lists(schema, value, ("spec",), faults)
    return faults


@pytest.mark.parametrize(
    ("schema", "value", "message"),
    [
        ({"type": "integer"}, "1", 'found string "1", expected integer'),
        ({"type": "integer"}, True, "found boolean true, expected integer"),
        ({"type": "object"}, [], "found array [], expected object"),
        ({"type": "string"}, None, "found null, expected string"),
        ({"x-kubernetes-int-or-string": True}, 1.5, "found number 1.5, expected integer or string"),
        ({"type": "string", "maxLength": 2}, "äöü", "found 3 characters, expected at most 2"),
        ({"type": "string", "minLength": 2}, "a", 'found "a" with 1 characters, expected at least 2'),
        ({"type": "string", "pattern": "^a"}, "b", 'found "b", expected a match of ^a'),
        ({"type": "string", "format": "ipv4"}, "x", 'found "x", expected the format ipv4'),
        ({"type": "string", "enum": ["t4", "v100"]}, "v10", 'found "v10", expected one of "t4", "v100"; did you mean "v100"?'),
        ({"type": "integer", "minimum": 1}, 0, "found 0, expected at least 1"),
        ({"type": "number", "maximum": 1, "exclusiveMaximum": True}, 1.0, "found 1.0, expected less than 1"),
        ({"type": "integer", "format": "int32"}, 2**31, "found 2147483648, expected a number that fits into int32"),
        ({"type": "integer", "multipleOf": 3}, 4, "found 4, expected a multiple of 3"),
        ({"type": "array", "items": {}, "maxItems": 1}, [1, 2], "found 2 items, expected at most 1"),
        ({"type": "array", "x-kubernetes-list-type": "set"}, ["a", "a"], 'found "a" twice, expected different items (the list is a set)'),
        ({"type": "object", "maxProperties": 0}, {"a": 1}, "found 1 fields, expected at most 0"),
        ({"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}}, {}, "missing; this field is required (string)"),
        (
            {"oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
            {"a": 1, "b": 1},
            "must match exactly one of 2 schemas (oneOf); 2 of them match: give exactly one of a, b",
        ),
        ({"not": {"enum": ["x"]}}, "x", 'found "x", which the schema excludes (not {"enum": ["x"]})'),
    ],
)
def test_messages_say_what_was_found_and_expected(schema: dict[str, Any], value: Any, message: str) -> None:
    assert [fault.message for fault in _faults(schema, value)] == [message]


@pytest.mark.parametrize(
    ("reason", "schema", "value"),
    [
        ("a list passes for a formatted string", {"type": "string", "format": "date-time"}, ["x"]),
        ("a float passes an enum that holds its integer part", {"type": "number", "enum": [1]}, 1.5),
        ("a float is an integer when it is whole", {"type": "integer"}, 2.0),
        ("against an integer a fractional bound is cut", {"type": "number", "minimum": 1.5}, 1),
        ("an unknown format is no format", {"type": "string", "format": "semver"}, "x"),
        (
            "a list of type map may miss a key once",
            {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]},
            [{}, {"k": 1}],
        ),
    ],
)
def test_oddities_of_the_server_are_followed(reason: str, schema: dict[str, Any], value: Any) -> None:
    assert _faults(schema, value) == [], reason


def test_of_failing_branches_the_one_that_passed_most_is_shown() -> None:
    schema = {"anyOf": [{"required": ["x", "y"]}, {"required": ["a"], "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}}]}
    assert [fault.at for fault in _faults(schema, {"b": 1})] == [("spec",), ("spec", "a")]


@pytest.mark.parametrize(
    ("value", "integral"),
    [(2.0, True), (2.5, False), (2.0000000001, True), (2.0**53, False), (float("inf"), False), (0.1, False), (-3.0, True)],
)
def test_what_is_an_integer_to_go(value: float, integral: bool) -> None:
    assert is_integral(value) is integral


def test_a_duplicate_is_reported_once_however_often_it_stands() -> None:
    schema = {"type": "array", "x-kubernetes-list-type": "set"}
    assert [fault.at for fault in _faults(schema, [1, 1, 1, 1.0, True, "1"])] == [("spec", 1)]


def test_long_values_are_cut_in_messages() -> None:
    assert shown("x" * 200) == '"' + "x" * 76 + "…"
