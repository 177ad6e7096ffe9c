"""Whether a schema is structural: every part has a type, and logic below ``anyOf`` and the like only validates.

As ``pkg/apiserver/schema/validation.go`` of apiextensions-apiserver (1.36).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from crossgate.paths import Path
from crossgate.schema.definition.fault import Fault, structure
from crossgate.schema.patterns import pattern_fault
from crossgate.schema.values import shown

Schema = dict[str, Any]

_EMBEDDED, _KEEPS, _INT_OR_STRING = (
    "x-kubernetes-embedded-resource",
    "x-kubernetes-preserve-unknown-fields",
    "x-kubernetes-int-or-string",
)
_EITHER = [{"type": "integer"}, {"type": "string"}]
_PLACES = {"root": "at the root", "item": "for the items of a list", "field": "for every field"}
_FORBIDDEN_NESTED = (
    *("type", "default", "title", "description", "nullable", _KEEPS, _EMBEDDED, _INT_OR_STRING),
    *("x-kubernetes-list-map-keys", "x-kubernetes-list-type", "x-kubernetes-map-type", "x-kubernetes-validations"),
)
_NOT_EMPTY = ("x-kubernetes-list-type", "x-kubernetes-map-type", "default")
"""What counts as given even when it is empty."""


def structural_faults(schema: Schema, at: Path) -> Iterator[Fault]:
    """Say why a version's schema is not structural."""
    yield from _invariants(schema, at, "root")
    yield from _incomplete(schema, schema, at)


def _invariants(schema: Schema, at: Path, level: str) -> Iterator[Fault]:
    kind, items, rest = schema.get("type") or "", schema.get("items"), schema.get("additionalProperties")
    if kind == "array" and not isinstance(items, dict):
        yield structure((*at, "items"), "missing; a list needs a schema for its items", "write items: {type: …}")
    if isinstance(items, dict):
        yield from _invariants(items, (*at, "items"), "item")
    for name, inner in (schema.get("properties") or {}).items():
        yield from _invariants(inner or {}, (*at, "properties", name), "field")
    if rest is not None and level == "root":
        yield structure((*at, "additionalProperties"), "must not be used at the root", "put the map into a field of spec")
    if isinstance(rest, dict):
        yield from _invariants(rest, (*at, "additionalProperties"), "field")
    yield from _extensions(schema, at)
    yield from _values(schema, at, skip_any=_is_either(schema), skip_all=_is_either(next(iter(schema.get("allOf") or ()), None)))
    yield from _type(schema, at, level)
    yield from _meta(schema, at, level)


def _extensions(schema: Schema, at: Path) -> Iterator[Fault]:
    for key in (_KEEPS, _EMBEDDED):
        if schema.get(_INT_OR_STRING) and schema.get(key):
            yield structure((*at, key), f"excludes {_INT_OR_STRING}", f"leave out {key} or {_INT_OR_STRING}")
    if not schema.get(_EMBEDDED):
        return
    if schema.get("additionalProperties") is not None:
        yield structure((*at, "additionalProperties"), f"must not be used with {_EMBEDDED}", f"write {_KEEPS}: true instead")
    if not schema.get(_KEEPS) and not schema.get("properties"):
        yield structure((*at, "properties"), f"missing; an embedded resource needs properties or {_KEEPS}", f"write {_KEEPS}: true")


def _type(schema: Schema, at: Path, level: str) -> Iterator[Fault]:
    kind = schema.get("type") or ""
    if schema.get(_EMBEDDED) and kind != "object":
        yield structure((*at, "type"), f"must be object where {_EMBEDDED} is true", "write type: object")
    elif not kind and not schema.get(_INT_OR_STRING) and not schema.get(_KEEPS):
        yield structure((*at, "type"), f"missing; a type is needed {_PLACES[level]}", "write type: string, integer, boolean, object …")
    elif level == "root" and kind and kind != "object":
        yield structure((*at, "type"), f"found {shown(kind)}, expected object at the root", "write type: object")


