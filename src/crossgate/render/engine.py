"""The pipeline: a Composition compiled once, and run for one XR after the other.

What Crossplane's composite controller does around the functions is here: the XR as functions see it,
observed resources, the steps' desired state and context handed on, and what becomes of them at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from crossgate.errors import RenderError
from crossgate.model import Flow
from crossgate.paths import Path, format_path
from crossgate.render import conditions, connection, metadata
from crossgate.render.faults import Fault
from crossgate.render.functions import find
from crossgate.render.gojson import floats, objects, output, wire
from crossgate.render.merge import merge_over
from crossgate.render.state import Desired, Function, Observed, State, Step

_PAUSED = "crossplane.io/paused"
_RECONCILE = "crossplane.io/reconcile-requested-at"
_SHOWN = 3
"""How many unready resources a condition names."""


@dataclass(frozen=True, slots=True, eq=False)
class ComposedResource:
    """One composed resource and where it comes from.

    ``base`` is the path of its template's base in the Composition's document, ``flows`` say what each
    patch read in the XR and wrote here, in the order in which they ran (one per variable for a combine
    patch, one per element for a wildcard). What was read from the environment has a source that starts
    with ``(environment)``, unless a patch of the same step had put it there from the XR.
    """

    body: dict[str, Any]
    step: str = ""
    template: str = ""
    base: Path = ()
    flows: tuple[Flow, ...] = ()
    ready: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Rendering:
    """What Crossplane makes of an XR.

    ``composed`` are the composed resources' bodies, ``xr`` the XR with the status that it would get,
    ``context`` the pipeline's context at its end, ``warnings`` what Crossplane would report as warning
    events. ``hints`` are crossgate's own: things that render but are hardly meant so.
    """

    resources: tuple[ComposedResource, ...]
    xr: dict[str, Any]
    context: dict[str, Any]
    warnings: list[str]
    hints: tuple[str, ...] = ()
    connection: dict[str, bytes] = field(default_factory=dict)

    @property
    def composed(self) -> list[dict[str, Any]]:
        """Return the bodies of the composed resources."""
        return [resource.body for resource in self.resources]


@dataclass(slots=True)
class _CompiledStep:
    name: str
    where: str
    at: Path
    run: Step


class Compiled:
    """A Composition ready to render. Make it with ``compile_composition``."""

    __slots__ = ("_kind", "_large", "_name", "_steps")

    def __init__(self, composition: Any, functions: Mapping[str, str | Function]) -> None:
        self._large: list[bool] = []
        try:
            body = objects(wire(composition, self._large))
        except Fault as fault:
            raise RenderError(f"the Composition is not JSON: {fault.what}", "", fault.hint) from None
        if not isinstance(body, dict):
            raise RenderError("the Composition is not an object")
        self._name = metadata.get(body, "name")
        where = f"Composition {self._name or '(no name)'}"
        spec = body.get("spec")
        self._kind = _type_reference(spec, where)
        self._steps = [_compile_step(step, index, where, functions) for index, step in enumerate(_pipeline(spec, where))]
        names = [step.name for step in self._steps]
        for index, name in enumerate(names):
            if name in names[:index]:
                raise RenderError(
                    f'two pipeline steps are named "{name}"', where, "give each step its own name", path=("spec", "pipeline", index, "step")
                )

    def render(
        self,
        xr: Mapping[str, Any],
        *,
        observed: Sequence[Mapping[str, Any]] = (),
        required: Sequence[Mapping[str, Any]] = (),
        context: Mapping[str, Any] | None = None,
        legacy: bool = False,
    ) -> Rendering:
        """Render one XR; see ``crossgate.render.render``."""
        where = f"Composition {self._name or '(no name)'}"
        try:
            return self._render(xr, observed, required, context, legacy, where)
        except Fault as fault:
            raise RenderError(fault.what, where, fault.hint) from None
        except RecursionError:
            raise RenderError("a value is nested too deeply", where) from None

    def _render(
        self,
        given: Mapping[str, Any],
        observed: Sequence[Mapping[str, Any]],
        required: Sequence[Mapping[str, Any]],
        context: Mapping[str, Any] | None,
        legacy: bool,
        where: str,
    ) -> Rendering:
        large = list(self._large)
        xr = wire(given, large)
        if not isinstance(xr, dict):
            raise Fault("the XR is not an object")
        self._check_kind(xr)
        if not metadata.get(xr, "name"):
            raise Fault("the XR has no metadata.name", hint="Crossplane derives the names of composed resources from it")
        state_of = _prepare(xr, self._name, legacy)
        if state_of is not None:
            return Rendering(
                (),
                _finished(given, xr, state_of, legacy),
                {},
                [],
                ("the XR is paused: Crossplane composes nothing until the annotation is removed",),
            )
        cluster = [*observed, *required]
        state = State(
            xr,
            _observe(observed, cluster, xr, large, legacy),
            objects(wire({} if context is None else context, large)),
            list(required),  # type: ignore[arg-type]  # functions only read them
            large,
        )
        state.connection.update(connection.fetch(xr, required) if legacy else {})
        for step in self._steps:
            try:
                step.run(state)
            except Fault as fault:
                raise _located(fault, step, where) from None
        return self._finish(given, state, legacy)

    def _check_kind(self, xr: dict[str, Any]) -> None:
        given = xr.get("apiVersion"), xr.get("kind")
        if given != self._kind:
            raise Fault(
                f"the Composition is for {self._kind[0]} {self._kind[1]}, not for {given[0]} {given[1]}",
                hint="choose a Composition whose spec.compositeTypeRef names the XR's apiVersion and kind",
            )

    def _finish(self, given: Mapping[str, Any], state: State, legacy: bool) -> Rendering:
        xr = state.xr
        namespace = metadata.get(xr, "namespace")
        labels = _labels(xr)
        owner = metadata.owner_of(xr)
        resources = []
        for name, desired in state.desired.items():
            body = _composed(name, desired, state, namespace, labels, owner)
            resources.append(
                ComposedResource(
                    output(body) if state.large else body, desired.step, name, desired.base, tuple(desired.flows), bool(desired.ready)
                ),
            )
        if not isinstance(state.wanted.get("metadata", {}), dict):
            raise Fault(
                "cannot apply composite resource status: a patch replaced the XR's metadata with something that is no object",
                hint="patches to the XR only carry over its status",
            )
        xr_body = _finished(given, xr, _status(state, resources), legacy)
        return Rendering(
            tuple(resources),
            xr_body,
            output(state.context),
            state.warnings,
            tuple(state.hints),
            dict(state.connection) if legacy else {},
        )


def compile_composition(composition: Mapping[str, Any], functions: Mapping[str, str | Function] | None = None) -> Compiled:
    """Compile a Composition in order to render many XRs with it.

    ``functions`` maps names in ``functionRef`` to functions; see ``crossgate.render.functions``. Raises
    RenderError for what no XR could be rendered with, UnknownFunctionError for a function that crossgate
    cannot run.
    """
    return Compiled(composition, functions or {})


def _pipeline(spec: Any, where: str) -> list[Any]:
    if not isinstance(spec, dict):
        raise RenderError("the Composition has no spec", where)
    pipeline = spec.get("pipeline")
    if spec.get("resources") and not pipeline:
        raise RenderError(
            "the Composition is in the native mode (spec.resources), which Crossplane 2 removed",
            where,
            "convert it to a Pipeline first",
            path=("spec", "resources"),
        )
    if pipeline is not None and not isinstance(pipeline, list):
        raise RenderError("spec.pipeline is not a list", where, path=("spec", "pipeline"))
    return pipeline or []


def _type_reference(spec: Any, where: str) -> tuple[Any, Any]:
    found = spec.get("compositeTypeRef") if isinstance(spec, dict) else None
    if not isinstance(found, dict) or not isinstance(found.get("apiVersion"), str) or not isinstance(found.get("kind"), str):
        raise RenderError("spec.compositeTypeRef must name an apiVersion and a kind", where, path=("spec", "compositeTypeRef"))
    return found["apiVersion"], found["kind"]


def _compile_step(step: Any, index: int, where: str, functions: Mapping[str, str | Function]) -> _CompiledStep:
    at: Path = ("spec", "pipeline", index)
    if not isinstance(step, dict):
        raise RenderError("a pipeline step is not an object", where, path=at)
    name, reference, given = step.get("step"), step.get("functionRef"), step.get("input")
    if not isinstance(name, str) or not name:
        raise RenderError("a pipeline step has no name", where, "give it a `step`", path=(*at, "step"))
    function = reference.get("name") if isinstance(reference, dict) else None
    here = f'{where}, step "{name}"'
    if not isinstance(function, str) or not function:
        raise RenderError("a pipeline step names no function", here, "give it a `functionRef.name`", path=(*at, "functionRef"))
    if given is not None and not isinstance(given, dict):
        raise RenderError("the input of a pipeline step is not an object", here, path=(*at, "input"))
    compiled = _CompiledStep(name, here, at, _never)
    maker = find(function, given, functions, f"{here}, functionRef.name", at)
    try:
        compiled.run = maker(given, name, (*at, "input"))
    except Fault as fault:
        raise _located(fault, compiled, where) from None
    return compiled


def _never(_state: State) -> None:
    """Stand in for a step while it is compiled."""


def _located(fault: Fault, step: _CompiledStep, where: str) -> RenderError:
    """Turn a fault into an error that says where: Composition, step and the part of its input."""
    place: Path = (*step.at, "input", *fault.place) if fault.place else step.at
    if fault.place[: len(step.at)] == step.at:
        place = fault.place
    return RenderError(f"{fault.what}", f"{step.where}, {format_path(place)}", fault.hint, path=place)


def _labels(xr: dict[str, Any]) -> dict[str, str]:
    labels = metadata.mapping(xr, "labels")
    found = {metadata.PREFIX_LABEL: labels[metadata.PREFIX_LABEL]}
    claim = {name: labels.get(name, "") for name in metadata.CLAIM_LABELS}
    return found | claim if all(claim.values()) else found


def _prepare(xr: dict[str, Any], composition: str, legacy: bool) -> dict[str, Any] | None:
    """Give the XR what Crossplane has set by the time functions see it; return its status if that is all it gets."""
    metadata.put(xr, "uid", metadata.uid(xr))
    metadata.put(xr, "resourceVersion", "999")
    found = conditions.read(xr) or []
    generation = _generation(xr)
    conditions.put(found, conditions.make("Responsive", "True", "WatchCircuitClosed", generation=generation))
    status = xr.get("status")
    status = xr["status"] = dict(status) if isinstance(status, dict) else {}
    status["conditions"] = found
    annotations = metadata.mapping(xr, "annotations")
    if annotations.get(_PAUSED) == "true":
        paused = "Reconciliation (including deletion) is paused via the pause annotation"
        conditions.put(found, conditions.make("Synced", "False", "ReconcilePaused", message=paused, generation=generation))
        return {"conditions": found}
    if annotations.get(_RECONCILE):
        status["lastHandledReconcileAt"] = annotations[_RECONCILE]
    _reference(xr, composition, legacy)
    labels = metadata.mapping(xr, "labels")
    if not labels.get(metadata.PREFIX_LABEL):
        metadata.put(xr, "labels", {**labels, metadata.PREFIX_LABEL: metadata.get(xr, "name")})
    return None


def _generation(xr: dict[str, Any]) -> int:
    found = xr["metadata"].get("generation")
    return int(found) if isinstance(found, float) and found == int(found) else 0


def _machinery(xr: dict[str, Any], legacy: bool) -> dict[str, Any] | None:
    """Return the object of the XR that holds Crossplane's own fields."""
    spec = xr.setdefault("spec", {})
    if legacy or not isinstance(spec, dict):
        return spec if isinstance(spec, dict) else None
    found = spec.setdefault("crossplane", {})
    return found if isinstance(found, dict) else None


