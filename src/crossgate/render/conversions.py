"""The convert transform, and how Go turns numbers and strings into each other."""

from __future__ import annotations

import re
from typing import Any

from crossgate.render import validate
from crossgate.render.faults import Fault
from crossgate.render.gofloat import format_float, parse_float
from crossgate.render.gojson import NilArray, NilObject
from crossgate.render.goprint import type_name
from crossgate.render.jsontext import unmarshal
from crossgate.render.quantity import parse_quantity
from crossgate.render.refusal import Transform, refuse

INT64 = 2**63
_BOOLEANS = {
    **dict.fromkeys(("1", "t", "T", "true", "TRUE", "True"), True),
    **dict.fromkeys(("0", "f", "F", "false", "FALSE", "False"), False),
}
_INTEGER = re.compile("[+-]?[0-9]+")


def to_int64(value: float) -> int:
    """Return Go's ``int64(value)`` on amd64: toward zero, and the lowest integer for what does not fit."""
    if not -(2.0**63) <= value < 2.0**63:
        return -INT64
    return int(value)


def compile_convert(given: dict[str, Any]) -> Transform:
    """Compile a convert transform: from one of Go's types to another, or from text as JSON or a quantity."""
    try:
        validate.convert(given, ())
    except Fault as fault:
        return refuse(fault.what)
    wanted = "int64" if given["toType"] == "int" else given["toType"]
    form = given.get("format", "none")

    def convert(value: Any) -> Any:
        source = type_name(value)
        if source not in ("string", "bool", "int64", "float64"):
            raise Fault(f"invalid input type {source}")
        if source == wanted:
            return value
        conversion = _CONVERTERS.get((source, wanted, form))
        if conversion is None:
            raise Fault(f"conversion from {source} to {wanted} is not supported with format {form}")
        return conversion(value)

    return convert


def _parse_int(value: str) -> int:
    if not _INTEGER.fullmatch(value):
        raise Fault(f'strconv.ParseInt: parsing "{value}": invalid syntax')
    digits = value.lstrip("+-").lstrip("0") or "0"
    found = int(digits) if len(digits) <= 19 else INT64 * 2
    found = -found if value.startswith("-") else found
    if not -INT64 <= found < INT64:
        raise Fault(f'strconv.ParseInt: parsing "{value}": value out of range')
    return found


def _parse_bool(value: str) -> bool:
    if value not in _BOOLEANS:
        raise Fault(f'strconv.ParseBool: parsing "{value}": invalid syntax')
    return _BOOLEANS[value]


def _parse_json(kind: type, nil: type, name: str) -> Transform:
    def parse(value: Any) -> Any:
        found = unmarshal(value)
        if found is None:
            return nil()
        if found.__class__ is not kind:
            raise Fault(f"json: cannot unmarshal {_json_kind(found)} into Go value of type {name}")
        return found

    return parse


def _json_kind(value: Any) -> str:
    return {dict: "object", list: "array", str: "string", bool: "bool"}.get(value.__class__, "number")


_CONVERTERS: dict[tuple[str, str, str], Transform] = {
    ("string", "int64", "none"): _parse_int,
    ("string", "bool", "none"): _parse_bool,
    ("string", "float64", "none"): parse_float,
    ("string", "float64", "quantity"): parse_quantity,
    ("string", "object", "json"): _parse_json(dict, NilObject, "map[string]interface {}"),
    ("string", "array", "json"): _parse_json(list, NilArray, "[]interface {}"),
    ("int64", "string", "none"): str,
    ("int64", "bool", "none"): lambda value: bool(value == 1),
    ("int64", "float64", "none"): float,
    ("bool", "string", "none"): lambda value: "true" if value else "false",
    ("bool", "int64", "none"): int,
    ("bool", "float64", "none"): float,
    ("float64", "string", "none"): lambda value: format_float(value, "f", -1),
    ("float64", "int64", "none"): to_int64,
    ("float64", "bool", "none"): lambda value: bool(value == 1),
}
