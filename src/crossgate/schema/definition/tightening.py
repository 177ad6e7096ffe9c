"""Where a schema takes less than it took: what was valid before, and may be stored, is not valid now, or is dropped."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from crossgate.paths import Path
from crossgate.schema.values import shown

Schema = dict[str, Any]

_MOST = ("maximum", "maxLength", "maxItems", "maxProperties")
_LEAST = ("minimum", "minLength", "minItems", "minProperties")
_KEPT = "x-kubernetes-preserve-unknown-fields"


def tightened(before: Schema, after: Schema) -> Iterator[tuple[Path, str]]:
    """Yield where ``after`` refuses or drops what ``before`` took, each with a sentence.

    Alternatives (``anyOf``, ``oneOf``, ``not``) are not compared. Of a pattern and a CEL rule is said that it is new or another.
    """
    if before == after:
        return
    was, will = _type(before), _type(after)
    if was != will and not (was == "integer" and will == "number"):
        yield ((), f"the type moves from {was or 'any'} to {will or 'any'}")
        return
    yield from _limits(before, after)
    yield from _values(before, after)
    yield from _rules(before, after)
    if before.get("nullable") and not after.get("nullable"):
        yield ((), "null is taken no longer")
    for name in after.get("required") or ():
        if name not in (before.get("required") or ()) and "default" not in _properties(after).get(name, {}):
            yield (("required",), f"{name} is required from now on")
    yield from _below(before, after)


def _type(schema: Schema) -> str:
    return "int-or-string" if schema.get("x-kubernetes-int-or-string") else str(schema.get("type") or "")


def _limits(before: Schema, after: Schema) -> Iterator[tuple[Path, str]]:
    for name in (*_MOST, *_LEAST):
        was, will = before.get(name), after.get(name)
        if will is None or (name in _LEAST and name != "minimum" and will == 0):
            continue
        if was is None or (will < was if name in _MOST else will > was):
            yield ((name,), f"{name} is {will}" + (" from now on" if was is None else f", it was {was}"))


def _values(before: Schema, after: Schema) -> Iterator[tuple[Path, str]]:
    choices = after.get("enum")
    if choices is not None:
        if "enum" not in before:
            yield (("enum",), f"only {shown(choices)} are taken from now on")
        elif gone := [value for value in before["enum"] if value not in choices]:
            yield (("enum",), f"{', '.join(shown(value) for value in gone)} {'is' if len(gone) == 1 else 'are'} taken no longer")
    for name in ("pattern", "format", "multipleOf"):
        if after.get(name) not in (None, before.get(name)):
            yield ((name,), f"{name} is {shown(after[name])}" + (f", it was {shown(before[name])}" if before.get(name) else " from now on"))


def _rules(before: Schema, after: Schema) -> Iterator[tuple[Path, str]]:
    had = [rule.get("rule") for rule in before.get("x-kubernetes-validations") or ()]
    for index, rule in enumerate(after.get("x-kubernetes-validations") or ()):
        if rule.get("rule") not in had:
            yield (("x-kubernetes-validations", index), f"a rule is new: {shown(rule.get('rule'))}")


def _below(before: Schema, after: Schema) -> Iterator[tuple[Path, str]]:
    was, will = _properties(before), _properties(after)
    open_now = bool(after.get(_KEPT)) or "additionalProperties" in after
    for name, schema in was.items():
        if name in will:
            for path, message in tightened(schema, will[name]):
                yield (("properties", name, *path), message)
        elif not open_now:
            yield (("properties",), f"{name} goes: what is stored there is dropped when the object is written")
    if before.get(_KEPT) and not after.get(_KEPT):
        yield ((), "unknown fields are dropped from now on")
    for name in ("items", "additionalProperties"):
        one, other = before.get(name), after.get(name)
        if isinstance(one, dict) and isinstance(other, dict):
            for path, message in tightened(one, other):
                yield ((name, *path), message)


def _properties(schema: Schema) -> dict[str, Schema]:
    return schema.get("properties") or {}
