"""The types that a schema gives to CEL, with the greatest size that a value of each can have.

As ``SchemaDeclType`` of ``k8s.io/apiserver/pkg/cel/common`` (1.36): sizes follow from maxLength, maxItems and maxProperties, and
without those from the greatest request that the API server takes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from crossgate.schema.definition.expression import RESERVED

REQUEST = 3 * 1024 * 1024
"""Bytes of the greatest request."""

_RESERVED = frozenset(("true", "false", "null", "in")) | RESERVED
_ESCAPED = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}
_ESCAPE = re.compile(r"__|[-./]")
_IDENTIFIER = re.compile(r"[A-Za-z_./-][A-Za-z0-9_./-]*")


@dataclass(frozen=True, slots=True, eq=False)
class Type:
    """A type of CEL. ``most`` is the greatest ``size()`` of a value, ``least`` the bytes that a value takes at least in JSON."""

    name: str
    elem: Type | None = None
    key: Type | None = None
    fields: dict[str, Type] = field(default_factory=dict)
    most: int = 0
    least: int = 0

    def same(self, other: Type) -> bool:
        """Say whether two types are the same, dyn being any."""
        if "dyn" in (self.name, other.name):
            return True
        if self.name != other.name:
            return False
        if self.name == "object":
            return self.fields is other.fields
        parts = ((self.elem, other.elem), (self.key, other.key))
        return all(ours is None or theirs is None or ours.same(theirs) for ours, theirs in parts)

    def __str__(self) -> str:
        inner = [str(part) for part in (self.key, self.elem) if part is not None]
        return f"{self.name}({', '.join(inner)})" if inner else self.name


STRING, BOOL, INT, DOUBLE, DYN = Type("string", least=2), Type("bool", least=4), Type("int", least=1), Type("double", least=1), Type("dyn")
_META = Type(
    "object", fields={"name": Type("string", most=REQUEST - 2, least=2), "generateName": Type("string", most=REQUEST - 2, least=2)}, least=2
)


def escaped(name: str) -> str:
    """Return the name of a field in CEL, or the empty string when it has none."""
    if name in _RESERVED:
        return f"__{name}__"
    return _ESCAPE.sub(lambda match: _ESCAPED[match.group()], name) if _IDENTIFIER.fullmatch(name) else ""


def declared(schema: dict[str, Any], *, root: bool = False) -> Type | None:
    """Return the type of a schema's values in CEL; None when rules cannot see them."""
    if schema.get("x-kubernetes-int-or-string"):
        longest = schema.get("maxLength")
        return Type("dyn", most=max(0, longest) * 4 if longest is not None else REQUEST - 2, least=1)
    kind = schema.get("type")
    if kind == "array":
        return _list(schema)
    if kind == "object":
        rest = schema.get("additionalProperties")
        return _map(schema, rest) if isinstance(rest, dict) else _object(schema, root=root)
    if kind == "string":
        return _string(schema)
    return {"boolean": BOOL, "number": DOUBLE, "integer": INT}.get(str(kind))


def _inner(schema: dict[str, Any]) -> Type | None:
    return declared(schema, root=bool(schema.get("x-kubernetes-embedded-resource")))


def _list(schema: dict[str, Any]) -> Type | None:
    items = schema.get("items")
    inner = _inner(items) if isinstance(items, dict) else None
    if inner is None:
        return None
    most = schema.get("maxItems")
    return Type("list", inner, most=max(0, most) if most is not None else (REQUEST - 2) // (inner.least + 1), least=2)


def _map(schema: dict[str, Any], rest: dict[str, Any]) -> Type | None:
    inner = _inner(rest)
    if inner is None:
        return None
    most = schema.get("maxProperties")
    return Type("map", inner, STRING, most=max(0, most) if most is not None else (REQUEST - 2) // (inner.least + 6), least=2)


def _object(schema: dict[str, Any], *, root: bool) -> Type:
    required = schema.get("required") or ()
    fields: dict[str, Type] = {}
    least = 2
    for name, inner in (schema.get("properties") or {}).items():
        if root and name in ("apiVersion", "kind", "metadata"):
            continue
        found = _inner(inner or {})
        if found is None:
            continue
        if spelled := escaped(name):
            fields[spelled] = found
        if name in required and (inner or {}).get("default") is None:
            least += len(name.encode()) + found.least + 4
    if root:
        text = Type("string", most=REQUEST - 2, least=2)
        fields.update(apiVersion=text, kind=text, metadata=_META)
        for name, found in (("apiVersion", text), ("kind", text), ("metadata", _META)):
            least += len(name) + found.least + 4 if name in required else 0
    return Type("object", fields=fields, least=least)


def _string(schema: dict[str, Any]) -> Type:
    form, longest = schema.get("format"), schema.get("maxLength")
    if form == "byte":
        return Type("bytes", most=max(0, longest) if longest is not None else REQUEST - 2, least=2)
    if form == "duration":
        return Type("duration", most=32, least=3)
    if form in ("date", "date-time"):
        return Type("timestamp", most=12 if form == "date" else 32, least=12 if form == "date" else 21)
    if longest is not None:
        return Type("string", most=max(0, longest) * 4, least=2)
    choices = [len(choice.encode()) for choice in schema.get("enum") or () if isinstance(choice, str)]
    if schema.get("enum"):
        return Type("string", most=max(choices, default=0), least=2)
    return Type("string", most=REQUEST - 2, least=2)
