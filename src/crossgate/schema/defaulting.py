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


class DefaultTree:
    """Where defaults stand in a schema; parts without any are left out, so that most of a value is never looked at."""

    __slots__ = ("items", "properties", "rest", "values")

    def __init__(self) -> None:
        self.values: list[tuple[str, Any, bool]] = []
        """Name, default and whether null is a value, of each property with a default."""
        self.properties: dict[str, DefaultTree] = {}
        self.rest: tuple[set[str], DefaultTree | None, Any, bool] | None = None
        self.items: tuple[DefaultTree | None, Any, bool] | None = None

    @classmethod
    def of(cls, schema: Schema) -> DefaultTree:
        """Find the defaults of a schema."""
        return _grow(schema, {}) or cls()

    def applied(self, value: Any) -> Any:
        """Return the value with defaults; what does not change is shared with the one given."""
        if isinstance(value, dict):
            return self._object(value)
        if isinstance(value, list) and self.items is not None:
            inner, default, nullable = self.items
            children = [copy_json(default) if child is None and not nullable else child for child in value]
            return [inner.applied(child) for child in children] if inner else children
        return value

    def _object(self, value: dict[str, Any]) -> dict[str, Any]:
        made = dict(value)
        for name, default, nullable in self.values:
            if name not in made or (made[name] is None and not nullable):
                made[name] = copy_json(default)
        for name, tree in self.properties.items():
            if isinstance(made.get(name), (dict, list)):
                made[name] = tree.applied(made[name])
        if self.rest is not None:
            known, inner, default, nullable = self.rest
            for name, child in made.items():
                if name not in known:
                    filled = copy_json(default) if child is None and not nullable else child
                    made[name] = inner.applied(filled) if inner else filled
        return made


def _grow(schema: Schema, known: dict[int, DefaultTree | None]) -> DefaultTree | None:
    if id(schema) in known:
        return known[id(schema)]
    tree = DefaultTree()
    properties: dict[str, Schema] = schema.get("properties") or {}
    for name, inner in properties.items():
        if inner.get("default") is not None:
            tree.values.append((name, inner["default"], bool(inner.get("nullable"))))
        below = _grow(inner, known)
        if below:
            tree.properties[name] = below
    rest, items = schema.get("additionalProperties"), schema.get("items")
    # A null among map values and list items becomes the default, which is null again when there is none.
    if isinstance(rest, dict):
        below = _grow(rest, known)
        if below or rest.get("default") is not None:
            tree.rest = set(properties), below, rest.get("default"), bool(rest.get("nullable"))
    if items is not None:
        below = _grow(items, known)
        if below or items.get("default") is not None:
            tree.items = below, items.get("default"), bool(items.get("nullable"))
    found = tree if tree.values or tree.properties or tree.rest or tree.items else None
    known[id(schema)] = found
    return found
