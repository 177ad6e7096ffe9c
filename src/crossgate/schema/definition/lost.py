"""What is written into a schema and has no effect: warnings, because the API server takes it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from crossgate.model import Severity
from crossgate.paths import Path
from crossgate.schema.definition.fault import Family, Fault
from crossgate.schema.nearest import nearest
from crossgate.schema.values import shown

Schema = dict[str, Any]

_OPEN = ("additionalProperties", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource")
_PROSE = ("title", "externalDocs", "example", "$schema", "id", "type")
_ROOT = ("description", "properties", "required", "x-kubernetes-validations")
_PART = ("description", "properties", "required", "x-kubernetes-validations", "oneOf")


def required_faults(schema: Schema, at: Path, *, root: bool = True) -> Iterator[Fault]:
    """Say which required fields the schema does not describe: nobody can give them, since unknown fields are refused."""
    properties = schema.get("properties") or {}
    if not any(schema.get(key) for key in _OPEN):
        for index, name in enumerate(schema.get("required") or ()):
            if name not in properties and not (root and name in ("apiVersion", "kind", "metadata")):
                near = nearest(str(name), set(properties))
                said = f"{shown(name)} is required and no field of this schema{f'; did you mean {near}?' if near else ''}"
                way = f"write {near}" if near else "describe it among properties, or take it out of required"
                yield Fault((*at, "required", index), Family.LOST, said, way, Severity.WARNING)
    for name, inner in properties.items():
        yield from required_faults(inner or {}, (*at, "properties", name), root=False)
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from required_faults(schema[key], (*at, key), root=False)


def dropped_faults(schema: Schema, at: Path) -> Iterator[Fault]:
    """Say what Crossplane does not take over of an XRD's schema into the CRDs that it makes."""
    yield from _dropped(schema, at, _ROOT)
    properties = schema.get("properties") or {}
    for name in properties:
        if name not in ("apiVersion", "kind", "metadata", "spec", "status"):
            yield _lost((*at, "properties", name), f"Crossplane takes over spec and status only: {name} is lost", f"move {name} into spec")
    for name in ("spec", "status"):
        kept = (*_PART, "x-kubernetes-preserve-unknown-fields") if name == "spec" else _PART
        yield from _dropped(properties.get(name) or {}, (*at, "properties", name), kept)


def _dropped(schema: Schema, at: Path, kept: tuple[str, ...]) -> Iterator[Fault]:
    for key, value in schema.items():
        if value and key not in kept and key not in _PROSE:
            yield _lost((*at, key), f"Crossplane does not take over {key} from here: it has no effect", "move it into a field of spec")


def _lost(at: Path, message: str, hint: str) -> Fault:
    return Fault(at, Family.LOST, message, hint, Severity.WARNING)
