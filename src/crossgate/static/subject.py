"""Everything that the checks look at, worked out once: kinds of both sides, and what each patch carries from where to where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from crossgate.paths import Path
from crossgate.schema import Schemas
from crossgate.static.links import Link, link_of, parsed
from crossgate.static.reading import ENVIRONMENT_CONFIGS, Composition, Template
from crossgate.static.sides import OBSERVED_MANIFEST, Kind, Made, carried, look_up, named
from crossgate.static.walk import Found, walk

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
    loaded = False
    for index, step in enumerate(composition.steps):
        for patch in step.environment:
            links.append(link_of(patch, index, None, xr, links, loaded=loaded))
        for template in step.templates:
            one = _made(template, made, kinds, schemas)
            made.append(one)
            for patch in template.patches:
                links.append(link_of(patch, index, one, xr, links, loaded=loaded))
        for patch in step.secret:
            links.append(link_of(patch, index, None, xr, links, loaded=loaded))
        loaded = loaded or step.known in ("", ENVIRONMENT_CONFIGS)
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
        path = parsed(target[0])[0] if target else None
        if path is not None and (path in ((*prefix, "apiVersion"), (*prefix, "kind")) or (prefix and path == prefix[: len(path)])):
            return True
    return False
