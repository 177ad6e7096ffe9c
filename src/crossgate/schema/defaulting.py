"""Nulls and defaults, as the API server treats them before it validates.

The rules are those of apiextensions-apiserver (``pkg/apiserver/schema/defaulting``, 1.36): first nulls
that are neither nullable nor have a default are dropped from objects (in lists they stay), then
missing values and non-nullable nulls take their default. A default may hold objects that get defaults in turn.
"""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]


def copy_json(value: Any) -> Any:
    """Copy a JSON value (several times faster than copy.deepcopy)."""
    if isinstance(value, dict):
        return {key: copy_json(child) if isinstance(child, (dict, list)) else child for key, child in value.items()}
    if isinstance(value, list):
        return [copy_json(child) if isinstance(child, (dict, list)) else child for child in value]
    return value


def drop_nulls(value: Any, schema: Schema | None) -> None:
    """Drop, in place, the nulls of objects whose schema is neither nullable nor has a default."""
    if isinstance(value, dict):
        properties = schema.get("properties") if schema else None
        rest = schema.get("additionalProperties") if schema else None
        gone = None
        for key, child in value.items():
            if child is not None and not isinstance(child, (dict, list)):
                continue
            inner = properties[key] if properties and key in properties else rest if isinstance(rest, dict) else None
            if child is not None:
                if inner is not None:
                    drop_nulls(child, inner)
            elif inner is not None and not inner.get("nullable") and inner.get("default") is None:
                gone = [*(gone or ()), key]
        for key in gone or ():
            del value[key]
    elif isinstance(value, list) and schema:
        items = schema.get("items")
        if items is not None:
            for child in value:
                drop_nulls(child, items)


def add_defaults(value: Any, schema: Schema | None) -> None:
    """Put, in place, the schema's defaults where values are missing or null without being nullable."""
    if not schema:
        return
    if isinstance(value, dict):
        properties: dict[str, Schema] = schema.get("properties") or {}
        for key, inner in properties.items():
            if inner.get("default") is not None and (key not in value or (value[key] is None and not inner.get("nullable"))):
                value[key] = copy_json(inner["default"])
        rest = schema.get("additionalProperties")
        for key, child in value.items():
            known = properties.get(key)
            if known is not None:
                if isinstance(child, (dict, list)):
                    add_defaults(child, known)
            elif isinstance(rest, dict):
                if child is None and not rest.get("nullable"):
                    value[key] = copy_json(rest.get("default"))
                add_defaults(value[key], rest)
    elif isinstance(value, list):
        items = schema.get("items")
        if items is not None:
            for index, child in enumerate(value):
                if child is None and not items.get("nullable"):
                    value[index] = copy_json(items.get("default"))
                add_defaults(value[index], items)
