"""The metadata that every object has: its fields, and the rules on names, labels, annotations and owners.

As apimachinery's ``ObjectMeta``, ``pkg/api/validation/objectmeta.go`` and
``pkg/apis/meta/v1/validation`` (1.36). A namespaced object without a namespace is good: whoever sends it
names one (kubectl's context, Argo CD's destination).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crossgate.paths import Path
from crossgate.schema import names
from crossgate.schema.decoding import decode
from crossgate.schema.problem import Problem
from crossgate.schema.values import shown

_STRING = {"type": "string"}
_INT64 = {"type": "integer", "format": "int64"}
_BOOLEAN = {"type": "boolean"}
_TIME = {"type": "string", "format": "date-time"}
_STRINGS = {"type": "object", "additionalProperties": _STRING}

OBJECT_META: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": _STRING,
        "generateName": _STRING,
        "namespace": _STRING,
        "selfLink": _STRING,
        "uid": _STRING,
        "resourceVersion": _STRING,
        "generation": _INT64,
        "creationTimestamp": _TIME,
        "deletionTimestamp": _TIME,
        "deletionGracePeriodSeconds": _INT64,
        "labels": _STRINGS,
        "annotations": _STRINGS,
        "ownerReferences": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "apiVersion": _STRING,
                    "kind": _STRING,
                    "name": _STRING,
                    "uid": _STRING,
                    "controller": _BOOLEAN,
                    "blockOwnerDeletion": _BOOLEAN,
                },
            },
        },
        "finalizers": {"type": "array", "items": _STRING},
        "managedFields": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "manager": _STRING,
                    "operation": _STRING,
                    "apiVersion": _STRING,
                    "time": _TIME,
                    "fieldsType": _STRING,
                    "fieldsV1": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                    "subresource": _STRING,
                },
            },
        },
    },
}
"""The schema of metadata; it is decoded into a Go type, so a null stands for nothing everywhere."""

ANNOTATIONS_LIMIT = 256 * 1024
"""Bytes that all keys and values of an object's annotations may have together."""

NameRule = Callable[[str], str]


def check_metadata(
    resource: dict[str, Any], *, namespaced: bool, name_rule: NameRule = names.dns_subdomain, at: Path = (), needs_name: bool = True
) -> list[Problem]:
    """Return what is wrong with an object's metadata; an embedded object needs no name, and its generation is its own."""
    here = (*at, "metadata")
    metadata = resource.get("metadata")
    problems = decode(OBJECT_META, metadata, here)
    if any(problem.kind == "schema" for problem in problems):
        return problems
    metadata = metadata if isinstance(metadata, dict) else {}
    problems += _names(metadata, here, name_rule, needs_name=needs_name)
    namespace = metadata.get("namespace")
    if namespace and namespaced:
        problems += _wrong(names.dns_label(namespace), namespace, (*here, "namespace"))
    if at and (metadata.get("generation") or 0) < 0:
        # At the root the server sets it.
        problems.append(Problem.schema((*here, "generation"), f"found {metadata['generation']}, expected 0 or more"))
    for key, value in (metadata.get("labels") or {}).items():
        where, named = (*here, "labels", key), (*here, "labels")
        problems += _wrong(names.label_key(key), key, where, named=named, what="label key")
        problems += _wrong(names.label_value(value or ""), value, where, named=named, what=f"label {key!r} with value")
    problems += _annotations(metadata, here)
    problems += _owners(metadata, here)
    problems += _finalizers(metadata, here)
    return problems


def generated_name(metadata: dict[str, Any]) -> str:
    """Return the object's name; for a generateName one as long as the server would make."""
    prefix = metadata.get("generateName")
    name = metadata.get("name")
    return name or (f"{prefix[:58]}xxxxx" if prefix else "")


def _names(metadata: dict[str, Any], here: Path, rule: NameRule, *, needs_name: bool) -> list[Problem]:
    problems: list[Problem] = []
    prefix, name = metadata.get("generateName"), metadata.get("name")
    if prefix:
        problems += _wrong(rule(names.as_prefix(prefix)), prefix, (*here, "generateName"))
    if name:
        problems += _wrong(rule(name), name, (*here, "name"))
    elif prefix:
        problems += _wrong(
            rule(generated_name(metadata)), prefix, (*here, "generateName"), named=(*here, "name"), what="the start of a name"
        )
    elif needs_name:
        problems.append(Problem.schema((*here, "name"), "missing; metadata.name or metadata.generateName is required", stops_rules=True))
    return problems


def _wrong(expected: str, found: Any, at: Path, *, named: Path | None = None, what: str = "") -> list[Problem]:
    if not expected:
        return []
    return [Problem.schema(at, f"found {what + ' ' if what else ''}{shown(found)}, expected {expected}", named=named)]


def _annotations(metadata: dict[str, Any], here: Path) -> list[Problem]:
    annotations = metadata.get("annotations") or {}
    named = (*here, "annotations")
    problems: list[Problem] = []
    size = 0
    for key, value in annotations.items():
        problems += _wrong(names.label_key(key.lower()), key, (*named, key), named=named, what="annotation key")
        size += len(key.encode()) + len((value or "").encode())
    if size > ANNOTATIONS_LIMIT:
        problems.append(Problem.schema(named, f"found annotations of {size} bytes, expected at most {ANNOTATIONS_LIMIT}", stops_rules=True))
    return problems


def _owners(metadata: dict[str, Any], here: Path) -> list[Problem]:
    problems: list[Problem] = []
    named = (*here, "ownerReferences")
    controllers = 0
    for index, owner in enumerate(reference or {} for reference in metadata.get("ownerReferences") or ()):
        version = (owner.get("apiVersion") or "").rpartition("/")[2]
        for key, value in (("apiVersion", version), ("kind", owner.get("kind")), ("name", owner.get("name")), ("uid", owner.get("uid"))):
            if not value:
                problems.append(Problem.schema((*named, index, key), "missing; an owner reference needs it", named=(*named, key)))
        if owner.get("apiVersion") == "v1" and owner.get("kind") == "Event":
            problems.append(Problem.schema((*named, index), "an Event cannot own anything", named=named))
        controllers += owner.get("controller") is True
    if controllers > 1:
        problems.append(Problem.schema(named, f"found {controllers} owners with controller: true, expected at most one"))
    return problems


def _finalizers(metadata: dict[str, Any], here: Path) -> list[Problem]:
    problems: list[Problem] = []
    named = (*here, "finalizers")
    finalizers = metadata.get("finalizers") or []
    for index, finalizer in enumerate(finalizers):
        problems += _wrong(names.label_key(finalizer or ""), finalizer, (*named, index), named=named)
    if "orphan" in finalizers and "foregroundDeletion" in finalizers:
        problems.append(Problem.schema(named, "orphan and foregroundDeletion exclude each other"))
    for index, entry in enumerate(fields or {} for fields in metadata.get("managedFields") or ()):
        at = (*here, "managedFields", index)
        if entry.get("operation") not in ("Apply", "Update"):
            problems.append(Problem.schema((*at, "operation"), f"found {shown(entry.get('operation'))}, expected Apply or Update"))
        if entry.get("fieldsType") not in (None, "", "FieldsV1"):
            problems.append(Problem.schema((*at, "fieldsType"), f"found {shown(entry['fieldsType'])}, expected FieldsV1"))
    return problems