def _reference(xr: dict[str, Any], composition: str, legacy: bool) -> None:
    machinery = _machinery(xr, legacy)
    if machinery is not None:
        machinery["compositionRef"] = {"name": composition} if composition else {}


def _observe(
    observed: Sequence[Mapping[str, Any]],
    cluster: Iterable[Any],
    xr: dict[str, Any],
    large: list[bool],
    legacy: bool,
) -> dict[str, Observed]:
    """Return the observed resources by template name, and note them in the XR as Crossplane does."""
    found: dict[str, Observed] = {}
    references = []
    namespace = metadata.get(xr, "namespace")
    for given in observed:
        body = wire(given, large)
        if not isinstance(body, dict):
            raise Fault("an observed resource is not an object")
        name = metadata.get(body, "name")
        controller = metadata.controller_of(body)
        if controller is not None and controller["uid"] != metadata.get(xr, "uid"):
            raise Fault(f"observed resource {name} has a controller ref but is not controlled by the XR")
        if namespace and metadata.get(body, "namespace") != namespace:
            raise Fault(f"observed resource {name} is not in the same namespace as the XR")
        template = metadata.mapping(body, "annotations").get(metadata.TEMPLATE_ANNOTATION, "")
        if name and not template:
            raise Fault(
                f"observed resource {name} has no annotation {metadata.TEMPLATE_ANNOTATION}",
                hint="the annotation names the template that made the resource",
            )
        reference = {"apiVersion": body.get("apiVersion", ""), "kind": body.get("kind", ""), "name": name}
        if not namespace and metadata.get(body, "namespace"):
            reference["namespace"] = metadata.get(body, "namespace")
        references.append(reference)
        if name:
            found[template] = Observed(body, connection.fetch(body, cluster))
    machinery = _machinery(xr, legacy)
    if references and machinery is not None:
        machinery["resourceRefs"] = references
    return found


