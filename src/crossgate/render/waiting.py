"""Templates that wait for a field of the XR's status: left out of a first rendering, there once the cluster knows the value.

A patch with ``policy.fromFieldPath: Required`` keeps its resource out until the field exists. When the field belongs to the spec, the
claim decides, and leaving the resource out is the answer. When it belongs to the status, the resource will be made later; it must be
judged before that, so it is rendered without the value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from crossgate.model import Document
from crossgate.paths import Path, follow

_INPUT_GROUP = "pt.fn.crossplane.io/"


@dataclass(frozen=True, slots=True)
class Waiting:
    """A template that waits, the patch that makes it (its path in the Composition) and the field that it waits for."""

    template: str
    patch: Path
    field: str


def patient(composition: Document) -> Document:
    """Return ``composition`` with the patches that wait for the status made optional, so that what they keep out is rendered at once.

    Places stay the same. Resources that wait for nothing render as before, as long as the XR has no status.
    """
    body = composition.body
    for path in {item.patch for item in waiting(composition)}:
        body = _optional(body, path)
    return composition if body is composition.body else replace(composition, body=body)


def waiting(composition: Document) -> list[Waiting]:
    """Return the templates of ``composition`` that read a required field of the status."""
    pipeline = follow(composition.body, ("spec", "pipeline"))
    found: list[Waiting] = []
    for index, step in enumerate(pipeline if isinstance(pipeline, list) else ()):
        given = follow(step, ("input",))
        if isinstance(given, dict) and str(given.get("apiVersion", "")).startswith(_INPUT_GROUP):
            found += _of_step(given, ("spec", "pipeline", index, "input"))
    return found


def _of_step(given: dict[str, Any], at: Path) -> Iterator[Waiting]:
    sets = {str(named.get("name")): position for position, named in _dicts(given.get("patchSets"))}
    for index, template in _dicts(given.get("resources")):
        name = template.get("name")
        for position, patch in _dicts(template.get("patches")):
            places: list[tuple[Path, dict[str, Any]]] = [((*at, "resources", index, "patches", position), patch)]
            if patch.get("type") == "PatchSet":
                chosen = sets.get(str(patch.get("patchSetName")))
                shared: Path = () if chosen is None else ("patchSets", chosen, "patches")
                places = [((*at, *shared, inner), found) for inner, found in _dicts(follow(given, shared))]
            for path, found in places:
                for field in _required_status(found):
                    yield Waiting(str(name), path, field)


def _required_status(patch: dict[str, Any]) -> Iterator[str]:
    if follow(patch, ("policy", "fromFieldPath")) != "Required":
        return
    kind = patch.get("type", "FromCompositeFieldPath")
    variables = follow(patch, ("combine", "variables"))
    fields = [follow(variable, ("fromFieldPath",)) for variable in variables] if isinstance(variables, list) else []
    fields = {"FromCompositeFieldPath": [patch.get("fromFieldPath")], "CombineFromComposite": fields}.get(str(kind), [])
    yield from (field for field in fields if isinstance(field, str) and field.startswith("status."))


def _optional(body: Any, path: Path) -> Any:
    """Return a copy of ``body`` in which the patch at ``path`` is optional."""
    if not path:
        policy = {key: value for key, value in body["policy"].items() if key != "fromFieldPath"}
        return {**body, "policy": policy}
    step = path[0]
    if isinstance(body, list):
        return [_optional(item, path[1:]) if index == step else item for index, item in enumerate(body)]
    return {**body, step: _optional(body[step], path[1:])}


def _dicts(value: Any) -> list[tuple[int, dict[str, Any]]]:
    return [(index, item) for index, item in enumerate(value) if isinstance(item, dict)] if isinstance(value, list) else []
