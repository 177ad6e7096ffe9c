"""A Composition, read into the steps, templates and patches that the checks walk.

The reader takes what has the right shape and leaves out the rest: whatever function-patch-and-transform refuses in
its input is a finding of ``static.inputs``. Every part knows its path in the document, so that a finding points at its line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from crossgate.model import Document
from crossgate.paths import Path, follow
from crossgate.render.functions import known_function
from crossgate.render.native import converted, is_native

Side = Literal["xr", "resource", "environment"]

SIDES: Mapping[str, tuple[Side, Side]] = {
    "FromCompositeFieldPath": ("xr", "resource"),
    "CombineFromComposite": ("xr", "resource"),
    "ToCompositeFieldPath": ("resource", "xr"),
    "CombineToComposite": ("resource", "xr"),
    "FromEnvironmentFieldPath": ("environment", "resource"),
    "CombineFromEnvironment": ("environment", "resource"),
    "ToEnvironmentFieldPath": ("resource", "environment"),
    "CombineToEnvironment": ("resource", "environment"),
}
"""From where to where the patches of a template carry."""

ENVIRONMENT_SIDES: Mapping[str, tuple[Side, Side]] = {
    "FromCompositeFieldPath": ("xr", "environment"),
    "CombineFromComposite": ("xr", "environment"),
    "ToEnvironmentFieldPath": ("xr", "environment"),
    "ToCompositeFieldPath": ("environment", "xr"),
    "CombineToComposite": ("environment", "xr"),
    "FromEnvironmentFieldPath": ("environment", "xr"),
}
"""The same for the patches of ``environment.patches``, which lie between XR and environment."""

_SECRET_KINDS = ("FromCompositeFieldPath", "CombineFromComposite")

PATCH_AND_TRANSFORM = "function-patch-and-transform"
ENVIRONMENT_CONFIGS = "function-environment-configs"


@dataclass(frozen=True, slots=True, eq=False)
class Patch:
    """One patch as it runs: ``number`` counts from 0 within its template, PatchSets expanded.

    ``at`` is where it stands in the document; a patch out of a PatchSet stands there once for all templates (``patch_set`` names it).
    """

    body: Mapping[str, Any]
    at: Path
    number: int
    kind: str
    sides: tuple[Side, Side]
    patch_set: str = ""
    of: Literal["template", "environment", "connection secret"] = "template"

    @property
    def combines(self) -> bool:
        """Say whether the patch builds its value out of several variables."""
        return self.kind.startswith("Combine")

    @property
    def required(self) -> bool:
        """Say whether a missing source withholds the resource."""
        return bool(follow(self.body, ("policy", "fromFieldPath")) == "Required")

    @property
    def merges(self) -> str:
        """Return the policy of the target ("Replace" when none is set)."""
        policy = follow(self.body, ("policy", "toFieldPath"))
        return policy if isinstance(policy, str) else "Replace"

    def sources(self) -> Iterator[tuple[str, Path]]:
        """Yield the field paths that the patch reads, each with its place in the document."""
        if not self.combines:
            text = self.body.get("fromFieldPath")
            if isinstance(text, str) and text:
                yield text, (*self.at, "fromFieldPath")
            return
        variables = follow(self.body, ("combine", "variables"))
        for index, variable in enumerate(variables if isinstance(variables, list) else ()):
            text = variable.get("fromFieldPath") if isinstance(variable, dict) else None
            if isinstance(text, str) and text:
                yield text, (*self.at, "combine", "variables", index, "fromFieldPath")

    def target(self) -> tuple[str, Path] | None:
        """Return the field path that the patch writes; without ``toFieldPath`` it is the one that it reads."""
        for field in ("toFieldPath", "fromFieldPath"):
            text = self.body.get(field)
            if isinstance(text, str):
                return (text, (*self.at, field)) if text else None
        return None

    def transforms(self) -> Iterator[tuple[dict[str, Any], Path]]:
        """Yield the transforms in their order, each with its place in the document."""
        transforms = self.body.get("transforms")
        for index, transform in enumerate(transforms if isinstance(transforms, list) else ()):
            if isinstance(transform, dict):
                yield transform, (*self.at, "transforms", index)


@dataclass(frozen=True, slots=True, eq=False)
class Template:
    """One entry of ``resources``. ``base`` is ``None`` when it patches what an earlier step made."""

    name: str
    body: Mapping[str, Any]
    at: Path
    step: int
    base: Mapping[str, Any] | None
    patches: tuple[Patch, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One step of the pipeline; ``templates`` are empty unless its function is function-patch-and-transform.

    ``known`` is the function that runs, empty for one of which nobody knows here what it does.
    """

    name: str
    function: str
    at: Path
    input: Mapping[str, Any] | None
    known: str = ""
    templates: tuple[Template, ...] = ()
    environment: tuple[Patch, ...] = ()
    secret: tuple[Patch, ...] = ()
    unused_patch_sets: tuple[tuple[str, Path], ...] = ()

    @property
    def input_at(self) -> Path:
        """Return where the input of the function stands."""
        return (*self.at, "input")


