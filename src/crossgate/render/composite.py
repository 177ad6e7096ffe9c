"""The XR before and after the pipeline: what Crossplane has set by the time functions see it, and its status.

Crossplane keeps its own fields under ``spec.crossplane``, or directly under ``spec`` for the XRs of an
XRD with scope LegacyCluster (v1, with claims).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from crossgate.render import conditions, connection, metadata
from crossgate.render.faults import Fault
from crossgate.render.gojson import output
from crossgate.render.merge import merge_over
from crossgate.render.rendering import ComposedResource
from crossgate.render.state import State

_PAUSED = "crossplane.io/paused"
_RECONCILE = "crossplane.io/reconcile-requested-at"
_SHOWN = 3
"""How many unready resources a condition names."""

Xr = dict[str, Any]


def identify(xr: Any, kind: tuple[str, str]) -> None:
    """Check that an XR can be rendered by a Composition for ``kind`` (apiVersion and kind), and give it a UID."""
    if not isinstance(xr, dict):
        raise Fault("the XR is not an object")
    given = xr.get("apiVersion"), xr.get("kind")
    if given != kind:
        raise Fault(
            f"the Composition is for {kind[0]} {kind[1]}, not for {given[0]} {given[1]}",
            hint="choose a Composition whose spec.compositeTypeRef names the XR's apiVersion and kind",
        )
    if not metadata.get(xr, "name"):
        raise Fault("the XR has no metadata.name", hint="Crossplane derives the names of composed resources from it")
    metadata.put(xr, "uid", metadata.uid(xr))
    metadata.put(xr, "resourceVersion", "999")


def machinery(xr: Xr, legacy: bool) -> dict[str, Any] | None:
    """Return the object of the XR that holds Crossplane's own fields; None if the XR leaves no room for it."""
    spec = xr.setdefault("spec", {})
    if legacy or not isinstance(spec, dict):
        return spec if isinstance(spec, dict) else None
    found = spec.setdefault("crossplane", {})
    return found if isinstance(found, dict) else None


def is_paused(xr: Xr) -> bool:
    """Say whether Crossplane leaves the XR alone."""
    return metadata.mapping(xr, "annotations").get(_PAUSED) == "true"


def paused_status(xr: Xr) -> dict[str, Any]:
    """Return the status of an XR that Crossplane leaves alone."""
    found = _responsive(xr)
    why = "Reconciliation (including deletion) is paused via the pause annotation"
    conditions.put(found, conditions.make("Synced", "False", "ReconcilePaused", message=why, generation=_generation(xr)))
    return {"conditions": found}


def prepare(xr: Xr, composition: str, legacy: bool, secrets: str | None) -> None:
    """Give the XR what Crossplane has set by the time functions see it."""
    status = xr.get("status")
    found = _responsive(xr)
    status = xr["status"] = dict(status) if isinstance(status, dict) else {}
    status["conditions"] = found
    if requested := metadata.mapping(xr, "annotations").get(_RECONCILE):
        status["lastHandledReconcileAt"] = requested
    own = machinery(xr, legacy)
    if own is not None:
        own["compositionRef"] = {"name": composition} if composition else {}
        if legacy and secrets is not None and connection.secret_reference(xr) is None:
            own["writeConnectionSecretToRef"] = {"name": metadata.get(xr, "uid"), "namespace": secrets}
    labels = metadata.mapping(xr, "labels")
    if not labels.get(metadata.PREFIX_LABEL):
        metadata.put(xr, "labels", {**labels, metadata.PREFIX_LABEL: metadata.get(xr, "name")})


def _responsive(xr: Xr) -> list[conditions.Condition]:
    found = conditions.read_partly(xr.get("status"))
    conditions.put(found, conditions.make("Responsive", "True", "WatchCircuitClosed", generation=_generation(xr)))
    return found


def _generation(xr: Xr) -> int:
    found = xr["metadata"].get("generation")
    return int(found) if isinstance(found, float) and found == int(found) else 0


def inherited_labels(xr: Xr) -> dict[str, str]:
    """Return the labels that every composed resource gets: the XR's name prefix, and its claim."""
    labels = metadata.mapping(xr, "labels")
    found = {metadata.PREFIX_LABEL: labels[metadata.PREFIX_LABEL]}
    claim = {name: labels.get(name, "") for name in metadata.CLAIM_LABELS}
    return found | claim if all(claim.values()) else found


def status_of(state: State, resources: Sequence[ComposedResource]) -> Any:
    """Return the XR's status: what the functions want, and Crossplane's conditions (none in a status that is no object)."""
    if not isinstance(state.wanted.get("metadata", {}), dict):
        raise Fault(
            "cannot apply composite resource status: a patch replaced the XR's metadata with something that is no object",
            hint="patches to the XR only carry over its status",
        )
    wanted = state.wanted.get("status", {})
    if not isinstance(wanted, dict):
        return wanted
    found = conditions.read_partly(wanted)
    for condition in state.xr["status"]["conditions"]:
        conditions.put(found, condition)
    conditions.put(found, conditions.make("Synced", "True", "ReconcileSuccess"))
    unready = sorted(resource.template for resource in resources if not resource.ready)
    ready = not unready if state.xr_ready is None else state.xr_ready
    message = f"Unready resources: {_some(unready)}" if unready and state.xr_ready is None else ""
    conditions.put(found, conditions.make("Ready", "True" if ready else "False", "Available" if ready else "Creating", message=message))
    return {**wanted, "conditions": found}


def _some(names: list[str]) -> str:
    if len(names) > _SHOWN:
        return f"{', '.join(names[:_SHOWN])}, and {len(names) - _SHOWN} more"
    if len(names) == _SHOWN:
        return f"{', '.join(names[:-1])}, and {names[-1]}"
    return ", ".join(names)


def finish(given: Mapping[str, Any], status: Any, legacy: bool) -> Xr:
    """Return the XR as given with a new status merged in; ``spec.crossplane``, which is not the author's, is left out."""
    body: Xr = _copy(given)
    spec = body.get("spec")
    if isinstance(spec, dict) and not legacy:
        spec.pop("crossplane", None)
    old = body.get("status")
    if isinstance(old, dict):
        body["status"] = merge_over({"status": old}, {"status": output(status)})["status"]
    else:
        body["status"] = output(status)
    if not isinstance(status, dict) or any(condition["lastTransitionTime"] != conditions.NOW for condition in status["conditions"]):
        stamp(body, "the XR")
    return body


def _copy(value: Any) -> Any:
    """Copy a value as its author wrote it."""
    if isinstance(value, Mapping):
        return {key: _copy(item) for key, item in value.items()}
    return [_copy(item) for item in value] if isinstance(value, list | tuple) else value


def stamp(body: dict[str, Any], what: str) -> None:
    """Give all conditions one time, as Crossplane's render does so that its output is stable."""
    found = conditions.read(body)
    if found is None:
        return
    if body["status"] is None:
        raise Fault(f"cannot replace condition timestamps in {what}: status is not an object", hint="a null status cannot be rendered")
    body["status"]["conditions"] = [{**condition, "lastTransitionTime": conditions.NOW} for condition in found] or None
