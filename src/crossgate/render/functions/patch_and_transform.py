"""function-patch-and-transform, run in process.

Read beside ``fn.go`` of crossplane-contrib/function-patch-and-transform: the order of what happens and
what is fatal, a warning or skipped are the same.
"""

from __future__ import annotations

from typing import Any

from crossgate.model import Flow
from crossgate.paths import MISSING, Path, follow
from crossgate.render import metadata, validate
from crossgate.render.connection import SecretWriter, extract, is_modern
from crossgate.render.decode import decode
from crossgate.render.faults import Crash, Fault, InputFault, NotFound, TooLarge
from crossgate.render.gojson import clone, floats, raw
from crossgate.render.inputs import RESOURCES
from crossgate.render.literal import Copies
from crossgate.render.patches import Patch, Side, Target, check_kind
from crossgate.render.ready import compile_checks
from crossgate.render.state import ENVIRONMENT_KEY, Desired, Observed, State, Step

_XR, _COMPOSED, _ENVIRONMENT = Side
"""By themselves, since they are compared for every patch of every resource (see ``model.DOCUMENT``)."""
_ENVIRONMENT_KIND = {"apiVersion": "internal.crossplane.io/v1alpha1", "kind": "Environment"}


def compile_step(given: Any, name: str, at: Path) -> Step:
    """Compile an input; raises InputFault for one that the function refuses."""
    decoded = decode(RESOURCES, {} if given is None else given)
    try:
        validate.resources(decoded)
    except InputFault as fault:
        template = follow(decoded, (*fault.place[:2], "name")) if fault.place[:1] == ("resources",) else MISSING
        fault.label = f'resource "{template}"' if template is not MISSING else ""
        raise
    return _Step(decoded, name, at)


_Sets = dict[str, list[tuple[dict[str, Any], Path]]]
"""The patches of each PatchSet, with their paths in the input."""


class _Template:
    """One entry of ``resources``, with its PatchSets resolved."""

    __slots__ = ("base", "copy", "details", "name", "patches", "path", "ready")

    def __init__(self, given: dict[str, Any], sets: _Sets, at: Path, place: Path) -> None:
        self.name: str = given["name"]
        self.base = given.get("base")
        self.copy = Copies(self.base)
        self.path: Path = (*at, *place, "base")
        self.details = given.get("connectionDetails", ())
        self.ready = compile_checks(given.get("readinessChecks", ()))
        self.patches: list[Patch] = []
        for position, patch in enumerate(given.get("patches", ())):
            here = (*place, "patches", position)
            for found, there in self._resolved(patch, here, sets):
                self.patches.append(Patch(found, len(self.patches), (*at, *there)))

    def _resolved(self, patch: dict[str, Any], here: Path, sets: _Sets) -> list[tuple[dict[str, Any], Path]]:
        if validate.kind(patch) != "PatchSet":
            return [(patch, here)]
        wanted = patch["patchSetName"]
        if wanted not in sets:
            raise Fault(
                f"cannot resolve PatchSets: cannot find PatchSet by name {wanted}",
                hint=f"there are {', '.join(sorted(sets)) or 'none'}",
                place=here,
            )
        return sets[wanted]

    def make(self, state: State, step: str) -> tuple[Desired, Target]:
        """Start the resource: from its base, or from what an earlier step made."""
        if self.base is None:
            found = state.desired.get(self.name)
            if found is None:
                raise Fault(
                    f'composed resource "{self.name}" has no base template, and was not produced by a previous Function in the pipeline',
                    hint="give it a base, or make it in an earlier step",
                    place=self.path,
                    label=f'resource "{self.name}"',
                )
            made = Desired(found.body, None, found.step, found.base, list(found.flows))
            return made, Target(floats(found.body), state.large, wire=True)
        body = self.copy()
        return Desired(body, None, step, self.path), Target(body, state.large)


