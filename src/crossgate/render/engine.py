"""The pipeline: a Composition compiled once, and run for one XR after the other.

What Crossplane's composite controller does around the functions is here: the XR as functions see it,
observed resources, the steps' desired state and context handed on, and what becomes of them at the end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crossgate.errors import RenderError, TooLargeError
from crossgate.paths import Path, format_path
from crossgate.render import composite, metadata
from crossgate.render import observed as observed_resources
from crossgate.render.faults import Fault, TooLarge
from crossgate.render.functions import find
from crossgate.render.gojson import objects, output, wire
from crossgate.render.rendering import ComposedResource, Rendering
from crossgate.render.state import Desired, Function, State, Step


@dataclass(slots=True)
class _CompiledStep:
    name: str
    where: str
    at: Path
    run: Step


class Compiled:
    """A Composition ready to render. Make it with ``compile_composition``."""

    __slots__ = ("_kind", "_large", "_name", "_secrets", "_steps")

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
        namespace = spec.get("writeConnectionSecretsToNamespace") if isinstance(spec, dict) else None
        self._secrets = namespace if isinstance(namespace, str) else None
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
            return self._render(xr, observed, required, context, legacy)
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
    ) -> Rendering:
        large = list(self._large)
        xr = wire(given, large, 0.0)
        composite.identify(xr, self._kind)
        bodies = observed_resources.read(observed, xr, large)
        if composite.is_paused(xr):
            hint = "the XR is paused: Crossplane composes nothing until the annotation is removed"
            return Rendering((), composite.finish(given, composite.paused_status(xr), legacy), {}, [], (hint,))
        composite.prepare(xr, self._name, legacy, self._secrets)
        machinery = composite.machinery(xr, legacy)
        observed_resources.refer(bodies, xr, machinery)
        cluster = [_object(resource, "a required resource") for resource in required]
        state = State(
            xr,
            observed_resources.by_template(bodies, [*bodies, *cluster]) if machinery is not None else {},
            wire({} if context is None else _object(context, "the context"), large),
            cluster,
            large,
        )
        for step in self._steps:
            try:
                step.run(state)
            except Fault as fault:
                raise _located(fault, step) from None
        resources = _composed_resources(state)
        return Rendering(
            resources,
            composite.finish(given, composite.status_of(state, resources), legacy),
            output(state.context),
            state.warnings,
            tuple(state.hints),
            dict(state.connection) if legacy else {},
        )


def _object(value: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise Fault(f"{what} is not an object")
    return value


def _composed_resources(state: State) -> tuple[ComposedResource, ...]:
    namespace = metadata.get(state.xr, "namespace")
    labels = composite.inherited_labels(state.xr)
    owner = metadata.owner_of(state.xr)
    resources = []
    for name, desired in state.desired.items():
        body = _finished(name, desired, state, namespace, labels, owner)
        if state.large:
            body = output(body)
        resources.append(ComposedResource(body, desired.step, name, desired.base, tuple(desired.flows), bool(desired.ready)))
    return tuple(resources)


def _finished(name: str, desired: Desired, state: State, namespace: str, labels: dict[str, str], owner: dict[str, Any]) -> dict[str, Any]:
    """Finish one composed resource: name, namespace, labels, annotation and owner."""
    body = desired.body
    observed = state.observed.get(name)
    if observed is not None:
        for key in ("namespace", "name", "generateName"):
            metadata.put(body, key, metadata.get(observed.body, key))
    own = metadata.get(body, "namespace") if namespace else ""
    if own and own != namespace:
        state.warnings.append(f'cannot create composed resource "{name}" in namespace "{own}", using XR namespace "{namespace}" instead')
    metadata.adopt(body, name, labels, namespace, owner)
    metadata.check_name(body, name)
    metadata.settle_kind(body)
    if "status" in body:
        composite.stamp(body, f'composed resource "{name}"')
    return body


def compile_composition(composition: Mapping[str, Any], functions: Mapping[str, str | Function] | None = None) -> Compiled:
    """Compile a Composition in order to render many XRs with it.

    ``functions`` maps names in ``functionRef`` to functions; see ``crossgate.render.functions``. Raises
    RenderError for what no XR could be rendered with, UnknownFunctionError for a function that crossgate
    cannot run.
    """
    try:
        return Compiled(composition, functions or {})
    except RecursionError:
        raise RenderError("the Composition is nested too deeply") from None


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
        raise _located(fault, compiled) from None
    return compiled


def _never(_state: State) -> None:
    """Stand in for a step while it is compiled."""


def _located(fault: Fault, step: _CompiledStep) -> RenderError:
    """Turn a fault into an error that says where: Composition, step and the part of its input."""
    place: Path = (*step.at, "input", *fault.place) if fault.place else step.at
    if fault.place[: len(step.at)] == step.at:
        place = fault.place
    where = ", ".join(part for part in (step.where, fault.label, format_path(place)) if part)
    kind = TooLargeError if isinstance(fault, TooLarge) else RenderError
    return kind(fault.what, where, fault.hint, path=place)
