"""Input that function-patch-and-transform refuses: as a whole before any patch runs, or when the patch runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from crossgate.errors import RenderError, UnknownFunctionError
from crossgate.model import Severity
from crossgate.paths import Path, follow
from crossgate.render import Function, compile_composition
from crossgate.render.state import Step
from crossgate.static.fault import Fault
from crossgate.static.reading import Patch
from crossgate.static.subject import Subject

RULE = "crossplane/invalid-input"

_FRAME = {"apiVersion": "example.org/v1", "kind": "Any"}
"""The type of the XR while steps are compiled one by one: it plays no part."""


def check(subject: Subject) -> Iterator[Fault]:
    """Yield the first fault for which the pipeline or a step is refused, and what is only noticed when a patch runs."""
    body = subject.composition.document.body
    pipeline = follow(body, ("spec", "pipeline"))
    steps: list[Any] = pipeline if isinstance(pipeline, list) else []
    # The pipeline without what its steps do, then each step by itself: a fault of one does not hide those of the others.
    bare = [{**step, "input": None} if isinstance(step, dict) else step for step in steps]
    idle: dict[str, str | Function] = {step.function: _idle for step in subject.composition.steps}
    yield from _refused(follow(body, ("spec", "compositeTypeRef")), bare, 0, idle)
    for index, step in enumerate(steps):
        if isinstance(step, dict) and isinstance(follow(step, ("functionRef", "name")), str):
            yield from _refused(_FRAME, [{**step, "step": "step"}], index)
    for link in subject.links:
        yield from _at_run_time(link.patch, link.label)


def _idle(_given: Any, _name: str, _at: Path) -> Step:
    return lambda _state: None


def _refused(reference: Any, steps: list[Any], first: int, functions: Mapping[str, str | Function] | None = None) -> Iterator[Fault]:
    """Compile steps as rendering does; ``first`` is the number of the first of them in the Composition."""
    try:
        compile_composition({"spec": {"compositeTypeRef": reference, "pipeline": steps}}, functions)
    except UnknownFunctionError:
        return
    except RenderError as error:
        path = error.path
        if path[:2] == ("spec", "pipeline") and len(path) > 2 and isinstance(path[2], int):
            path = (*path[:2], path[2] + first, *path[3:])
        yield _fault(error.what, error.hint, path)


def _at_run_time(patch: Patch, label: str) -> Iterator[Fault]:
    """Judge what the function's own validation leaves out: transforms and policies of Combine patches, and untyped patterns."""
    parts = {name: patch.body[name] for name in ("transforms", "policy") if patch.combines and patch.body.get(name) is not None}
    if parts:
        template = {"name": "combined", "base": _FRAME, "patches": [{"fromFieldPath": "combined", **parts}]}
        function = {"apiVersion": "pt.fn.crossplane.io/v1beta1", "kind": "Resources", "resources": [template]}
        step = {"step": "step", "functionRef": {"name": "function-patch-and-transform"}, "input": function}
        for fault in _refused(_FRAME, [step], 0):
            # spec.pipeline[0].input.resources[0].patches[0] is the patch
            yield replace(fault, at=(*patch.at, *fault.at[8:]), message=f"{label}: {fault.message}")
    for transform, at in patch.transforms():
        match = transform.get("match")
        patterns = match.get("patterns") if isinstance(match, dict) else None
        for index, pattern in enumerate(patterns if isinstance(patterns, list) else ()):
            if isinstance(pattern, dict) and not pattern.get("type"):
                yield Fault(
                    at=(*at, "match", "patterns", index),
                    rule=RULE,
                    reason="NO_PATTERN_TYPE",
                    severity=Severity.ERROR,
                    message=f"{label} has a pattern without type, and the function does not apply the documented default: rendering fails",
                    remediation="write type: literal",
                )


def _fault(what: str, hint: str, at: Path) -> Fault:
    """Say it in the function's words, without the place that the finding has already."""
    said = what.partition("Function input: ")[2] or what
    said = said.partition(": ")[2] if said.startswith(("resources", "patchSets", "environment", "spec")) else said
    return Fault(
        at, RULE, "REFUSED", Severity.ERROR, f"rendering is refused: {said}", hint or "write it as the function's documentation says"
    )