class _Step:
    """A compiled input."""

    def __init__(self, given: dict[str, Any], name: str, at: Path) -> None:
        self._name = name
        self._writer = SecretWriter(given.get("writeConnectionSecretToRef"), at)
        sets: _Sets = {
            patch_set["name"]: [
                (patch, ("patchSets", index, "patches", position)) for position, patch in enumerate(patch_set.get("patches", ()))
            ]
            for index, patch_set in enumerate(given.get("patchSets", ()))
        }
        self._templates = [_Template(template, sets, at, ("resources", index)) for index, template in enumerate(given.get("resources", ()))]
        environment = given.get("environment", {}).get("patches", ())
        self._environment = [
            Patch(patch, index, (*at, "environment", "patches", index), environment=True) for index, patch in enumerate(environment)
        ]
        self._at = len(at)
        for template in self._templates:
            _check_base(template)
        self._hints = _hints(given)
        self._kept: dict[Patch, tuple[tuple[Flow, ...], tuple[Flow, ...], tuple[Flow, ...]]] = {}

    def __call__(self, state: State) -> None:
        wanted = floats(state.wanted)
        wanted.update({name: value for name in ("apiVersion", "kind") if isinstance(value := state.xr.get(name), str)})
        xr = Target(wanted, state.large, wire=True)
        environment = _environment(state)
        written: list[Flow] = []
        for patch in self._environment:
            written += self._patch_environment(patch, state, environment, xr)
        traced = tuple(written)
        skipped = False
        state.hints.extend(self._hints)
        for template in self._templates:
            skipped = self._compose(template, state, environment, xr, traced) or skipped
        if is_modern(state.xr) and state.connection:
            self._writer.compose(state)
        state.wanted = xr.body
        state.xr_ready = False if skipped else None
        state.context = {**state.context, ENVIRONMENT_KEY: environment.body}

    def _patch_environment(self, patch: Patch, state: State, environment: Target, xr: Target) -> tuple[Flow, ...]:
        """Run a patch of ``environment.patches``; return what it wrote to the environment."""
        into_environment = patch.target is _ENVIRONMENT
        try:
            flows = patch.apply(state.xr if into_environment else environment.body, environment if into_environment else xr)
        except Fault as fault:
            if isinstance(fault, NotFound) and patch.optional:
                return ()
            what = f'cannot apply the "{patch.kind}" environment patch at index {patch.index}: {fault.what}'
            kind = TooLarge if isinstance(fault, TooLarge) else Fault
            raise kind(what, hint=fault.hint, place=(*patch.place[self._at :], *fault.place), label=f"environment {patch.label}") from None
        return flows if into_environment else ()

    def _compose(self, template: _Template, state: State, environment: Target, xr: Target, traced: tuple[Flow, ...]) -> bool:
        """Render one template into the desired state; return whether it was left out for want of a required field."""
        made, composed = template.make(state, self._name)
        observed = state.observed.get(template.name)
        if observed is not None:
            self._observe(template, observed, state, made, composed)
        flows = made.flows
        for patch in template.patches:
            to, by = patch.target, patch.source
            target = composed if to is _COMPOSED else xr if to is _XR else environment
            if by is _XR:
                source: Any = state.xr
            elif by is _ENVIRONMENT:
                source = environment.body
            elif observed is None:
                continue
            else:
                source = observed.body
            try:
                flowed = patch.apply(source, target)
            except NotFound as fault:
                if not patch.required:
                    continue
                patched = f'"{patch.kind}" patch at index {patch.index}'
                if target is composed and observed is None:
                    state.warnings.append(
                        f'not adding new composed resource "{template.name}" to desired state because {patched} '
                        f"has 'policy.fromFieldPath: Required': {fault.what}",
                    )
                    return True
                state.warnings.append(
                    f'cannot render composed resource "{template.name}" {patched}: '
                    f"ignoring 'policy.fromFieldPath: Required' because 'to' resource already exists: {fault.what}",
                )
            except Fault as fault:
                what = f'cannot render composed resource "{template.name}" "{patch.kind}" patch at index {patch.index}: {fault.what}'
                place = (*patch.place[self._at :], *fault.place)
                kind = TooLarge if isinstance(fault, TooLarge) else Fault
                raise kind(what, hint=fault.hint, place=place, label=f'resource "{template.name}", {patch.label}') from None
            else:
                if target is composed:
                    flows += self._traced(patch, flowed, traced) if traced and by is _ENVIRONMENT else flowed
        if composed.odd or xr.odd or environment.odd:
            for target in (composed, xr, environment):
                state.hints.extend(f'resource "{template.name}" gets "{text}": Go could not format a value there' for text in target.odd)
                target.odd.clear()
        if not composed.wire:
            made.body = composed.body
        state.desired[template.name] = made
        return False

    def _traced(self, patch: Patch, flows: tuple[Flow, ...], traced: tuple[Flow, ...]) -> tuple[Flow, ...]:
        """Return a patch's flows from the environment, followed back to the XR; what is the same on every run is kept."""
        known = self._kept.get(patch)
        if known is not None and known[0] is flows and known[1] == traced:
            return known[2]
        found = _origins(flows, traced)
        self._kept[patch] = flows, traced, found
        return found

    def _observe(self, template: _Template, observed: Observed, state: State, made: Desired, composed: Target) -> None:
        """Tie a template to the resource that exists: its name, its connection details and its readiness."""
        for field in ("namespace", "name"):
            metadata.put(composed.body, field, metadata.get(observed.body, field))
        if composed.wire:
            made.body = clone(made.body)
            for field in ("namespace", "name"):
                metadata.put(made.body, field, metadata.get(observed.body, field))
        state.connection.update(extract(template.details, observed))
        try:
            made.ready = template.ready(observed.body) or None
        except Crash as fault:
            raise Crash(
                f'cannot check readiness of composed resource "{template.name}": {fault.what}',
                hint=fault.hint,
                place=template.path[self._at : -1],
                label=f'resource "{template.name}"',
            ) from None
        except Fault as fault:
            state.warnings.append(f'cannot check readiness of composed resource "{template.name}": {fault.what}')
            if fault.hint:
                state.hints.append(f'readiness of composed resource "{template.name}": {fault.hint}')


