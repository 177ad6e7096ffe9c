"""The types of lists and maps (``x-kubernetes-list-type``, ``-list-map-keys``, ``-map-type``), as the API server 1.36 wants them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from crossgate.paths import Path
from crossgate.schema.definition.fault import Fault, structure
from crossgate.schema.values import shown

Schema = dict[str, Any]

_LIST, _MAP, _KEYS = "x-kubernetes-list-type", "x-kubernetes-map-type", "x-kubernetes-list-map-keys"


def list_and_map_faults(schema: Schema, at: Path) -> Iterator[Fault]:
    """Say what is wrong with the list and map types of one part of a schema."""
    yield from _of_type(schema, at, _MAP, "object", ("atomic", "granular"))
    yield from _of_type(schema, at, _LIST, "array", ("atomic", "set", "map"))
    kind, keys, items = schema.get(_LIST), schema.get(_KEYS) or [], schema.get("items")
    if keys and kind != "map":
        found = "is missing" if kind is None else f"is {shown(kind)}"
        yield structure((*at, _KEYS), f"{_LIST} {found}, and must be map where {_KEYS} is given", f"write {_LIST}: map")
    if kind == "set" and schema.get("type") == "array" and isinstance(items, dict):
        yield from _set_items(items, (*at, "items"))
    if kind == "map":
        yield from _map_list(keys, items, at)
    if kind in ("set", "map") and isinstance(items, dict) and items.get("nullable"):
        yield structure((*at, "items", "nullable"), f"items of a list of the type {kind} cannot be null", "leave nullable out")


def _of_type(schema: Schema, at: Path, key: str, wanted: str, choices: tuple[str, ...]) -> Iterator[Fault]:
    value = schema.get(key)
    if value is None:
        return
    if schema.get("type") != wanted:
        found = shown(schema["type"]) if schema.get("type") else "no type"
        yield structure((*at, key), f"found {found}, expected the type {wanted} where {key} is given", f"write type: {wanted}")
    if value not in choices:
        yield structure((*at, key), f"found {shown(value)}, expected one of {', '.join(choices)}", f"use one of {', '.join(choices)}")


def _set_items(items: Schema, at: Path) -> Iterator[Fault]:
    if items.get("type") == "array" and items.get(_LIST) not in (None, "atomic"):
        yield structure((*at, _LIST), "items of a set that are lists must be atomic", f"write {_LIST}: atomic")
    if items.get("type") == "object" and items.get(_MAP) != "atomic":
        yield structure((*at, _MAP), "items of a set that are objects must be atomic", f"write {_MAP}: atomic, or make the list a map")


def _map_list(keys: list[str], items: Any, at: Path) -> Iterator[Fault]:
    if not keys:
        yield structure((*at, _KEYS), "missing; a list of the type map needs fields that tell its items apart", f"write {_KEYS}: [name]")
    if not isinstance(items, dict):
        yield structure((*at, "items"), "a list of the type map needs one schema for its items", "write items: {type: object, …}")
        return
    if items.get("type") != "object":
        yield structure((*at, "items"), "items of a list of the type map must be objects", "write type: object")
    properties, required = items.get("properties") or {}, items.get("required") or ()
    for index, key in enumerate(keys):
        inner = properties.get(key)
        here = (*at, "items", "properties", key)
        if keys.index(key) != index:
            yield structure((*at, _KEYS, index), f"found {shown(key)} twice", "name each key once")
        if inner is None:
            if items.get("type") == "object":
                yield structure((*at, _KEYS, index), f"{shown(key)} is no field of the items", f"name one of {', '.join(properties)}")
            continue
        if items.get("type") == "object" and inner.get("type") in ("array", "object"):
            yield structure((*here, "type"), "a key of a list of the type map must be a scalar", "key the list by a string or a number")
        if key not in required and inner.get("default") is None:
            yield structure(here, f"{shown(key)} is a key of the list: it must be required or have a default", f"add {key} to required")
        if inner.get("nullable"):
            yield structure((*here, "nullable"), f"{shown(key)} is a key of the list: it cannot be null", "leave nullable out")