def _composed(name: str, desired: Desired, state: State, namespace: str, labels: dict[str, str], owner: dict[str, Any]) -> dict[str, Any]:
    """Finish one composed resource: name, namespace, labels, annotation and owner."""
    body = desired.body
    observed = state.observed.get(name)
    if observed is not None:
        for key in ("namespace", "name", "generateName"):
            metadata.put(body, key, metadata.get(observed.body, key))
    own = metadata.get(body, "namespace")
    if namespace and own and own != namespace:
        state.warnings.append(f'cannot create composed resource "{name}" in namespace "{own}", using XR namespace "{namespace}" instead')
    metadata.adopt(body, name, labels, namespace, owner)
    if not metadata.get(body, "name") and metadata.get(body, "generateName"):
        metadata.put(body, "name", metadata.child_name(metadata.get(body, "generateName"), owner["uid"], name))
    metadata.check_name(body, name)
    metadata.settle_kind(body)
    if "status" in body:
        _stamp(body, f'composed resource "{name}"')
    return body


def _stamp(body: dict[str, Any], what: str) -> None:
    """Give all conditions one time, as Crossplane's render does so that its output is stable."""
    found = conditions.read(body)
    if found is None:
        return
    if body["status"] is None:
        raise Fault(f"cannot replace condition timestamps in {what}: status is not an object", hint="a null status cannot be rendered")
    body["status"]["conditions"] = [{**condition, "lastTransitionTime": conditions.NOW} for condition in found] or None