def _check_base(template: _Template) -> None:
    """Refuse a base that Kubernetes cannot read as an object; the real function fails when it is the template's turn."""
    if template.base is None:
        return
    try:
        if not isinstance(template.base, dict):
            raise Fault("it is not an object", hint="a base needs apiVersion and kind")
        check_kind(template.base)
    except Fault as fault:
        what = f'cannot parse base template of composed resource "{template.name}": {fault.what}'
        raise Fault(what, hint=fault.hint, place=template.path, label=f'resource "{template.name}"') from None


def _hints(given: dict[str, Any]) -> list[str]:
    """Return what is valid and renders, but is hardly meant so."""
    found = []
    names = [template["name"] for template in given.get("resources", ())]
    for index, name in enumerate(names):
        if name in names[:index]:
            found.append(f'two templates are named "{name}": the later one replaces the earlier one')
    for template in given.get("resources", ()):
        for patch in template.get("patches", ()):
            for transform in patch.get("transforms", ()):
                separator = transform.get("string", {}).get("join", {}).get("separator", "")
                if transform.get("type") == "string" and len(raw(separator)) > 1:
                    found.append(f'resource "{template["name"]}" joins with "{separator}": the function cuts only one byte off the end')
    return found


def _environment(state: State) -> Target:
    found = state.context.get(ENVIRONMENT_KEY)
    body: dict[str, Any] = floats(found) if isinstance(found, dict) else {}
    if not any(metadata.identity(body)):
        body.update(_ENVIRONMENT_KIND)
    return Target(body, state.large, wire=True)


def _origins(flows: tuple[Flow, ...], traced: tuple[Flow, ...]) -> tuple[Flow, ...]:
    """Follow what was read from the environment back to the XR, where an environment patch had put it there."""
    found = []
    for flow in flows:
        source = flow.source[1:]
        for put in reversed(traced):
            if source[: len(put.target)] == put.target:
                flow = Flow((*put.source, *source[len(put.target) :]), flow.target, flow.patch)  # noqa: PLW2901 - the same flow, from farther off
                break
        found.append(flow)
    return tuple(found)
