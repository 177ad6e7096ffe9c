"""Objects inside objects (``x-kubernetes-embedded-resource``): their own apiVersion, kind and metadata.

As apiextensions-apiserver's ``pkg/apiserver/schema/objectmeta`` (1.36): apiVersion and kind are required
and must be well formed, metadata is checked as any metadata, only that it needs no name.
"""

from __future__ import annotations

from typing import Any

from crossgate.paths import Path
from crossgate.schema import names
from crossgate.schema.metadata import check_metadata
from crossgate.schema.problem import Problem
from crossgate.schema.values import shown

Schema = dict[str, Any]


def check_embedded(schema: Schema, value: Any, at: Path = ()) -> list[Problem]:
    """Return what is wrong with the embedded objects below ``value``."""
    problems: list[Problem] = []
    _walk(schema, value, at, problems)
    return problems


def _walk(schema: Schema, value: Any, at: Path, problems: list[Problem]) -> None:
    if isinstance(value, dict):
        if at and schema.get("x-kubernetes-embedded-resource"):
            problems += _head(value, at)
            metadata = value.get("metadata")
            if metadata is not None:
                namespaced = isinstance(metadata, dict) and bool(metadata.get("namespace"))
                problems += check_metadata(value, namespaced=namespaced, name_rule=names.path_segment, at=at, needs_name=False)
        properties = schema.get("properties") or {}
        rest = schema.get("additionalProperties")
        for key, child in value.items():
            if isinstance(child, (dict, list)):
                inner = properties.get(key) or (rest if isinstance(rest, dict) else None)
                if inner:
                    _walk(inner, child, (*at, key), problems)
    elif isinstance(value, list):
        items = schema.get("items")
        if items:
            for index, child in enumerate(value):
                _walk(items, child, (*at, index), problems)


def _head(value: dict[str, Any], at: Path) -> list[Problem]:
    problems: list[Problem] = []
    for key in ("apiVersion", "kind"):
        text = value.get(key)
        if key not in value:
            problems.append(Problem.schema((*at, key), "missing; an embedded object needs it", stops_rules=True))
        elif not isinstance(text, str) or not text:
            problems.append(Problem.schema((*at, key), f"found {shown(text)}, expected a string that is not empty"))
        elif key == "apiVersion" and text.count("/") > 1:
            problems.append(Problem.schema((*at, key), f"found {shown(text)}, expected group/version"))
        elif key == "kind" and names.dns_1035_label(text.lower()):
            problems.append(Problem.schema((*at, key), f"found {shown(text)}, expected {names.dns_1035_label(text.lower())}"))
    return problems
