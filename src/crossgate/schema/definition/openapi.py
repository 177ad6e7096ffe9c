"""What CRDs may not use of OpenAPI, part by part of a schema.

As ``ValidateCustomResourceDefinitionOpenAPISchema`` in ``pkg/apis/apiextensions/validation`` (1.36), without CEL.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from crossgate.paths import Path
from crossgate.schema.definition.fault import Fault, structure
from crossgate.schema.definition.lists import list_and_map_faults
from crossgate.schema.definition.ruletexts import rule_text_faults
from crossgate.schema.values import shown

Schema = dict[str, Any]

_TYPES = ("array", "boolean", "integer", "number", "object", "string")
_META = ("apiVersion", "kind", "metadata")
_UNSUPPORTED = ("id", "patternProperties", "definitions", "dependencies", "additionalItems")


@dataclass(frozen=True, slots=True)
class _Where:
    """What the parts above say about a part."""

    root: bool = False
    in_meta: bool = False
    no_defaults: str = ""


def openapi_faults(schema: Schema, at: Path) -> Iterator[Fault]:
    """Say what a version's schema uses that a CRD may not."""
    if schema.get("nullable"):
        yield structure((*at, "nullable"), "nullable cannot be true at the root", "leave nullable out: an object is never null")
    yield from _part(schema, at, _Where(root=True))


def _part(schema: Schema, at: Path, where: _Where) -> Iterator[Fault]:
    yield from _own(schema, at, where)
    for inner, place, inside in _below(schema, at, where):
        yield from _part(inner, place, inside)
    yield from list_and_map_faults(schema, at)
    yield from rule_text_faults(schema, at)


def _own(schema: Schema, at: Path, where: _Where) -> Iterator[Fault]:
    kind = schema.get("type")
    if kind and kind not in _TYPES:
        way = "use nullable: true instead" if kind == "null" else f"use one of {', '.join(_TYPES)}"
        yield structure((*at, "type"), f"found {shown(kind)}, expected one of {', '.join(_TYPES)}", way)
    if schema.get("default") is not None and where.no_defaults:
        yield structure((*at, "default"), f"must not be set {where.no_defaults}", "leave the default out")
    for key in _UNSUPPORTED:
        value = schema.get(key)
        if value if key not in ("dependencies", "additionalItems") else value is not None:
            yield structure((*at, key), f"{key} is not supported in a CRD", f"leave {key} out, and say it with properties or a CEL rule")
    for key, way in (("$ref", "write the schema out where it is used"), ("$schema", "leave it out")):
        if schema.get(key) is not None and (key == "$ref" or schema[key]):
            yield structure((*at, key), f"{key} is not supported in a CRD", way)
    if schema.get("uniqueItems"):
        yield structure(
            (*at, "uniqueItems"),
            "uniqueItems cannot be true: the cost of comparing grows with the square of the length",
            "write x-kubernetes-list-type: set",
        )
    if isinstance(schema.get("items"), list) and schema["items"]:
        yield structure((*at, "items"), "items must be one schema and not a list of schemas", "write one schema for every item")
    rest = schema.get("additionalProperties")
    if schema.get("properties") and rest is not None and rest is not True:
        yield structure(
            (*at, "additionalProperties"),
            "additionalProperties and properties exclude each other",
            "name the fields (properties), or describe a map of any keys (additionalProperties)",
        )
    if where.in_meta and schema.get("x-kubernetes-embedded-resource"):
        yield structure((*at, "x-kubernetes-embedded-resource"), "must not be used inside metadata", "leave it out")
    if schema.get("x-kubernetes-preserve-unknown-fields") is False:
        yield structure((*at, "x-kubernetes-preserve-unknown-fields"), "must be true or left out", "leave it out: false is the default")


def _below(schema: Schema, at: Path, where: _Where) -> Iterator[tuple[Schema, Path, _Where]]:
    """Return the schemas inside a schema, each with its place and what is said about it."""
    beside = replace(where, root=False)
    rest = schema.get("additionalProperties")
    if isinstance(rest, dict):
        forbidden = "inside additionalProperties of an object's metadata"
        yield rest, (*at, "additionalProperties"), replace(beside, no_defaults=forbidden) if where.in_meta else beside
    for name, inner in (schema.get("properties") or {}).items():
        inside = beside
        if (where.root or schema.get("x-kubernetes-embedded-resource")) and name in _META:
            inside = replace(beside, in_meta=True, no_defaults=f"in the top-level {name}" if where.root else beside.no_defaults)
        yield inner or {}, (*at, "properties", name), inside
    if isinstance(schema.get("not"), dict):
        yield schema["not"], (*at, "not"), beside
    for key in ("allOf", "oneOf", "anyOf"):
        for index, inner in enumerate(schema.get(key) or ()):
            yield inner or {}, (*at, key, index), beside
    for name, inner in (schema.get("definitions") or {}).items():
        yield inner or {}, (*at, "definitions", name), beside
    items = schema.get("items")
    if isinstance(items, dict):
        yield items, (*at, "items"), beside
    for index, inner in enumerate(items if isinstance(items, list) else ()):
        yield inner or {}, (*at, "items", index), beside
    for name, inner in (schema.get("dependencies") or {}).items():
        if isinstance(inner, dict):
            yield inner, (*at, "dependencies", name), beside
