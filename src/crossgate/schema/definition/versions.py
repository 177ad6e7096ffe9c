"""The versions of a definition: their names, columns, subresources, selectable fields and conversion.

As ``validateCustomResourceDefinitionSpec`` of apiextensions-apiserver (1.36).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from crossgate.model import Severity
from crossgate.paths import Path
from crossgate.schema.definition.fault import Family, Fault, definition
from crossgate.schema.definition.fieldpath import selected
from crossgate.schema.names import dns_1035_label
from crossgate.schema.values import shown

_TYPES = ("boolean", "date", "integer", "number", "string")
_FORMATS = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")
_MOST_SELECTABLE = 8
_LONGEST_WARNING = 256


def version_faults(versions: list[dict[str, Any]], stored: str) -> Iterator[Fault]:
    """Say what is wrong with the list of versions; ``stored`` is the field that marks the one that is stored."""
    at: Path = ("spec", "versions")
    names = [version.get("name") or "" for version in versions]
    for index, name in enumerate(names):
        if wrong := dns_1035_label(name):
            yield definition((*at, index, "name"), f"found {shown(name)}, expected {wrong}", "use a name such as v1alpha1")
        if names.index(name) != index:
            yield definition((*at, index, "name"), f"the version {shown(name)} is there twice", "give each version a name of its own")
    marked = [index for index, version in enumerate(versions) if version.get(stored)]
    if not marked:
        yield definition(at, f"no version has {stored}: true, and exactly one must have it", f"write {stored}: true into one version")
    for index in marked[1:]:
        yield definition(
            (*at, index, stored),
            f"{names[index]} is the second version with {stored}: true, after {names[marked[0]]}; exactly one must have it",
            f"write {stored}: false here",
        )
    for index, version in enumerate(versions):
        yield from _deprecation(version, (*at, index))


def _deprecation(version: dict[str, Any], at: Path) -> Iterator[Fault]:
    warning, here = version.get("deprecationWarning"), (*at, "deprecationWarning")
    if warning is None:
        return
    if not version.get("deprecated"):
        yield definition(here, "can only be set for a deprecated version", "write deprecated: true, or leave the warning out")
        return
    if not warning or len(warning.encode()) > _LONGEST_WARNING or not warning.isprintable():
        yield definition(here, f"must have 1 to {_LONGEST_WARNING} printable characters", "write it shorter, on one line")


def column_faults(columns: list[dict[str, Any]], schema: dict[str, Any], at: Path) -> Iterator[Fault]:
    """Say what is wrong with printer columns; one that leads nowhere in the schema is a warning: it stays empty."""
    for index, column in enumerate(columns):
        here = (*at, index)
        path, kind, form = column.get("jsonPath") or "", column.get("type") or "", column.get("format") or ""
        if not column.get("name"):
            yield definition((*here, "name"), "missing; a column needs a name", "write name: …")
        if kind not in _TYPES:
            yield definition((*here, "type"), f"found {shown(kind)}, expected one of {', '.join(_TYPES)}", "use one of these")
        if form and form not in _FORMATS:
            yield definition((*here, "format"), f"found {shown(form)}, expected one of {', '.join(_FORMATS)}", "use one of these")
        if not path.startswith("."):
            yield definition((*here, "jsonPath"), f"found {shown(path)}, expected a path starting with a dot", "write it as .status.phase")
        elif lost := _lost(path, schema):
            said = f"{path} leads to no field of the schema ({lost} is not known there): the column stays empty"
            yield Fault((*here, "jsonPath"), Family.LOST, said, "name a field of the schema", Severity.WARNING)


def _lost(path: str, schema: dict[str, Any]) -> str:
    """Return the first name of a plain path that its schema does not know; what has brackets or filters is not followed."""
    if not path.replace(".", "").replace("-", "").isalnum() or path.startswith(".metadata"):
        return ""
    here: Any = schema
    for name in path[1:].split("."):
        if not isinstance(here, dict) or here.get("x-kubernetes-preserve-unknown-fields") or here.get("x-kubernetes-embedded-resource"):
            return ""
        properties, rest = here.get("properties") or {}, here.get("additionalProperties")
        if name not in properties and rest:
            return ""
        if name not in properties:
            return "" if here is schema and name in ("apiVersion", "kind") else name
        here = properties[name]
    return ""


def subresource_faults(subresources: dict[str, Any], at: Path) -> Iterator[Fault]:
    """Say what is wrong with the paths of the scale subresource."""
    scale = subresources.get("scale")
    if not isinstance(scale, dict):
        return
    wanted = (("specReplicasPath", (".spec.",)), ("statusReplicasPath", (".status.",)), ("labelSelectorPath", (".spec.", ".status.")))
    for key, starts in wanted:
        path = scale.get(key) or ""
        if (path or key != "labelSelectorPath") and not path.startswith(starts):
            expected = " or ".join(starts)
            yield definition((*at, "scale", key), f"found {shown(path)}, expected a path starting with {expected}", f"write {starts[0]}…")


def selectable_faults(fields: list[dict[str, Any]], schema: dict[str, Any] | None, at: Path) -> Iterator[Fault]:
    """Say what is wrong with the fields that a list may be selected by."""
    seen: set[tuple[str, ...]] = set()
    for index, entry in enumerate(fields):
        path, here = entry.get("jsonPath") or "", (*at, index, "jsonPath")
        why, names, found = selected(path, schema or {})
        if not path or why:
            yield definition(here, f"{shown(path)} {why or 'is empty'}", "name a field of the schema, such as .spec.tier")
            continue
        if names[0] == "metadata":
            yield definition(here, "must not name a field of metadata", "name a field of spec or status")
        if found.get("type") not in ("string", "boolean", "integer"):
            yield definition(here, f"{path} is no string, boolean or integer", "select by a scalar")
        if names in seen:
            yield definition(here, f"{path} is there twice", "name each field once")
        seen.add(names)
    if len(seen) > _MOST_SELECTABLE:
        yield definition(at, f"found {len(seen)} fields, expected at most {_MOST_SELECTABLE}", "select by fewer fields")
