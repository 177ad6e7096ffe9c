"""Everything that the checks look at, worked out once: kinds of both sides, and what each patch carries from where to where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from crossgate.paths import Path, follow
from crossgate.render.faults import Fault as Refusal
from crossgate.render.fieldpath import parse
from crossgate.schema import Schemas
from crossgate.static.reading import ENVIRONMENT_CONFIGS, Composition, Patch, Side, Template
from crossgate.static.sides import OBSERVED_MANIFEST, Kind, Made, carried, look_up, named
from crossgate.static.transforms import Outcome, combined, through
from crossgate.static.values import UNKNOWN, Value, of_schema
from crossgate.static.walk import Found, Lost, walk

_MACHINERY = frozenset(
    {
        "claimRef",
        "compositionRef",
        "compositionRevisionRef",
        "compositionRevisionSelector",
        "compositionSelector",
        "compositionUpdatePolicy",
        "resourceRefs",
        "writeConnectionSecretToRef",
    }
)


@dataclass(frozen=True, slots=True, eq=False)
class End:
    """One end of a patch: a field path on one side.

    ``at`` is where the path is written in the Composition. ``path`` is ``None`` when it is no field path (``error`` says why), and
    ``place`` when nobody knows the schema of that side.
    """

    side: Side
    text: str
    at: Path
    kind: Kind | None
    path: Path | None
    error: str = ""
    place: Found | Lost | None = None

    @property
    def wildcard(self) -> bool:
        """Say whether the path has a wildcard; without ``[*]`` a ``*`` is a plain key."""
        return "[*]" in self.text

    @property
    def owner(self) -> Kind | None:
        """Return the kind in whose schema the field must stand."""
        return self.kind.at(self.path)[0] if self.kind is not None and self.path is not None else self.kind


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """One patch with both its ends, and what it writes as far as that is known. ``made`` is ``None`` for environment patches."""

    patch: Patch
    made: Made | None
    sources: tuple[End, ...]
    target: End | None
    outcome: Outcome

    @property
    def label(self) -> str:
        """Name the patch for a message, as the function's own errors count it."""
        if self.made is None:
            return f"environment patch {self.patch.number}"
        if self.patch.patch_set:
            return f"a patch of PatchSet {self.patch.patch_set}"
        return f"patch {self.patch.number} of template {self.made.template.name or '(no name)'}"


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """A Composition with what is known around it. ``links`` are in the order in which the patches run."""

    composition: Composition
    schemas: Schemas
    xr: Kind
    made: tuple[Made, ...]
    links: tuple[Link, ...]

    @property
    def legacy(self) -> bool:
        """Say whether the XRs are those of XRD v1, which may have a claim and hold Crossplane's own fields directly under ``spec``."""
        return self._declares("spec", "claimRef")

    @property
    def namespaced(self) -> bool:
        """Say whether the XRs live in a namespace (XRD v2)."""
        found = self.schemas.find(self.xr.api_version, self.xr.name)
        return found is not None and found.scope == "Namespaced"

    def machinery(self, path: Path) -> bool:
        """Say whether a field of the XR is one of Crossplane's own, which no author of an XRD declares."""
        if not self.legacy:
            return path[:2] == ("spec", "crossplane")
        return len(path) > 1 and path[0] == "spec" and path[1] in _MACHINERY

    def foreign(self, *, before: int | None = None) -> bool:
        """Say whether a step (``before`` that number) runs a function of which nobody knows what it sets."""
        return any(not step.known for step in self.composition.steps[:before])

    @property
    def loads_environment(self) -> bool:
        """Say whether a step loads EnvironmentConfigs."""
        return any(step.known == ENVIRONMENT_CONFIGS for step in self.composition.steps)

    def _declares(self, *path: str) -> bool:
        return self.xr.schema is not None and isinstance(walk(self.xr.schema, path), Found)

    def of_template(self, made: Made) -> Iterator[Link]:
        """Yield the patches of one template."""
        return (link for link in self.links if link.made is made)


def prepare(composition: Composition, schemas: Schemas) -> Subject:
    """Look up the kinds that a Composition works with, and follow every patch."""
    xr = look_up(schemas, composition.api_version, composition.kind)
    kinds: dict[tuple[str, str], Kind] = {(xr.api_version, xr.name): xr}
    made: list[Made] = []
    links: list[Link] = []
    for step in composition.steps:
        links += [_link(patch, None, xr) for patch in step.environment]
        for template in step.templates:
            one = _made(template, made, kinds, schemas)
            made.append(one)
            links += [_link(patch, one, xr) for patch in template.patches]
    return Subject(composition, schemas, xr, tuple(made), tuple(links))


def _made(template: Template, earlier: list[Made], kinds: dict[tuple[str, str], Kind], schemas: Schemas) -> Made:
    if template.base is None:
        for before in reversed(earlier):
            if before.template.name == template.name and before.template.step < template.step:
                return Made(template, before.kind, before.base, before.base_template)
        return Made(template, None, None, None)
    return Made(template, _kind(template.base, template, kinds, schemas), template.base, template)


def _kind(base: Mapping[str, Any], template: Template, kinds: dict[tuple[str, str], Kind], schemas: Schemas) -> Kind | None:
    name = named(base)
    if name is None or _patched(template, ()):
        return None
    if name not in kinds:
        kinds[name] = look_up(schemas, *name)
    kind = kinds[name]
    inside: list[tuple[Path, Kind]] = []
    for prefix, manifest in carried(base):
        inner = named(manifest)
        if inner is None or _patched(template, prefix):
            continue
        if inner not in kinds:
            kinds[inner] = look_up(schemas, *inner)
        inside += [(prefix, kinds[inner]), (OBSERVED_MANIFEST, kinds[inner])]
    return replace(kind, inside=tuple(inside)) if inside else kind


def _patched(template: Template, prefix: Path) -> bool:
    """Say whether a patch decides of which kind the manifest at ``prefix`` is."""
    for patch in template.patches:
        target = patch.target() if patch.sides[1] == "resource" else None
        path = _parsed(target[0])[0] if target else None
        if path is not None and (path in ((*prefix, "apiVersion"), (*prefix, "kind")) or (prefix and path == prefix[: len(path)])):
            return True
    return False


def _parsed(text: str) -> tuple[Path | None, str]:
    try:
        return parse(text), ""
    except Refusal as error:
        return None, error.what


def _link(patch: Patch, made: Made | None, xr: Kind) -> Link:
    def end(side: Side, text: str, at: Path) -> End:
        kind = {"xr": xr, "resource": made.kind if made else None, "environment": None}[side]
        path, error = _parsed(text)
        place = kind.walk(path) if kind is not None and path is not None else None
        return End(side, text, at, kind, path, error, place)

    sources = tuple(end(patch.sides[0], text, at) for text, at in patch.sources())
    target = patch.target()
    return Link(patch, made, sources, end(patch.sides[1], *target) if target else None, _outcome(patch, sources))


def _outcome(patch: Patch, sources: tuple[End, ...]) -> Outcome:
    values = [_value(source) for source in sources]
    if not patch.combines:
        return through(values[0] if values else UNKNOWN, patch.transforms())
    first = combined(follow(patch.body, ("combine", "string", "fmt")), values, (*patch.at, "combine", "string", "fmt"))
    after = through(first.value, patch.transforms())
    return Outcome(after.value, first.faults + after.faults, after.stops)


def _value(source: End) -> Value:
    return of_schema(source.place.schema) if isinstance(source.place, Found) else UNKNOWN
