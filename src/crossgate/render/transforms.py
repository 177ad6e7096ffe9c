"""The transforms of function-patch-and-transform, each compiled once into a function of one value.

Values arrive in wire form (every number a float), unless they were read from an environment that a
patch has written: then whole numbers are int64, which ``%d`` and ``convert`` can see.
"""

from __future__ import annotations

import base64
import hashlib
import re
import zlib
from collections.abc import Callable, Sequence
from typing import Any

from crossgate.render import validate
from crossgate.render.faults import Fault
from crossgate.render.gofloat import format_float, parse_float
from crossgate.render.gofmt import Format, text_of, type_name
from crossgate.render.gojson import NilArray, NilObject, floats, marshal, raw, unmarshal, unraw
from crossgate.render.gotext import decode_base64, lower, upper
from crossgate.render.quantity import parse_quantity
from crossgate.render.regexps import compile_regexp

Transform = Callable[[Any], Any]

_INT64 = 2**63
_BOOLEANS = {
    **dict.fromkeys(("1", "t", "T", "true", "TRUE", "True"), True),
    **dict.fromkeys(("0", "f", "F", "false", "FALSE", "False"), False),
}
_INTEGER = re.compile("[+-]?[0-9]+")


def compile_chain(given: Sequence[dict[str, Any]]) -> Transform | None:
    """Return the function that applies transforms in order (None for none of them)."""
    steps = [_compile(transform) for transform in given]
    if not steps:
        return None

    def chain(value: Any) -> Any:
        for index, step in enumerate(steps):
            try:
                value = step(value)
            except Fault as fault:
                what = (
                    f"transform at index {index} returned error: {given[index].get('type', '')} transform could not resolve: {fault.what}"
                )
                raise Fault(what, hint=fault.hint, place=("transforms", index)) from None
        return value

    return chain


def _compile(transform: dict[str, Any]) -> Transform:
    kind = transform.get("type", "")
    maker = _MAKERS.get(kind)
    if maker is None:
        return _refuse(f"transform type {kind} is not supported")
    if kind not in transform:
        return _refuse(f"given transform type {kind} requires configuration")
    return maker(transform[kind])


def _refuse(what: str) -> Transform:
    """Return a transform that always fails: input validation does not look into combine patches."""

    def refuse(_value: Any) -> Any:
        raise Fault(what)

    return refuse


# math


def _wrap(value: int) -> int:
    """Return what an int64 holds after an overflow."""
    return (value + _INT64) % (2 * _INT64) - _INT64


def to_int64(value: float) -> int:
    """Return Go's ``int64(value)`` on amd64: toward zero, and the lowest integer for what does not fit."""
    if not -(2.0**63) <= value < 2.0**63:
        return -_INT64
    return int(value)


def _math(given: dict[str, Any]) -> Transform:
    try:
        validate.math(given, ())
    except Fault as fault:
        return _refuse(fault.what)
    kind = given["type"]
    operand: int = given[kind[0].lower() + kind[1:]]

    def multiply(value: Any) -> Any:
        if value.__class__ is float:
            return value * float(operand)
        return _wrap(_number(value) * operand)

    def clamp_min(value: Any) -> Any:
        return operand if to_int64(_number(value)) < operand else value

    def clamp_max(value: Any) -> Any:
        return operand if to_int64(_number(value)) > operand else value

    return {"Multiply": multiply, "ClampMin": clamp_min, "ClampMax": clamp_max}[kind]


def _number(value: Any) -> Any:
    if value.__class__ is not float and value.__class__ is not int:
        raise Fault(f"input is required to be a number for math transformer, got {type_name(value)}")
    return value


# map


def _map(pairs: dict[str, Any]) -> Transform:
    values = {key: floats(value) for key, value in pairs.items()}

    def look_up(value: Any) -> Any:
        if value.__class__ is not str:
            raise Fault(f"type {type_name(value)} is not supported for map transform", hint="put a convert transform to string before it")
        if value not in values:
            raise Fault(f"key {value} is not found in map", hint=f"the map has {', '.join(sorted(values))}")
        found = values[value]
        if found is None:
            raise Fault(f"value for key {value} is not valid JSON: unexpected end of JSON input", hint="a pair cannot map to null")
        return found

    return look_up


# match


def _match(given: dict[str, Any]) -> Transform:
    patterns = [(_pattern(pattern), floats(pattern.get("result"))) for pattern in given.get("patterns", ())]
    fallback = floats(given.get("fallbackValue"))
    to_input = given.get("fallbackTo") == "Input"

    def match(value: Any) -> Any:
        for index, (matches, result) in enumerate(patterns):
            try:
                if matches(value):
                    return result
            except Fault as fault:
                raise Fault(f"cannot match pattern at index {index}: {fault.what}", hint=fault.hint) from None
        if not to_input:
            return fallback
        if fallback is not None:
            raise Fault("cannot set both a fallback value and the fallback to input flag")
        return value

    return match