@dataclass(frozen=True, slots=True, eq=False)
class Composition:
    """A Composition: the XRs that it serves (``api_version``, ``kind``) and its steps."""

    document: Document
    api_version: str
    kind: str
    steps: tuple[Step, ...]

    def templates(self) -> Iterator[Template]:
        """Yield the templates of all steps in the order in which they run."""
        for step in self.steps:
            yield from step.templates


def read(document: Document, functions: Mapping[str, str] | None = None) -> Composition:
    """Read a Composition; one of the removed native mode is read as the pipeline that it converts to.

    ``functions`` says which function is behind a ``functionRef`` name that does not tell.
    """
    if is_native(document.body):
        document = converted(document)
    body = document.body
    api_version, kind = (follow(body, ("spec", "compositeTypeRef", field)) for field in ("apiVersion", "kind"))
    pipeline = _list(follow(body, ("spec", "pipeline")))
    return Composition(
        document=document,
        api_version=api_version if isinstance(api_version, str) else "",
        kind=kind if isinstance(kind, str) else "",
        steps=tuple(_step(step, index, functions or {}) for index, step in enumerate(pipeline) if isinstance(step, dict)),
    )


def _step(body: Mapping[str, Any], index: int, functions: Mapping[str, str]) -> Step:
    name, function = body.get("step"), follow(body, ("functionRef", "name"))
    name, function = (text if isinstance(text, str) else "" for text in (name, function))
    at: Path = ("spec", "pipeline", index)
    given = body.get("input")
    given = given if isinstance(given, dict) else None
    step = Step(name, function, at, given, functions.get(function) or known_function(function, given))
    return _with_patches(step, given, index) if given is not None and step.known == PATCH_AND_TRANSFORM else step


def _with_patches(step: Step, given: Mapping[str, Any], index: int) -> Step:
    input_at = step.input_at
    patch_sets = _patch_sets(given, input_at)
    used: set[str] = set()
    templates = []
    for number, body in enumerate(_list(given.get("resources"))):
        if isinstance(body, dict):
            where = (*input_at, "resources", number)
            base = body.get("base")
            text = body.get("name")
            templates.append(
                Template(
                    name=text if isinstance(text, str) else "",
                    body=body,
                    at=where,
                    step=index,
                    base=base if isinstance(base, dict) else None,
                    patches=tuple(_expanded(_list(body.get("patches")), (*where, "patches"), patch_sets, used)),
                )
            )
    between = [
        Patch(body, (*input_at, "environment", "patches", number), number, kind, ENVIRONMENT_SIDES[kind], of="environment")
        for number, body in enumerate(_list(follow(given, ("environment", "patches"))))
        if isinstance(body, dict) and (kind := _kind(body)) in ENVIRONMENT_SIDES
    ]
    secret = [
        Patch(body, (*input_at, "writeConnectionSecretToRef", "patches", number), number, kind, SIDES[kind], of="connection secret")
        for number, body in enumerate(_list(follow(given, ("writeConnectionSecretToRef", "patches"))))
        if isinstance(body, dict) and (kind := _kind(body)) in _SECRET_KINDS
    ]
    unused = tuple((name, at) for name, (at, _) in patch_sets.items() if name not in used)
    return replace(step, templates=tuple(templates), environment=tuple(between), secret=tuple(secret), unused_patch_sets=unused)


def _patch_sets(given: Mapping[str, Any], input_at: Path) -> dict[str, tuple[Path, list[Any]]]:
    """Return each PatchSet's place and patches; of two with one name the last counts, as in the function."""
    found: dict[str, tuple[Path, list[Any]]] = {}
    for index, body in enumerate(_list(given.get("patchSets"))):
        if isinstance(body, dict) and isinstance(body.get("name"), str):
            found[body["name"]] = ((*input_at, "patchSets", index), _list(body.get("patches")))
    return found


def _expanded(bodies: list[Any], at: Path, patch_sets: Mapping[str, tuple[Path, list[Any]]], used: set[str]) -> Iterator[Patch]:
    number = 0
    for index, body in enumerate(bodies):
        if not isinstance(body, dict):
            continue
        kind = _kind(body)
        name = body.get("patchSetName")
        if kind != "PatchSet":
            members = [("", body, (*at, index))]
        elif isinstance(name, str):
            used.add(name)
            where, inner = patch_sets.get(name, ((), []))
            members = [(name, patch, (*where, "patches", place)) for place, patch in enumerate(inner) if isinstance(patch, dict)]
        else:
            members = []
        for patch_set, patch, place in members:
            if (kind := _kind(patch)) in SIDES:
                yield Patch(patch, place, number, kind, SIDES[kind], patch_set)
            number += 1


def _kind(patch: Mapping[str, Any]) -> str:
    kind = patch.get("type")
    return kind if isinstance(kind, str) and kind else "FromCompositeFieldPath"


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
