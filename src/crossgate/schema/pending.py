"""Fields of composed resources that get their value later: from the XR's status or from the environment.

A first rendering leaves them out, because nothing has been observed yet. The API server will see the
resource again once the value is there, so a missing field is no fault when a patch is waiting to fill it: it
is filled with a stand-in of the right type before the resource is judged, and what is said about the stand-in itself is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from crossgate.model import COMPOSED, WRAPPED, Document, Resource
from crossgate.paths import Path, follow
from crossgate.schema.defaulting import copy_json

Schema = dict[str, Any]

_INPUT_GROUP = "pt.fn.crossplane.io/"
_STEP = re.compile(r"\[([^\[\]]*)\]|([^.\[\]]+)")


def pending_fields(resource: Resource) -> list[Path]:
    """Return the fields that patches will fill once the status or the environment holds a value."""
    if resource.role is WRAPPED and resource.parent is not None:
        depth = len(resource.inside)
        return [path[depth:] for path in pending_fields(resource.parent) if path[:depth] == resource.inside and len(path) > depth]
    if resource.role is not COMPOSED or resource.composition is None:
        return []
    late = _late_targets(resource.composition, resource.step, resource.template)
    if not late:
        return []
    written = {flow.target for flow in resource.flows}
    return [path for path in late if path not in written]


def with_stand_ins(body: dict[str, Any], schema: Schema, fields: list[Path]) -> dict[str, Any]:
    """Return a copy of a resource in which the missing ones of ``fields`` hold a value of the type that their schema wants."""
    copy: dict[str, Any] = copy_json(body)
    for path in fields:
        _put(copy, schema, path)
    return copy


def _put(value: Any, schema: Schema, path: Path) -> None:
    for place, step in enumerate(path):
        last = place == len(path) - 1
        inner = _below(schema, step)
        made = _stand_in(inner) if last else [] if isinstance(path[place + 1], int) else {}
        if isinstance(value, dict) and isinstance(step, str):
            value = value.setdefault(step, made)
        elif isinstance(value, list) and isinstance(step, int) and step <= len(value):
            if step == len(value):
                value.append(made)
            value = value[step]
        else:
            return
        schema = inner


def _below(schema: Schema, step: str | int) -> Schema:
    if isinstance(step, int):
        return schema.get("items") or {}
    found = (schema.get("properties") or {}).get(step)
    rest = schema.get("additionalProperties")
    return found if found is not None else rest if isinstance(rest, dict) else {}


def _stand_in(schema: Schema) -> Any:
    if schema.get("enum"):
        return schema["enum"][0]
    kind = schema.get("type")
    if kind in ("integer", "number"):
        return schema.get("minimum", 1)
    simple: dict[Any, Any] = {"boolean": False, "array": [], "object": {}}
    return simple[kind] if kind in simple else "x" * max(1, schema.get("minLength", 1))


@lru_cache(maxsize=1024)
def _late_targets(composition: Document, step: str, template: str) -> tuple[Path, ...]:
    """Return what the patches of a template fill late: the same for every resource that is made from it."""
    return tuple(_targets(composition.body, step, template))


def _targets(composition: Any, step: str, template: str) -> Iterator[Path]:
    for entry in follow(composition, ("spec", "pipeline")) or ():
        given = entry.get("input") if isinstance(entry, dict) else None
        if not isinstance(given, dict) or entry.get("step") != step or not str(given.get("apiVersion", "")).startswith(_INPUT_GROUP):
            continue
        sets = {named.get("name"): named.get("patches") for named in _dicts(given.get("patchSets"))}
        for found in _dicts(given.get("resources")):
            if found.get("name") != template:
                continue
            for patch in _dicts(found.get("patches")):
                several = _dicts(sets.get(patch.get("patchSetName"))) if patch.get("type") == "PatchSet" else [patch]
                for one in several:
                    target = _target(one)
                    if target:
                        yield target


def _target(patch: dict[str, Any]) -> Path:
    kind = patch.get("type", "FromCompositeFieldPath")
    if kind in ("FromCompositeFieldPath", "FromEnvironmentFieldPath"):
        sources = [patch.get("fromFieldPath")]
    elif kind in ("CombineFromComposite", "CombineFromEnvironment"):
        sources = [variable.get("fromFieldPath") for variable in _dicts(follow(patch, ("combine", "variables")))]
    else:
        return ()
    late = kind.endswith(("FromEnvironment", "EnvironmentFieldPath")) or any(str(source).startswith("status.") for source in sources)
    target = patch.get("toFieldPath") or patch.get("fromFieldPath")
    if not late or not isinstance(target, str) or "*" in target:
        return ()
    return tuple(int(step) if step.isdigit() and bracket else step for step, bracket in _steps(target))


def _steps(text: str) -> Iterator[tuple[str, bool]]:
    for found in _STEP.finditer(text):
        bracket = found.group(1) is not None
        yield (found.group(1).strip("'\"") if bracket else found.group(2)), bracket


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
