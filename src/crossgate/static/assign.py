"""Whether a value, as far as it is known, fits the field that it is written into."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from crossgate.model import Severity
from crossgate.paths import Path
from crossgate.schema.values import shown
from crossgate.static.conform import Breach, breaches
from crossgate.static.values import Value, as_json, of_schema
from crossgate.static.walk import ANYTHING, Lost, Schema, is_open, kinds_of, walk

_JSON_KINDS: Mapping[str, frozenset[str]] = {
    "string": frozenset({"string"}),
    "boolean": frozenset({"boolean"}),
    # a whole float64 is written without a fraction, and a conversion to float64 may give a whole one
    "integer": frozenset({"int64", "whole", "number"}),
    "number": frozenset({"int64", "whole", "number"}),
    "object": frozenset({"object"}),
    "array": frozenset({"array"}),
}

_SAID: Mapping[str, str] = {"int64": "integer", "whole": "integer", "array": "list"}

_DEPTH = 12
"""Schemas nest; a JSON-schema kind (Argo's, Helm's) may refer to itself."""


@dataclass(frozen=True, slots=True)
class Misfit:
    """Why a value does not fit. ``below`` is the place inside the written value, empty for the value itself."""

    reason: str
    severity: Severity
    message: str
    below: Path = ()
    lost: Lost | None = None


def misfits(value: Value, schema: Schema, *, builtin: bool = False) -> Iterator[Misfit]:
    """Yield why values like ``value`` do not fit a field of ``schema``; nothing is said where either is open."""
    wanted = kinds_of(schema)
    if not wanted or not value.known:
        return
    fitting = frozenset[str]().union(*(_JSON_KINDS.get(kind, frozenset()) for kind in wanted)) | {"null"}
    if not value.kinds & (fitting - {"null"}) and value.kinds != {"null"}:
        yield Misfit("WRONG_TYPE", Severity.ERROR, f"{said(value.kinds)} is written where {_wanted(wanted)} is wanted")
        return
    if value.choices is not None:
        yield from _choices(value, schema, builtin)
        return
    if "integer" in wanted and "number" not in wanted and value.declared and value.kinds == {"number"}:
        yield Misfit(
            "MAY_BE_FRACTIONAL", Severity.WARNING, "a number is written where an integer is wanted, and a fraction such as 0.5 is refused"
        )
    yield from _out_of_bounds(value, schema)
    if not builtin or schema.get("properties"):
        yield from _inside(value.schema, schema, (), _DEPTH)


def said(kinds: frozenset[str]) -> str:
    """Name the kinds of a value: "a string", "an integer or a string"."""
    return " or ".join(_article(name) for name in sorted({_SAID.get(kind, kind) for kind in kinds - {"null"}})) or "null"


def _wanted(kinds: frozenset[str]) -> str:
    return " or ".join(_article(_SAID.get(kind, kind)) for kind in sorted(kinds))


def _choices(value: Value, schema: Schema, builtin: bool) -> Iterator[Misfit]:
    """Judge each value that the field can have."""
    refused: dict[Breach, list[str]] = {}
    for choice in value.choices or ():
        if choice is not None:
            for breach in breaches(as_json(choice), schema, builtin=builtin):
                refused.setdefault(breach, []).append(shown(as_json(choice)))
    for breach, values in refused.items():
        text = f"{', '.join(values[:5])}{' …' if len(values) > 5 else ''} can be written"
        lost = walk(schema, breach.at) if breach.reason == "UNKNOWN_FIELD" else None
        message = text if lost else f"{text}, expected {breach.expected}"
        yield Misfit(breach.reason, Severity.ERROR, message, breach.at, lost if isinstance(lost, Lost) else None)


def _out_of_bounds(value: Value, schema: Schema) -> Iterator[Misfit]:
    """Compare declared bounds; a source that declares none says nothing."""
    low, high = _bounds(schema)
    if value.low is not None and low is not None and value.low < low:
        yield Misfit("TOO_SMALL", Severity.WARNING, f"{value.low:g} is allowed to be written, but the field wants at least {low:g}")
    if value.high is not None and high is not None and value.high > high:
        yield Misfit("TOO_LARGE", Severity.WARNING, f"{value.high:g} is allowed to be written, but the field allows at most {high:g}")


def _bounds(schema: Schema) -> tuple[float | None, float | None]:
    """Return the smallest and the largest number that a schema allows; ``format: int32`` is a bound too."""
    low, high = (_number(schema.get(key)) for key in ("minimum", "maximum"))
    if schema.get("format") == "int32":
        low, high = (-(2.0**31) if low is None else low), (2.0**31 - 1 if high is None else high)
    return low, high


def _number(value: Any) -> float | None:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _article(noun: str) -> str:
    return f"{'an' if noun[:1] in 'aeio' else 'a'} {noun}"


def _inside(source: Schema, target: Schema, at: Path, depth: int) -> Iterator[Misfit]:
    """Compare what two objects or lists declare inside; only what the source declares can be judged."""
    if source is ANYTHING or target is ANYTHING or depth == 0:
        return
    items = source.get("items")
    if source.get("type") == "array" and isinstance(items, dict) and isinstance(target.get("items"), dict):
        yield from _each(items, target["items"], (*at, "*"), depth)
    if source.get("type") != "object" or target.get("type") != "object":
        return
    for name, inner in source.get("properties", {}).items():
        found = walk(target, (name,))
        if isinstance(found, Lost):
            message = f"the object holds {name}, which the target does not declare"
            yield Misfit("UNKNOWN_FIELD", Severity.ERROR, message, (*at, name), found)
        elif isinstance(inner, dict):
            yield from _each(inner, found.schema, (*at, name), depth)
    others, allowed = source.get("additionalProperties"), target.get("additionalProperties")
    if isinstance(others, dict) and isinstance(allowed, dict):
        yield from _each(others, allowed, (*at, "*"), depth)
    elif isinstance(others, dict) and not allowed and not is_open(target) and not target.get("properties"):
        yield Misfit("UNKNOWN_FIELD", Severity.ERROR, "the object holds any key, and the target declares none", at)


def _each(source: Schema, target: Schema, at: Path, depth: int) -> Iterator[Misfit]:
    value = of_schema(source)
    for misfit in misfits(value, target) if value.choices is not None or source.get("type") not in ("object", "array") else ():
        yield Misfit(misfit.reason, misfit.severity, misfit.message, at + misfit.below, misfit.lost)
    if source.get("type") in ("object", "array"):
        kinds = kinds_of(target)
        if kinds and source["type"] not in kinds:
            yield Misfit("WRONG_TYPE", Severity.ERROR, f"{said(value.kinds)} is written where {_wanted(kinds)} is wanted", at)
        else:
            yield from _inside(source, target, at, depth - 1)
