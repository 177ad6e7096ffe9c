"""What stands on the two sides of a patch: the XR, and the resource that a template makes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from crossgate.model import Identity
from crossgate.paths import Path, follow
from crossgate.render.wrapped import MANIFEST, is_object
from crossgate.schema import Schemas
from crossgate.static.reading import Template
from crossgate.static.walk import ANYTHING, Found, Lost, Schema, walk

OBSERVED_MANIFEST: Path = ("status", "atProvider", "manifest")


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """A kind with its schema; ``schema`` is ``None`` when nobody knows it.

    ``builtin`` marks Kubernetes' own kinds: they are decoded into Go types, so that an object without declared fields holds any.
    ``inside`` are the manifests that the resource carries (a ``kubernetes.crossplane.io`` Object): where, and of which kind.
    """

    api_version: str
    name: str
    schema: Schema | None
    builtin: bool = False
    inside: tuple[tuple[Path, Kind], ...] = ()

    @property
    def group(self) -> str:
        """Return the API group ("" for core kinds)."""
        return self.api_version.rpartition("/")[0]

    def __str__(self) -> str:
        return f"{self.name} ({self.api_version})"

    def at(self, path: Path) -> tuple[Kind, Path]:
        """Return the kind that ``path`` lies in, and the path inside it: this one, or one that it carries."""
        for prefix, kind in self.inside:
            if path[: len(prefix)] == prefix and len(path) > len(prefix):
                return kind, path[len(prefix) :]
        return self, path

    def walk(self, path: Path) -> Found | Lost | None:
        """Follow a path through the schema, into a carried manifest too; ``None`` when the kind there is not known."""
        kind, inner = self.at(path)
        if kind.schema is None:
            return None
        found = walk(kind.schema, inner)
        if kind.builtin and isinstance(found, Lost) and found.reason == "UNKNOWN_FIELD" and not found.candidates:
            return Found(ANYTHING)
        return found


def look_up(schemas: Schemas, api_version: str, name: str) -> Kind:
    """Return a kind as the schemas know it; a version that is not served has no schema."""
    found = schemas.find(api_version, name)
    return Kind(api_version, name, schemas.structural(api_version, name), found is not None and found.builtin)


def carried(base: Mapping[str, Any]) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Yield the manifests that a resource carries for another controller to write, and where they stand."""
    manifest = follow(base, MANIFEST) if is_object(Identity.of(base)) else None
    if isinstance(manifest, dict):
        yield MANIFEST, manifest


def named(base: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the apiVersion and kind of a manifest, when it has both."""
    api_version, kind = base.get("apiVersion"), base.get("kind")
    return (api_version, kind) if isinstance(api_version, str) and isinstance(kind, str) and api_version and kind else None


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """A template's resource: its kind, the base that its patches start from, and the template that gave the base."""

    template: Template
    kind: Kind | None
    base: Mapping[str, Any] | None
    base_template: Template | None

    def parts(self) -> Iterator[tuple[Kind, Path, Mapping[str, Any]]]:
        """Yield the objects that the template's own base holds: their kind, their path in the base, and what is written there."""
        base = self.template.base
        if base is None or self.kind is None or named(base) is None:
            return
        yield self.kind, (), base
        for prefix, manifest in carried(base):
            for place, inner in self.kind.inside:
                if place == prefix:
                    yield inner, prefix, manifest
