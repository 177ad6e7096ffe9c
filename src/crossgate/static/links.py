"""What each patch carries: its two ends, and what is known of the value on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from crossgate.paths import Path, follow
from crossgate.render.faults import Fault as Refusal
from crossgate.render.fieldpath import parse
from crossgate.static.reading import Patch, Side
from crossgate.static.sides import Kind, Made
from crossgate.static.transforms import Outcome, combined, through
from crossgate.static.values import UNKNOWN, Value, any_of, of_schema, through_json
from crossgate.static.walk import Found, Lost, always_set


@dataclass(frozen=True, slots=True, eq=False)
class End:
    """One end of a patch: a field path on one side.

    ``at`` is where the path is written in the Composition. ``path`` is ``None`` when it is no field path (``error`` says why), and
    ``place`` when nobody knows the schema of that side. ``value`` is what is known of the field; one of the environment that a patch
    has written is known from that, and ``feeds`` are the fields that it was written from.
    """

    side: Side
    text: str
    at: Path
    kind: Kind | None
    path: Path | None
    error: str = ""
    place: Found | Lost | None = None
    value: Value = UNKNOWN
    feeds: tuple[End, ...] = ()

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
    """One patch with both its ends, and what it writes as far as that is known. ``made`` is ``None`` for patches outside of templates."""

    patch: Patch
    step: int
    made: Made | None
    sources: tuple[End, ...]
    target: End | None
    outcome: Outcome

    @property
    def label(self) -> str:
        """Name the patch for a message, as the function's own errors count it."""
        if self.made is None:
            return f"{self.patch.of} patch {self.patch.number}"
        if self.patch.patch_set:
            return f"a patch of PatchSet {self.patch.patch_set}"
        return f"patch {self.patch.number} of template {self.made.template.name or '(no name)'}"


_ALWAYS: frozenset[Path] = frozenset(
    {("metadata", "name"), ("metadata", "uid"), ("metadata", "creationTimestamp"), ("apiVersion",), ("kind",)}
)


_SECRET = Kind(
    "v1",
    "SecretReference",
    {"type": "object", "properties": {key: {"type": "string"} for key in ("apiVersion", "kind", "name", "namespace")}},
)
"""What patches of the connection secret write into: its name and namespace."""


def link_of(patch: Patch, step: int, made: Made | None, xr: Kind, before: Sequence[Link], *, loaded: bool) -> Link:
    """Follow a patch; ``before`` are the patches that ran before it, ``loaded`` says that another step filled the environment."""
    resource = made.kind if made else _SECRET if patch.of == "connection secret" else None

    def end(side: Side, text: str, at: Path) -> End:
        kind = {"xr": xr, "resource": resource, "environment": None}[side]
        path, error = parsed(text)
        place = kind.walk(path) if kind is not None and path is not None else None
        value = of_schema(place.schema) if isinstance(place, Found) else UNKNOWN
        if side != "xr" or not path or path[0] != "spec":
            # bounds and kinds that no author of this API chose are too wide to be held against the patch
            value = replace(value, declared=False, low=None, high=None)
        found = End(side, text, at, kind, path, error, place, value)
        return _from_environment(found, step, xr, before, loaded=loaded) if side == "environment" else found

    sources = tuple(end(patch.sides[0], text, at) for text, at in patch.sources())
    target = patch.target()
    return Link(patch, step, made, sources, end(patch.sides[1], *target) if target else None, _outcome(patch, sources))


def parsed(text: str) -> tuple[Path | None, str]:
    """Return a field path, or ``None`` and why it is none."""
    try:
        return parse(text), ""
    except Refusal as error:
        return None, error.what


def is_always_set(source: End, xr: Kind) -> bool:
    """Say whether every valid XR has a value there."""
    if source.side != "xr" or source.path is None or xr.schema is None:
        return False
    return source.path in _ALWAYS or (source.path[0] != "metadata" and always_set(xr.schema, source.path))


def _from_environment(source: End, step: int, xr: Kind, before: Sequence[Link], *, loaded: bool) -> End:
    """Say what a field of the environment holds, when only patches that ran before can have set it."""
    path = source.path
    writers = [link for link in before if path and link.target and link.target.side == "environment" and _touch(link.target.path, path)]
    if not writers or any(link.target is None or link.target.path != path or link.patch.merges != "Replace" for link in writers):
        return source
    certain = [index for index, link in enumerate(writers) if all(is_always_set(end, xr) for end in link.sources)]
    if loaded and not certain:
        return source
    last = writers[certain[-1] if certain else 0 :]
    # within a step the environment is kept as JSON, where a whole number is an integer; between steps all numbers are float64 again
    values = [through_json(link.outcome.value) if link.step == step else link.outcome.value for link in last]
    return replace(source, value=any_of(values), feeds=last[0].sources if len(last) == 1 else ())


def _touch(one: Path | None, other: Path) -> bool:
    length = min(len(one), len(other)) if one else 0
    return bool(one) and one is not None and one[:length] == other[:length]


def _outcome(patch: Patch, sources: tuple[End, ...]) -> Outcome:
    values = [source.value for source in sources]
    if not patch.combines:
        return through(values[0] if values else UNKNOWN, patch.transforms())
    first = combined(follow(patch.body, ("combine", "string", "fmt")), values, (*patch.at, "combine", "string", "fmt"))
    after = through(first.value, patch.transforms())
    return Outcome(after.value, first.faults + after.faults, after.stops)
