"""JSON text as Go's encoding/json writes and reads it."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from crossgate.render.faults import Fault
from crossgate.render.gojson import NilArray, NilObject, shortest, text

_ESCAPED = re.compile('["\\\\\x00-\x1f<>&\u2028\u2029\ud800-\udfff]')
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}


def marshal(value: Any) -> str:
    """Write a value as Go's ``json.Marshal`` does: sorted keys, HTML characters escaped, Go's floats."""
    kind = value.__class__
    if kind is str:
        return _quote(value)
    if value is None or kind is NilObject or kind is NilArray:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    if kind is int:
        return str(value)
    if kind is float:
        return _float(value)
    if kind is dict:
        return "{" + ",".join(f"{_quote(key)}:{marshal(value[key])}" for key in sorted(value)) + "}"
    return "[" + ",".join(map(marshal, value)) + "]"


def _quote(value: str) -> str:
    return '"' + _ESCAPED.sub(_escape, value) + '"'


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    if character >= "\ud800" and character <= "\udfff":
        return "\\ufffd"
    return _ESCAPES.get(character) or f"\\u{ord(character):04x}"


def _float(value: float) -> str:
    if not math.isfinite(value):
        raise Fault(f"cannot marshal to JSON: unsupported value: {value}")
    if value == 0 or 1e-6 <= abs(value) < 1e21:
        whole = int(value)
        if whole == value:
            return str(shortest(value)) if whole or math.copysign(1, value) > 0 else "-0"
        digits = repr(value)
        return digits if "e" not in digits else _plain(digits)
    mantissa, _, exponent = repr(value).partition("e")
    return f"{mantissa.removesuffix('.0')}e{exponent[0]}{exponent[1:].lstrip('0')}"


def _plain(digits: str) -> str:
    """Write a small number without its exponent (Python switches to one at 1e-5, Go at 1e-7)."""
    mantissa, _, exponent = digits.partition("e")
    sign, mantissa = ("-", mantissa[1:]) if mantissa.startswith("-") else ("", mantissa)
    return f"{sign}0.{'0' * (-int(exponent) - 1)}{mantissa.replace('.', '')}"


def unmarshal(source: str) -> Any:
    """Read JSON text into wire form, as Go's ``json.Unmarshal`` does into ``any``; raises Fault."""
    try:
        return _tidy(
            json.loads(source, parse_int=_parse, parse_float=_parse, parse_constant=_constant), source.isascii() and "\\u" not in source
        )
    except ValueError as error:
        raise Fault(f"invalid JSON: {error}") from None
    except RecursionError:
        raise Fault("invalid JSON: exceeded max depth") from None


def _parse(literal: str) -> float:
    found = float(literal)
    if math.isinf(found):
        raise ValueError(f"cannot unmarshal number {literal} into Go value of type float64")
    return found


def _constant(name: str) -> Any:
    raise ValueError(f"invalid character {name[0]!r} looking for beginning of value")


def _tidy(value: Any, clean: bool) -> Any:
    return value if clean else _texts(value)


def _texts(value: Any) -> Any:
    if isinstance(value, str):
        return text(value)
    if isinstance(value, dict):
        return {text(key): _texts(item) for key, item in value.items()}
    return [_texts(item) for item in value] if isinstance(value, list) else value
