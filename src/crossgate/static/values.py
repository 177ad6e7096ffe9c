"""What is known about a value before any claim exists: its types, and all that it can be when a schema lists that.

The kinds are Go's, as a transform sees them: function-patch-and-transform reads every number of an XR as a float64, so the
integer 3 is a ``whole`` float64, and only a transform makes an ``int64``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from crossgate.static.walk import ANYTHING, Schema, is_int_or_string

KINDS = frozenset({"string", "boolean", "int64", "whole", "number", "object", "array", "null"})
"""``whole`` is a float64 without a fraction, ``number`` a float64 that may have one."""

NUMBERS = frozenset({"int64", "whole", "number"})

_OF_TYPE: Mapping[str, str] = {
    "string": "string",
    "boolean": "boolean",
    "integer": "whole",
    "number": "number",
    "object": "object",
    "array": "array",
}
_ONE_OF = re.compile(r"\^\(?([\w.:/-]+(?:\|[\w.:/-]+)*)\)?\$")


@dataclass(frozen=True, slots=True)
class Value:
    """What is known about a value.

    ``kinds`` is empty when nothing is known. ``choices`` are all values that it can have, as a transform sees them (``None``: not
    listed). ``low`` and ``high`` are bounds that somebody declared. ``schema`` is the schema of the field when the value is still
    what stood there. ``declared`` says that the kinds are what the author of the API declared, not what a provider's schema or a
    conversion promises.
    """

    kinds: frozenset[str] = frozenset()
    choices: tuple[Any, ...] | None = None
    low: float | None = None
    high: float | None = None
    schema: Schema = field(default_factory=lambda: ANYTHING)
    declared: bool = False

    @property
    def known(self) -> bool:
        """Say whether anything is known about the type."""
        return bool(self.kinds)

    def changed(self, *kinds: str, choices: tuple[Any, ...] | None = None) -> Value:
        """Return what a transform made of the value: another type, other choices, no longer the field's schema."""
        return Value(frozenset(kinds), choices)

    def with_choices(self, choices: tuple[Any, ...]) -> Value:
        """Return the value with all that it can be."""
        return replace(self, choices=choices)


UNKNOWN = Value()


def of_schema(schema: Schema) -> Value:
    """Return what a field's schema says about the values that stand there."""
    kinds = _kinds(schema)
    if not kinds:
        return replace(UNKNOWN, schema=schema)
    return Value(
        kinds=kinds,
        choices=_choices(schema, kinds),
        low=_number(schema.get("minimum")),
        high=_number(schema.get("maximum")),
        schema=schema,
        declared=True,
    )


def of_constants(constants: tuple[Any, ...]) -> Value:
    """Return the value that is one of ``constants`` (JSON values, as a map's pairs or a match's results hold them)."""
    values = tuple(as_float(constant) for constant in constants)
    kinds = frozenset(kind_of(value) for value in values)
    return Value(kinds=kinds, choices=values)


def any_of(values: list[Value]) -> Value:
    """Return what is known of a value that is one of several."""
    if len(values) == 1:
        return values[0]
    if not values or not all(value.known for value in values):
        return UNKNOWN
    listed = [value.choices for value in values]
    choices = tuple(choice for found in listed if found is not None for choice in found) if None not in listed else None
    return Value(kinds=frozenset[str]().union(*(value.kinds for value in values)), choices=choices)


def through_json(value: Value) -> Value:
    """Return a value after it was written as JSON and read again: a whole float64 is an int64 then."""
    kinds = {"whole": ("int64",), "number": ("number", "int64")}
    read = frozenset(name for kind in value.kinds for name in kinds.get(kind, (kind,)))
    choices = None if value.choices is None else tuple(as_json(choice) for choice in value.choices)
    return replace(value, kinds=read, choices=choices)


def as_float(value: Any) -> Any:
    """Return a JSON value as Go's decoder gives it to a transform: every number a float64."""
    match value:
        case bool():
            return value
        case int():
            return float(value)
        case list() | tuple():
            return [as_float(item) for item in value]
        case dict():
            return {key: as_float(item) for key, item in value.items()}
        case _:
            return value


def kind_of(value: Any) -> str:
    """Return the kind of one value, as a transform sees it (a Python float is a float64, an int an int64)."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case str():
            return "string"
        case int():
            return "int64"
        case float():
            return "whole" if value.is_integer() else "number"
        case list() | tuple():
            return "array"
        case _:
            return "object"


def as_json(value: Any) -> Any:
    """Return a value as it is written into the target: a whole float64 becomes an integer (its JSON has no fraction)."""
    match value:
        case float():
            # encoding/json writes floats from 1e21 on with an exponent, which are no integers when read again
            return int(value) if value.is_integer() and abs(value) < 1e21 else value
        case list() | tuple():
            return [as_json(item) for item in value]
        case dict():
            return {key: as_json(item) for key, item in value.items()}
        case _:
            return value


def _kinds(schema: Schema) -> frozenset[str]:
    if is_int_or_string(schema):
        return frozenset({"whole", "string"})
    kind = _OF_TYPE.get(str(schema.get("type")))
    return frozenset({kind}) if kind else frozenset()


def _choices(schema: Schema, kinds: frozenset[str]) -> tuple[Any, ...] | None:
    """Return all values of a field: its enum, the alternatives of a pattern like ``^(a|b)$``, or the two booleans."""
    enum = schema.get("enum")
    if isinstance(enum, list) and enum:
        return tuple(as_float(value) for value in enum)
    pattern = schema.get("pattern")
    if isinstance(pattern, str) and kinds == {"string"} and (found := _ONE_OF.fullmatch(pattern)) and "." not in pattern:
        # without the group, "^a|b$" means "starts with a, or ends with b"
        if "|" not in pattern or "(" in pattern:
            return tuple(found[1].split("|"))
        return None
    if kinds == {"boolean"}:
        return (True, False)
    return None


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
