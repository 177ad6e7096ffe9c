"""The transforms of function-patch-and-transform, each compiled once into a function of one value.

Values arrive in wire form (every number a float), unless they were read from an environment that a
patch has written: then whole numbers are int64, which ``%d`` and ``convert`` can see.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from crossgate.render import validate
from crossgate.render.conversions import INT64, compile_convert, to_int64
from crossgate.render.faults import MOST_TEXT, Fault, TooLarge, checked_size
from crossgate.render.gojson import floats
from crossgate.render.goprint import type_name
from crossgate.render.refusal import Transform, refuse
from crossgate.render.regexps import compile_regexp
from crossgate.render.stringtransforms import compile_string


def compile_chain(given: Sequence[dict[str, Any]]) -> Transform | None:
    """Return the function that applies transforms in order (None for none of them)."""
    steps = [_compile(transform) for transform in given]
    if not steps:
        return None

    def chain(value: Any) -> Any:
        for index, step in enumerate(steps):
            try:
                value = step(value)
                if value.__class__ is str and len(value) > MOST_TEXT:
                    checked_size(len(value))
            except Fault as fault:
                what = (
                    f"transform at index {index} returned error: {given[index].get('type', '')} transform could not resolve: {fault.what}"
                )
                kind = TooLarge if isinstance(fault, TooLarge) else Fault
                raise kind(what, hint=fault.hint, place=("transforms", index)) from None
        return value

    return chain


def _compile(transform: dict[str, Any]) -> Transform:
    kind = transform.get("type", "")
    maker = _MAKERS.get(kind)
    if maker is None:
        return refuse(f"transform type {kind} is not supported")
    if kind not in transform:
        return refuse(f"given transform type {kind} requires configuration")
    return maker(transform[kind])


def _wrap(value: int) -> int:
    """Return what an int64 holds after an overflow."""
    return (value + INT64) % (2 * INT64) - INT64


def _math(given: dict[str, Any]) -> Transform:
    try:
        validate.math(given, ())
    except Fault as fault:
        return refuse(fault.what)
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
        return refuse(f"unsupported pattern type '{kind}'", hint)
    if kind not in pattern:
        return refuse(f"{kind} is required by type {kind}")
    literal: str = pattern[kind]

    def equals(value: Any) -> Any:
        return _text(value) == literal

    def found(value: Any) -> Any:
        expression = compile_regexp(literal)
        return expression.matches(_text(value))

    return equals if kind == "literal" else found


def _text(value: Any) -> str:
    if value.__class__ is not str:
        raise Fault(f"unsupported input type '{type_name(value)}'", hint="put a convert transform to string before it")
    return str(value)


_MAKERS: dict[str, Callable[[Any], Transform]] = {
    "math": _math,
    "map": _map,
    "match": _match,
    "string": compile_string,
    "convert": compile_convert,
}
"""Per type: what compiles a transform of it from its own part of the input."""
