"""One patch, and the author's line that asked for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from crossgate.errors import SynthError
from crossgate.model import Place
from crossgate.paths import Path, format_path

from .origin import caller
from .refs import Ref, Source, target
from .transforms import Transform

Transforms = Transform | Sequence[Transform]
"""One transform, or several that belong together."""


@dataclass(frozen=True, slots=True)
class Patch:
    """A patch as it stands in the Composition."""

    body: dict[str, Any]
    place: Place


def copy(source: Ref, to: Path | str, steps: Iterable[Transforms] = (), *, required: bool = False, merge: str = "") -> Patch:
    """Copy a field. ``required`` holds the resource back until the field exists; ``merge`` is a toFieldPath policy."""
    at = target(source)
    body: dict[str, Any] = {
        "type": "FromCompositeFieldPath" if at.source is Source.COMPOSITE else "FromEnvironmentFieldPath",
        "fromFieldPath": format_path(at.path),
        "toFieldPath": to if isinstance(to, str) else format_path(to),
    }
    return Patch(_complete(body, steps, required=required, merge=merge), caller())


def combine(
    format_: str, sources: Sequence[Ref], to: str, steps: Iterable[Transforms] = (), *, required: bool = False, merge: str = ""
) -> Patch:
    """Write fields into a Go format (``%s-%d``); all must come from the composite resource, or all from the environment."""
    ats = [target(source) for source in sources]
    if len({at.source for at in ats}) != 1:
        raise SynthError(
            "a combination reads the composite resource or the environment, not both",
            str(caller()),
            "keep the composite's value with composition.into_environment(…) first",
        )
    body: dict[str, Any] = {
        "type": "CombineFromComposite" if ats[0].source is Source.COMPOSITE else "CombineFromEnvironment",
        "combine": {
            "variables": [{"fromFieldPath": format_path(at.path)} for at in ats],
            "strategy": "string",
            "string": {"fmt": format_},
        },
        "toFieldPath": to,
    }
    return Patch(_complete(body, steps, required=required, merge=merge), caller())


def report(field: str, to: Ref, steps: Iterable[Transforms] = ()) -> Patch:
    """Copy a field of the observed resource into the composite resource's status."""
    at = target(to)
    if at.source is not Source.COMPOSITE or at.path[0] != "status":
        raise SynthError(f"{format_path(at.path)} is not a field of the status", str(caller()), "a Composition writes api.status.… only")
    body: dict[str, Any] = {"type": "ToCompositeFieldPath", "fromFieldPath": field, "toFieldPath": format_path(at.path)}
    return Patch(_complete(body, steps), caller())


def _complete(body: dict[str, Any], steps: Iterable[Transforms], *, required: bool = False, merge: str = "") -> dict[str, Any]:
    transforms: list[Transform] = []
    for step in steps:
        transforms += [step] if isinstance(step, dict) else list(step)
    policy = {**({"fromFieldPath": "Required"} if required else {}), **({"toFieldPath": merge} if merge else {})}
    return {**body, **({"transforms": transforms} if transforms else {}), **({"policy": policy} if policy else {})}
