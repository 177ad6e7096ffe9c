"""Typed references to fields: ``GPU_CLUSTER.spec.parameters.min_nodes`` exists only if the API has that field."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pydantic.alias_generators import to_camel

from crossgate.errors import SynthError
from crossgate.paths import Path, format_path

from .origin import caller


class Source(StrEnum):
    """What a reference reads from."""

    COMPOSITE = "composite resource"
    ENVIRONMENT = "environment"


@dataclass(frozen=True, slots=True)
class Target:
    """What a reference stands for: a field of ``owner`` (a kind's name) with its schema."""

    source: Source
    owner: str
    path: Path
    schema: dict[str, Any]


class Ref:
    """A field of a composite resource or of the environment.

    Attributes are the fields below it (in snake_case or as the API spells them), ``ref["key"]`` an entry of a map and ``ref[0]`` of a
    list. A field that does not exist raises a SynthError with the author's line. The reference has no public names of its own, so
    that an API may call its fields as it likes; ``target(ref)`` says what it stands for.
    """

    __slots__ = ("_target",)
    _target: Target

    def __init__(self, target: Target) -> None:
        self._target = target

    def __getattr__(self, name: str) -> Ref:
        if name.startswith("_"):
            raise AttributeError(name)  # what Python itself asks for (copy, pickle, repr)
        at = self._target
        properties = at.schema.get("properties", {})
        for key in (name, to_camel(name)):
            if key in properties:
                return Ref(Target(at.source, at.owner, (*at.path, key), properties[key]))
        near = difflib.get_close_matches(to_camel(name), properties, n=1)
        wanted = format_path((*at.path, to_camel(name)))
        hint = f"did you mean {near[0]}?" if near else f"fields there: {', '.join(properties) or 'none'}"
        raise SynthError(f"{at.owner} has no field {wanted}", str(caller()), hint)

    def __getitem__(self, key: str | int) -> Ref:
        at = self._target
        inner = at.schema.get("items" if isinstance(key, int) else "additionalProperties")
        if not isinstance(inner, dict):
            kind = "list" if isinstance(key, int) else "map"
            raise SynthError(f"{at.owner}'s {format_path(at.path)} is not a {kind}", str(caller()), "read its fields as attributes")
        return Ref(Target(at.source, at.owner, (*at.path, key), inner))

    def __str__(self) -> str:
        at = self._target
        raise SynthError(
            f"{format_path(at.path)} has no value before a claim is made",
            str(caller()),
            "patch it with template.combine(…, [ref], …) instead of writing it into a string",
        )

    def __repr__(self) -> str:
        return f"Ref({self._target.owner}: {format_path(self._target.path)})"


def target(ref: Ref) -> Target:
    """Return what a reference stands for."""
    return ref._target
