"""The types of the parts of a CRD or XRD, before anything is read out of it.

Whether a definition is right is another question (``crossgate.schema.definition``); here is only what every reader of it relies on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from crossgate.errors import SchemaError
from crossgate.paths import Path, format_path
from crossgate.schema.values import shown

_TEXTS = ("type", "format", "pattern", "x-kubernetes-list-type", "x-kubernetes-map-type")
_NUMBERS = ("minimum", "maximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
_ONE = ("items", "additionalProperties", "not")
_MANY = ("allOf", "anyOf", "oneOf")
_TEXT_LISTS = ("required", "x-kubernetes-list-map-keys")


def check_shape(body: dict[str, Any], source: str) -> None:
    """Refuse a CRD or XRD with a part of the wrong type. Raises SchemaError, which names the part."""
    for at, value, wanted in _wrong(body):
        what = f"this {body.get('kind')} cannot be used: {format_path(at)} is {shown(value)}, not {wanted}"
        raise SchemaError(what, source, "compare it with one that the API server takes")


_Wrong = Iterator[tuple[Path, Any, str]]


def _wrong(body: dict[str, Any]) -> _Wrong:
    spec = body.get("spec")
    if not isinstance(spec, dict):
        yield ("spec",), spec, "an object"
        return
    yield from _texts(spec, ("spec",), ("group",), needed=("group",))
    for key in ("names", "claimNames"):
        names = spec.get(key)
        if names is None and key == "claimNames":
            continue
        if not isinstance(names, dict):
            yield ("spec", key), names, "an object"
            return
        yield from _texts(names, ("spec", key), ("kind", "plural", "singular", "listKind"), needed=("kind", "plural"))
    versions = spec.get("versions")
    if not isinstance(versions, list):
        yield ("spec", "versions"), versions, "a list"
        return
    for index, version in enumerate(versions):
        at: Path = ("spec", "versions", index)
        if not isinstance(version, dict):
            yield at, version, "an object"
            return
        yield from _texts(version, at, ("name",), needed=("name",))
        schema = version.get("schema")
        if schema is not None and not isinstance(schema, dict):
            yield (*at, "schema"), schema, "an object"
        elif schema and schema.get("openAPIV3Schema") is not None:
            yield from _schema(schema["openAPIV3Schema"], (*at, "schema", "openAPIV3Schema"))


def _texts(holder: dict[str, Any], at: Path, names: Iterable[str], needed: Iterable[str] = ()) -> _Wrong:
    for name in names:
        value = holder.get(name)
        if not isinstance(value, str) and (value is not None or name in needed):
            yield (*at, name), value, "a string"


def _schema(schema: Any, at: Path) -> _Wrong:
    if not isinstance(schema, dict):
        yield at, schema, "an object"
        return
    yield from _texts(schema, at, _TEXTS)
    for key in _NUMBERS:
        value = schema.get(key)
        if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float))):
            yield (*at, key), value, "a number"
    for key in _TEXT_LISTS:
        value = schema.get(key)
        if value is not None and not (isinstance(value, list) and all(isinstance(item, str) for item in value)):
            yield (*at, key), value, "a list of strings"
    for key in ("enum", "x-kubernetes-validations", *_MANY):
        if schema.get(key) is not None and not isinstance(schema[key], list):
            yield (*at, key), schema[key], "a list"
            return
    for index, rule in enumerate(schema.get("x-kubernetes-validations") or ()):
        if not isinstance(rule, dict):
            yield (*at, "x-kubernetes-validations", index), rule, "an object"
        else:
            yield from _texts(
                rule, (*at, "x-kubernetes-validations", index), ("rule", "message", "messageExpression", "reason", "fieldPath")
            )
    properties = schema.get("properties")
    if properties is not None and not isinstance(properties, dict):
        yield (*at, "properties"), properties, "an object"
        return
    for name, inner in (properties or {}).items():
        yield from _schema(inner, (*at, "properties", name))
    for key in _ONE:
        inner = schema.get(key)
        if inner is not None and not (key == "additionalProperties" and isinstance(inner, bool)):
            yield from _schema(inner, (*at, key))
    for key in _MANY:
        for index, inner in enumerate(schema.get(key) or ()):
            yield from _schema(inner, (*at, key, index))
