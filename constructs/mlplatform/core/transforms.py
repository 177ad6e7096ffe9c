"""The transforms of function-patch-and-transform, as values to hand to a patch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

Transform = dict[str, Any]


def map_(pairs: Mapping[str, Any]) -> Transform:
    """Replace a value by its entry in ``pairs``; a value that is not in it stops the rendering."""
    return {"type": "map", "map": dict(pairs)}


def match(patterns: Sequence[tuple[str, Any]], *, otherwise: Any = None) -> Transform:
    """Replace a string by the result of the first regular expression that it matches, or by ``otherwise``.

    Without ``otherwise`` an unmatched value stays as it is. The function wants at least one pattern.
    """
    body: dict[str, Any] = {"patterns": [{"type": "regexp", "regexp": pattern, "result": result} for pattern, result in patterns]}
    return {"type": "match", "match": {**body, **({"fallbackTo": "Input"} if otherwise is None else {"fallbackValue": otherwise})}}


def always(value: Any) -> list[Transform]:
    """Replace whatever is there by ``value``: the patch then says that something is there."""
    return [fmt("%v"), match([(".*", value)], otherwise=value)]


def multiply(factor: int) -> Transform:
    """Multiply a number."""
    return {"type": "math", "math": {"type": "Multiply", "multiply": factor}}


def clamp(*, least: int | None = None, most: int | None = None) -> list[Transform]:
    """Keep a number within bounds."""
    low = [] if least is None else [{"type": "math", "math": {"type": "ClampMin", "clampMin": least}}]
    high = [] if most is None else [{"type": "math", "math": {"type": "ClampMax", "clampMax": most}}]
    return low + high


def convert(
    to: Literal["string", "bool", "int64", "float64", "object", "array"], *, text: Literal["quantity", "json"] | None = None
) -> Transform:
    """Convert a value; ``text`` says how a string is read (a Kubernetes quantity, or JSON)."""
    return {"type": "convert", "convert": {"toType": to, **({"format": text} if text else {})}}


def fmt(format_: str) -> Transform:
    """Write a value into a Go format (``%s`` for strings, ``%d`` for integers, ``%v`` for anything)."""
    return {"type": "string", "string": {"type": "Format", "fmt": format_}}


def change(
    conversion: Literal["ToUpper", "ToLower", "ToBase64", "FromBase64", "ToJson", "ToSha1", "ToSha256", "ToSha512", "ToAdler32"],
) -> Transform:
    """Change a string's letters or encoding, or hash it (hashes are of the value's JSON)."""
    return {"type": "string", "string": {"type": "Convert", "convert": conversion}}


def trim_prefix(prefix: str) -> Transform:
    """Remove a prefix where it is there."""
    return {"type": "string", "string": {"type": "TrimPrefix", "trim": prefix}}


def trim_suffix(suffix: str) -> Transform:
    """Remove a suffix where it is there."""
    return {"type": "string", "string": {"type": "TrimSuffix", "trim": suffix}}


def regexp(pattern: str, *, group: int = 0) -> Transform:
    """Take what a regular expression (RE2) matches, or one of its groups; no match stops the rendering."""
    return {"type": "string", "string": {"type": "Regexp", "regexp": {"match": pattern, **({"group": group} if group else {})}}}


def replace(search: str, by: str) -> Transform:
    """Replace every occurrence of a text."""
    return {"type": "string", "string": {"type": "Replace", "replace": {"search": search, "replace": by}}}


def join(separator: str) -> Transform:
    """Join a list of strings."""
    return {"type": "string", "string": {"type": "Join", "join": {"separator": separator}}}
