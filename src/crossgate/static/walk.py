"""Following a field path through a structural schema, as the API server prunes and Crossplane writes.

A structural schema is what a CustomResourceDefinition holds: ``properties``, ``additionalProperties``, ``items`` and the
``x-kubernetes-`` marks. What the schema leaves open (``x-kubernetes-preserve-unknown-fields``) is found without being known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from crossgate.paths import Path
from crossgate.schema.metadata import OBJECT_META

Schema = dict[str, Any]

_FRAME: Mapping[str, Schema] = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": OBJECT_META}
"""The fields of every object, which an embedded resource holds without declaring them."""

ANYTHING: Schema = {"x-kubernetes-preserve-unknown-fields": True}
"""The schema of what nobody declared."""


@dataclass(frozen=True, slots=True)
class Found:
    """Where a path leads. ``schema`` is ``ANYTHING`` where the schema leaves the place open."""

    schema: Schema


@dataclass(frozen=True, slots=True)
class Lost:
    """A path that leads nowhere: its step number ``index`` cannot be taken.

    ``UNKNOWN_FIELD``: the object declares other fields (``candidates``); ``NOT_AN_OBJECT`` and ``NOT_A_LIST``: the field above is a
    ``kind``, in which a field, or an index, cannot stand.
    """

    index: int
    reason: Literal["UNKNOWN_FIELD", "NOT_AN_OBJECT", "NOT_A_LIST"]
    candidates: tuple[str, ...] = ()
    kind: str = ""


def is_open(schema: Schema) -> bool:
    """Say whether fields that the schema does not name may stand there."""
    return schema.get("x-kubernetes-preserve-unknown-fields") is True or not (schema.get("type") or is_int_or_string(schema))


def is_int_or_string(schema: Schema) -> bool:
    """Say whether the place holds an integer or a string (ports, quantities)."""
    return schema.get("x-kubernetes-int-or-string") is True


def kinds_of(schema: Schema) -> frozenset[str]:
    """Return the JSON types that may stand at a place; empty when the schema leaves it open."""
    if is_int_or_string(schema):
        return frozenset({"integer", "string"})
    if schema.get("format") == "quantity":
        # one of Kubernetes' own: a number is read like its text
        return frozenset({"integer", "number", "string"})
    kind = schema.get("type")
    return frozenset({kind}) if isinstance(kind, str) else frozenset()


def walk(schema: Schema, path: Path) -> Found | Lost:
    """Follow ``path``; the step ``"*"`` is Crossplane's wildcard: every element of a list, every value of an object."""
    for index, step in enumerate(path):
        kind = schema.get("type")
        if isinstance(step, int) or (step == "*" and kind == "array"):
            if kind == "array":
                schema = schema.get("items", ANYTHING)
                continue
            if is_open(schema) and not kind:
                return Found(ANYTHING)
            return Lost(index, "NOT_A_LIST", kind=_said(schema))
        inner = _field(schema, step)
        if inner is None:
            if kind in ("object", None) and not is_int_or_string(schema):
                return Lost(index, "UNKNOWN_FIELD", tuple(fields_of(schema)))
            return Lost(index, "NOT_AN_OBJECT", kind=_said(schema))
        if inner is ANYTHING:
            return Found(ANYTHING)
        schema = inner
    return Found(schema)


def _field(schema: Schema, name: str) -> Schema | None:
    properties = schema.get("properties")
    if isinstance(properties, dict) and name in properties:
        return _schema(properties[name])
    if schema.get("x-kubernetes-embedded-resource") is True and name in _FRAME:
        return _FRAME[name]
    others = schema.get("additionalProperties")
    if isinstance(others, dict):
        return _schema(others)
    if others is True or (is_open(schema) and schema.get("type") in ("object", None)):
        return ANYTHING
    if name == "*" and properties:
        return ANYTHING
    return None


def _schema(value: Any) -> Schema:
    return value if isinstance(value, dict) and value else ANYTHING


def _said(schema: Schema) -> str:
    return "integer or string" if is_int_or_string(schema) else str(schema.get("type"))


def fields_of(schema: Schema) -> Iterator[str]:
    """Yield the names that an object declares."""
    yield from schema.get("properties", ())
    if schema.get("x-kubernetes-embedded-resource") is True:
        yield from _FRAME


def always_set(schema: Schema, path: Path) -> bool:
    """Say whether every valid object has a value at ``path``: each step is required or has a default."""
    for step in path:
        if not isinstance(step, str):
            return False
        inner = schema.get("properties", {}).get(step)
        if not isinstance(inner, dict):
            return False
        if step not in schema.get("required", ()) and "default" not in inner:
            return False
        schema = inner
    return True


def paths_to(schema: Schema, leaf: str, *, limit: int = 4000) -> Iterator[Path]:
    """Yield where a field of that name stands anywhere in the schema, the nearest to the root first; looks at ``limit`` fields."""
    level: list[tuple[Path, Schema]] = [((), schema)]
    while level:
        below: list[tuple[Path, Schema]] = []
        for at, node in level:
            inner: Any = node.get("items") if node.get("type") == "array" else None
            if isinstance(inner, dict):
                below.append(((*at, 0), inner))
            for name, child in node.get("properties", {}).items():
                limit -= 1
                if limit < 0:
                    return
                if name == leaf:
                    yield (*at, name)
                if isinstance(child, dict):
                    below.append(((*at, name), child))
        level = below