def _pattern(pattern: dict[str, Any]) -> Transform:
    kind = pattern.get("type", "")
    if kind not in ("literal", "regexp"):
        hint = "set type: literal (the function does not apply the documented default)"
        return _failing(f"unsupported pattern type '{kind}'", hint)
    if kind not in pattern:
        return _refuse(f"{kind} is required by type {kind}")
    literal: str = pattern[kind]

    def equals(value: Any) -> Any:
        return _text(value) == literal

    def found(value: Any) -> Any:
        expression = compile_regexp(literal)
        return expression.matches(_text(value))

    return equals if kind == "literal" else found


def _failing(what: str, hint: str) -> Transform:
    def fail(_value: Any) -> Any:
        raise Fault(what, hint=hint)

    return fail


def _text(value: Any) -> str:
    if value.__class__ is not str:
        raise Fault(f"unsupported input type '{type_name(value)}'", hint="put a convert transform to string before it")
    return str(value)


# string


def _string(given: dict[str, Any]) -> Transform:
    kind = given.get("type", "")
    maker = _STRINGS.get(kind)
    if maker is None:
        return _refuse(f"type {kind} is not supported for string transform type")
    name, make = maker
    if name not in given:
        return _refuse(f"string transform of type {kind} {name} is not set")
    return make(given[name])


def _format(form: str) -> Transform:
    compiled = Format(form)
    return lambda value: compiled([value])


def _convert_string(kind: str) -> Transform:
    return _CONVERSIONS.get(kind) or _refuse(f"type {kind} is not supported for string convert")


def _hashable(value: Any) -> bytes:
    return raw(value) if value.__class__ is str else raw(marshal(value))


_CONVERSIONS: dict[str, Transform] = {
    "ToUpper": lambda value: upper(text_of(value)),
    "ToLower": lambda value: lower(text_of(value)),
    "ToJson": marshal,
    "ToBase64": lambda value: base64.b64encode(raw(text_of(value))).decode(),
    "FromBase64": lambda value: decode_base64(raw(text_of(value))),
    "ToSha1": lambda value: hashlib.sha1(_hashable(value), usedforsecurity=False).hexdigest(),
    "ToSha256": lambda value: hashlib.sha256(_hashable(value)).hexdigest(),
    "ToSha512": lambda value: hashlib.sha512(_hashable(value)).hexdigest(),
    "ToAdler32": lambda value: str(zlib.adler32(_hashable(value))),
}


def _trim_prefix(trim: str) -> Transform:
    return lambda value: unraw(raw(text_of(value)).removeprefix(raw(trim)))


def _trim_suffix(trim: str) -> Transform:
    return lambda value: unraw(raw(text_of(value)).removesuffix(raw(trim)))


def _regexp(given: dict[str, Any]) -> Transform:
    pattern, group = given.get("match", ""), given.get("group", 0)

    def first(value: Any) -> Any:
        groups = compile_regexp(pattern).groups(text_of(value))
        if not groups or group >= len(groups):
            raise Fault(f'regexp "{pattern}" had no matches for group {group}')
        if group < 0:
            raise Fault(
                f"group {group} is negative: function-patch-and-transform crashes on it", hint="groups count from 0, the whole match"
            )
        return groups[group]

    return first


def _join(given: dict[str, Any]) -> Transform:
    separator = given.get("separator", "")

    def join(value: Any) -> Any:
        if not isinstance(value, list):
            raise Fault("could not parse input array", hint="join takes a list")
        if not value:
            return ""
        joined = raw("".join(text_of(item) + separator for item in value))
        # The function cuts one byte off, however long the separator is.
        return unraw(joined[:-1] if separator else joined)

    return join


def _replace(given: dict[str, Any]) -> Transform:
    search, replacement = given.get("search", ""), given.get("replace", "")
    return lambda value: unraw(raw(text_of(value))).replace(search, replacement)


_STRINGS: dict[str, tuple[str, Callable[[Any], Transform]]] = {
    "Format": ("fmt", _format),
    "Convert": ("convert", _convert_string),
    "TrimPrefix": ("trim", _trim_prefix),
    "TrimSuffix": ("trim", _trim_suffix),
    "Regexp": ("regexp", _regexp),
    "Join": ("join", _join),
    "Replace": ("replace", _replace),
}


# convert


def _convert(given: dict[str, Any]) -> Transform:
    try:
        validate.convert(given, ())
    except Fault as fault:
        return _refuse(fault.what)
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
    found = int(digits) if len(digits) <= 19 else _INT64 * 2
    found = -found if value.startswith("-") else found
    if not -_INT64 <= found < _INT64:
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

_MAKERS: dict[str, Callable[[Any], Transform]] = {"math": _math, "map": _map, "match": _match, "string": _string, "convert": _convert}
