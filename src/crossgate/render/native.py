"""Compositions of the removed native mode (``spec.resources``), in Pipeline form.

Crossplane 2 no longer serves native patch-and-transform. The rules are those of its own converters, ``crossplane beta convert
pipeline-composition`` and ``composition-environment`` (crossplane v1.20, ``cmd/crank/beta/convert``): what native mode inferred is
written out, because function-patch-and-transform requires it.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import Any

from crossgate.model import Document, Place
from crossgate.paths import Path, follow
from crossgate.render.apis import is_extension

_ENVIRONMENT_STEP = "environment-configs"
_PATCH_STEP = "patch-and-transform"

_MERGE_OPTIONS = {
    (False, False): "ForceMergeObjects",
    (False, True): "ForceMergeObjectsAppendArrays",
    (True, False): "MergeObjects",
    (True, True): "MergeObjectsAppendArrays",
}
"""(keepMapValues, appendSlice) to the toFieldPath policy that replaces them."""

_MATH_TYPES = {"clampMin": "ClampMin", "clampMax": "ClampMax", "multiply": "Multiply"}
_STRING_TYPES = {"fmt": "Format", "convert": "Convert", "regexp": "Regexp"}
_DETAIL_TYPES = {"value": "FromValue", "fromFieldPath": "FromFieldPath", "fromConnectionSecretKey": "FromConnectionSecretKey"}


def is_native(body: Any) -> bool:
    """Say whether ``body`` is a Composition of native mode: mode Resources, or resources and neither mode nor pipeline."""
    if not is_extension(body, "Composition") and not is_extension(body, "CompositionRevision"):
        return False
    spec = body.get("spec")
    if not isinstance(spec, dict):
        return False
    mode = spec.get("mode")
    return mode == "Resources" or (mode is None and "resources" in spec and "pipeline" not in spec)


def to_pipeline(body: dict[str, Any]) -> dict[str, Any]:
    """Return a native Composition in Pipeline form; ``body`` itself is left alone."""
    out = deepcopy(body)
    spec = out["spec"]
    environment = spec.pop("environment", None)
    environment = environment if isinstance(environment, dict) else {}
    patch_input: dict[str, Any] = {"apiVersion": "pt.fn.crossplane.io/v1beta1", "kind": "Resources"}
    if "patches" in environment:
        patch_input["environment"] = {"patches": _each(environment["patches"], _patch)}
    if "patchSets" in spec:
        patch_input["patchSets"] = _each(spec.pop("patchSets"), _with_patches)
    resources = spec.pop("resources", None)
    patch_input["resources"] = (
        [_resource(resource, index) for index, resource in enumerate(resources)] if isinstance(resources, list) else resources
    )
    steps = [{"step": _PATCH_STEP, "functionRef": {"name": "function-patch-and-transform"}, "input": patch_input}]
    environment_input = _environment_input(environment)
    if environment_input:
        frame = {"apiVersion": "environmentconfigs.fn.crossplane.io/v1beta1", "kind": "Input", "spec": environment_input}
        steps.insert(0, {"step": _ENVIRONMENT_STEP, "functionRef": {"name": "function-environment-configs"}, "input": frame})
    spec["mode"] = "Pipeline"
    spec["pipeline"] = steps
    return out


def converted(document: Document) -> Document:
    """Return a native Composition's document in Pipeline form, whose places are still those in its author's file."""
    body = to_pipeline(document.body)
    patch_step = len(body["spec"]["pipeline"]) - 1

    def locate(path: Path) -> Place:
        return document.place(_authored(path, patch_step))

    return replace(document, body=body, locate=locate)


def _authored(path: Path, patch_step: int) -> Path:
    """Return where a path of the converted Composition stood before."""
    if path[:2] != ("spec", "pipeline") or len(path) < 5 or path[3] != "input":
        return path[:1] if path[:2] == ("spec", "pipeline") else path
    if path[2] == patch_step:
        return ("spec", *path[4:])
    return ("spec", "environment", *path[5:])


def _environment_input(environment: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {name: environment[name] for name in ("defaultData", "environmentConfigs") if name in environment}
    resolution = follow(environment, ("policy", "resolution"))
    if isinstance(resolution, str):
        found["policy"] = {"resolution": resolution}
    return found


def _each(items: Any, change: Any) -> Any:
    return [change(item) if isinstance(item, dict) else item for item in items] if isinstance(items, list) else items


def _resource(resource: Any, index: int) -> Any:
    if not isinstance(resource, dict):
        return resource
    named = resource if "name" in resource else {"name": f"resource-{index}", **resource}
    if "connectionDetails" in named:
        named = {**named, "connectionDetails": _each(named["connectionDetails"], _connection_detail)}
    return _with_patches(named)


def _with_patches(holder: dict[str, Any]) -> dict[str, Any]:
    return {**holder, "patches": _each(holder["patches"], _patch)} if "patches" in holder else holder


def _connection_detail(detail: dict[str, Any]) -> dict[str, Any]:
    kind = next((type_ for field, type_ in _DETAIL_TYPES.items() if detail.get(field) is not None), detail.get("type"))
    typed = {**detail, "type": kind} if kind is not None else detail
    if kind == "FromConnectionSecretKey" and "name" not in typed:
        typed = {"name": typed.get("fromConnectionSecretKey"), **typed}
    return typed


def _patch(patch: dict[str, Any]) -> dict[str, Any]:
    patch = patch if "type" in patch else {"type": "FromCompositeFieldPath", **patch}
    policy = patch.get("policy")
    if isinstance(policy, dict) and "mergeOptions" in policy:
        options = policy["mergeOptions"]
        kept = {name: value for name, value in policy.items() if name != "mergeOptions"}
        if isinstance(options, dict):
            kept["toFieldPath"] = _MERGE_OPTIONS[options.get("keepMapValues") is True, options.get("appendSlice") is True]
        patch = {**patch, "policy": kept}
    if "transforms" in patch:
        patch = {**patch, "transforms": _each(patch["transforms"], _transform)}
    return patch


def _transform(transform: dict[str, Any]) -> dict[str, Any]:
    kind = transform.get("type")
    if not kind:
        kind = "string" if "string" in transform else "math" if "math" in transform else None
        transform = {"type": kind, **transform} if kind else transform
    types = {"math": _MATH_TYPES, "string": _STRING_TYPES}.get(str(kind))
    settings = transform.get(str(kind))
    if types and isinstance(settings, dict) and not settings.get("type"):
        found = next((type_ for field, type_ in types.items() if settings.get(field) is not None), None)
        if found:
            transform = {**transform, str(kind): {"type": found, **settings}}
    return transform