def _status(state: State, resources: list[ComposedResource]) -> Any:
    """Return the XR's status: what the functions want, and Crossplane's conditions (none in a status that is no object)."""
    wanted = state.wanted.get("status", {})
    if not isinstance(wanted, dict):
        return wanted
    found = conditions.read({"status": wanted}) or []
    status = dict(wanted)
    generation = _generation(state.xr)
    for condition in state.xr["status"]["conditions"]:
        conditions.put(found, condition)
    conditions.put(found, conditions.make("Synced", "True", "ReconcileSuccess", generation=generation))
    unready = sorted(resource.template for resource in resources if not resource.ready)
    ready = not unready if state.xr_ready is None else state.xr_ready
    message = f"Unready resources: {_some(unready)}" if unready and state.xr_ready is None else ""
    conditions.put(
        found,
        conditions.make(
            "Ready", "True" if ready else "False", "Available" if ready else "Creating", message=message, generation=generation
        ),
    )
    status["conditions"] = found
    return status


def _some(names: list[str]) -> str:
    if len(names) > _SHOWN:
        return f"{', '.join(names[:_SHOWN])}, and {len(names) - _SHOWN} more"
    if len(names) == _SHOWN:
        return f"{', '.join(names[:-1])}, and {names[-1]}"
    return ", ".join(names)


def _finished(given: Mapping[str, Any], xr: dict[str, Any], status: Any, legacy: bool) -> dict[str, Any]:
    """Return the XR as given with its new status; ``spec.crossplane``, which is not the author's, is left out."""
    body = {key: objects_of(value) for key, value in given.items()}
    spec = body.get("spec")
    if isinstance(spec, dict) and not legacy:
        spec.pop("crossplane", None)
    old = body.pop("status", None)
    merged = merge_over({"status": old} if isinstance(old, dict) else {}, {"status": output(status)})
    body["status"] = merged["status"]
    _stamp(body, "the XR")
    return body


def objects_of(value: Any) -> Any:
    """Copy a value as its author wrote it."""
    if isinstance(value, Mapping):
        return {key: objects_of(item) for key, item in value.items()}
    return [objects_of(item) for item in value] if isinstance(value, list | tuple) else value


__all__ = ["Compiled", "ComposedResource", "Rendering", "compile_composition", "floats"]
