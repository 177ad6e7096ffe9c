"""The keywords of a schema and the types of their values, as the API server decodes ``JSONSchemaProps``.

As ``pkg/apis/apiextensions/v1/types_jsonschema.go`` and ``marshal.go`` (1.36). A value of a wrong type ends everything: the
server cannot read the definition. An unknown keyword is refused by strict decoding, except below ``items`` and
``additionalProperties``, whose own decoders drop it in silence, and except in an XRD, whose schema Crossplane reads in
silence too: there it is a warning, because the author meant something by it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from crossgate.model import Severity
from crossgate.paths import Path, format_path
from crossgate.schema.definition.fault import Family, Fault, structure
from crossgate.schema.nearest import nearest
from crossgate.schema.values import shown, type_name

_TYPES: dict[str, str] = {
    **dict.fromkeys(("$ref", "$schema", "id", "description", "type", "format", "title", "pattern"), "string"),
    **dict.fromkeys(("x-kubernetes-list-type", "x-kubernetes-map-type"), "string"),
    **dict.fromkeys(("default", "example"), "any"),
    **dict.fromkeys(("maximum", "minimum", "multipleOf"), "number"),
    **dict.fromkeys(("exclusiveMaximum", "exclusiveMinimum", "uniqueItems", "nullable"), "boolean"),
    **dict.fromkeys(("x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource", "x-kubernetes-int-or-string"), "boolean"),
    **dict.fromkeys(("maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"), "integer"),
    **dict.fromkeys(("required", "x-kubernetes-list-map-keys"), "strings"),
    "enum": "values",
    "not": "schema",
    "items": "schema or schemas",
    **dict.fromkeys(("additionalProperties", "additionalItems"), "schema or boolean"),
    **dict.fromkeys(("allOf", "oneOf", "anyOf"), "schemas"),
    **dict.fromkeys(("properties", "patternProperties", "definitions"), "map"),
    "dependencies": "dependencies",
    "externalDocs": "docs",
    "x-kubernetes-validations": "rules",
}
_RULE: dict[str, str] = {
    **dict.fromkeys(("rule", "message", "messageExpression", "reason", "fieldPath"), "string"),
    "optionalOldSelf": "boolean",
}
_DOCS: dict[str, str] = {"description": "string", "url": "string"}
_SILENT = ("schema or schemas", "schema or boolean", "dependencies")
"""Values with decoders of their own, which do not refuse unknown keywords."""

_WORDS = {"strings": "array of strings", "schemas": "array of schemas", "values": "array", "map": "object", "rules": "array of objects"}
_PYTHON: dict[str, type | tuple[type, ...]] = {"string": str, "boolean": bool, "number": (int, float), "docs": dict, "schema": dict}


def undecodable(schema: Any, at: Path) -> Iterator[Fault]:
    """Say what the server cannot decode: values of wrong types."""
    for fault in _schema(schema, at, strict=True):
        if fault.family is Family.STRUCTURE:
            yield fault


def unknown_keywords(schema: Any, at: Path, *, strict: bool) -> Iterator[Fault]:
    """Say which keywords no schema has; with ``strict`` they are refused where the server refuses them."""
    for fault in _schema(schema, at, strict=strict):
        if fault.family is Family.UNKNOWN:
            yield fault


def _schema(schema: Any, at: Path, *, strict: bool) -> Iterator[Fault]:
    if not isinstance(schema, dict):
        yield _wrong(schema, "schema", at)
        return
    yield from _fields(schema, _TYPES, at, strict=strict)


def _fields(value: dict[str, Any], types: dict[str, str], at: Path, *, strict: bool) -> Iterator[Fault]:
    for key, child in value.items():
        kind = types.get(key)
        if kind is None:
            yield _unknown((*at, key), types, strict=strict)
        elif child is not None and kind != "any":
            yield from _value(kind, child, (*at, key), strict=strict and kind not in _SILENT)


def _value(kind: str, value: Any, at: Path, *, strict: bool) -> Iterator[Fault]:
    if kind == "integer":
        whole = (isinstance(value, int) and not isinstance(value, bool)) or (isinstance(value, float) and value.is_integer())
        yield from () if whole else (_wrong(value, "integer", at),)
    elif kind == "schema":
        yield from _schema(value, at, strict=strict)
    elif kind == "docs" and isinstance(value, dict):
        yield from _fields(value, _DOCS, at, strict=strict)
    elif kind in _PYTHON:
        if not isinstance(value, _PYTHON[kind]) or (isinstance(value, bool) and kind != "boolean"):
            yield _wrong(value, kind, at)
    elif kind == "schema or boolean":
        yield from () if isinstance(value, bool) else _schema(value, at, strict=strict)
    elif kind == "schema or schemas" and isinstance(value, dict):
        yield from _schema(value, at, strict=strict)
    elif kind in ("map", "dependencies"):
        yield from _map(kind, value, at, strict=strict)
    else:
        yield from _list(kind, value, at, strict=strict)


def _map(kind: str, value: Any, at: Path, *, strict: bool) -> Iterator[Fault]:
    if not isinstance(value, dict):
        yield _wrong(value, kind, at)
        return
    for key, child in value.items():
        if child is None:
            continue
        if kind == "dependencies" and isinstance(child, list):
            yield from _list("strings", child, (*at, key), strict=strict)
        else:
            yield from _schema(child, (*at, key), strict=strict)


def _list(kind: str, value: Any, at: Path, *, strict: bool) -> Iterator[Fault]:
    if not isinstance(value, list):
        yield _wrong(value, kind, at)
        return
    for index, child in enumerate(value):
        here = (*at, index)
        if child is None or kind == "values":
            continue
        if kind == "strings":
            yield from () if isinstance(child, str) else (_wrong(child, "string", here),)
        elif kind == "rules":
            yield from _fields(child, _RULE, here, strict=strict) if isinstance(child, dict) else (_wrong(child, "object", here),)
        else:
            yield from _schema(child, here, strict=strict)


def _wrong(value: Any, kind: str, at: Path) -> Fault:
    expected = _WORDS.get(kind, kind)
    return structure(at, f"found {type_name(value)} {shown(value)}, expected {expected}", f"write a value of the type {expected}")


def _unknown(at: Path, types: dict[str, str], *, strict: bool) -> Fault:
    near = nearest(str(at[-1]), set(types))
    hint = f"did you mean {near!r}?" if near else "leave it out; no schema has this keyword"
    said = f'unknown keyword "{at[-1]}" in the schema{f"; {hint}" if near else ""}'
    if strict:
        return Fault(at, Family.UNKNOWN, f"{format_path(at)}: {said}", hint)
    return Fault(at, Family.UNKNOWN, f"{format_path(at)}: {said}: it is dropped without a word and has no effect", hint, Severity.WARNING)