def _meta(schema: Schema, at: Path, level: str) -> Iterator[Fault]:
    properties = schema.get("properties") or {}
    checked = level == "root" or schema.get(_EMBEDDED)
    for name in ("kind", "apiVersion"):
        if checked and name in properties and (properties[name] or {}).get("type") != "string":
            yield structure((*at, "properties", name, "type"), f"{name} must be a string", "write type: string, or leave the field out")
    metadata, here = properties.get("metadata"), (*at, "properties", "metadata")
    if "metadata" not in properties:
        return
    metadata = metadata or {}
    if checked and metadata.get("type") != "object":
        yield structure((*here, "type"), "metadata must be an object", "write type: object")
    if level == "root" and not _only_names(metadata):
        yield structure(
            here,
            "the schema of metadata may say nothing but what name and generateName look like; the API server knows the rest",
            "write metadata: {type: object}",
        )


def _only_names(metadata: Schema) -> bool:
    """Say whether nothing but name and generateName is described; prose and defaults are judged elsewhere."""
    rest = {key: value for key, value in metadata.items() if key not in ("type", "default") and value not in (None, False, "", [], {})}
    rest.update((key, 0) for key, value in metadata.items() if value == 0 and value is not False)
    fields = rest.pop("properties", {})
    return not rest and set(fields) <= {"name", "generateName"}


def _is_either(schema: Any) -> bool:
    """Say whether the ``anyOf`` is the one of a number or a string, which alone may name types."""
    return isinstance(schema, dict) and schema.get("anyOf") == _EITHER


def _values(schema: Schema, at: Path, *, skip_any: bool = False, skip_all: bool = False) -> Iterator[Fault]:
    for index, inner in enumerate(schema.get("anyOf") or ()):
        if not skip_any:
            yield from _nested(inner or {}, (*at, "anyOf", index))
    for index, inner in enumerate(schema.get("allOf") or ()):
        yield from _nested(inner or {}, (*at, "allOf", index), skip_any=skip_all and index == 0)
    for index, inner in enumerate(schema.get("oneOf") or ()):
        yield from _nested(inner or {}, (*at, "oneOf", index))
    if isinstance(schema.get("not"), dict):
        yield from _nested(schema["not"], (*at, "not"))
    pattern = schema.get("pattern")
    if pattern and (why := pattern_fault(pattern)):
        yield structure((*at, "pattern"), f"{shown(pattern)} is no pattern that the API server can read: {why}", "write it in RE2's syntax")


def _nested(schema: Schema, at: Path, *, skip_any: bool = False) -> Iterator[Fault]:
    yield from _values(schema, at, skip_any=skip_any)
    for key in _FORBIDDEN_NESTED:
        value = schema.get(key)
        if value or (value is not None and key in _NOT_EMPTY):
            way = f"move {key} out of anyOf, allOf, oneOf and not: there the schema only validates"
            yield structure((*at, key), "must not stand inside anyOf, allOf, oneOf or not", way)
    rest = schema.get("additionalProperties")
    if rest is not None and rest is not False:
        yield structure((*at, "additionalProperties"), "must not stand inside anyOf, allOf, oneOf or not", "move it out")
    if isinstance(schema.get("items"), dict):
        yield from _nested(schema["items"], (*at, "items"))
    for name, inner in (schema.get("properties") or {}).items():
        if name == "metadata":
            yield structure((*at, "properties", name), "must not speak of metadata inside anyOf, allOf, oneOf or not", "leave it out")
        yield from _nested(inner or {}, (*at, "properties", name))


def _incomplete(logic: Schema, schema: Schema, at: Path) -> Iterator[Fault]:
    """Say which fields the logic at the root names that the schema around it does not (``complete.go``; it looks nowhere else)."""
    for key in ("anyOf", "allOf", "oneOf"):
        for index, inner in enumerate(logic.get(key) or ()):
            yield from _unnamed(inner or {}, schema, (*at, key, index))
    if isinstance(logic.get("not"), dict):
        yield from _unnamed(logic["not"], schema, (*at, "not"))


def _unnamed(logic: Schema, schema: Schema | None, at: Path) -> Iterator[Fault]:
    if schema is None:
        yield structure(at, "is judged here and not described outside of anyOf, allOf, oneOf and not", "describe it outside too")
        return
    yield from _incomplete(logic, schema, at)
    items = schema.get("items")
    if isinstance(logic.get("items"), dict):
        yield from _unnamed(logic["items"], items if isinstance(items, dict) else None, (*at, "items"))
    for name, inner in (logic.get("properties") or {}).items():
        yield from _unnamed(inner or {}, (schema.get("properties") or {}).get(name), (*at, "properties", name))
