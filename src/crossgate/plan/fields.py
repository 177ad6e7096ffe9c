"""The fields of one resource that change: compared, masked, marked, and without what the settings leave out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from crossgate.load.embedded import embedded
from crossgate.model import Identity
from crossgate.paths import MISSING, Path, follow, format_path
from crossgate.plan.diff import Difference, differences
from crossgate.plan.ignore import ignored
from crossgate.plan.immutable import why_immutable
from crossgate.plan.marks import field_marks
from crossgate.plan.model import Danger, FieldChange, Mark
from crossgate.schema import Schemas
from crossgate.sensitive import MASK, is_secret, looks_secret, secret_paths

_NOT_FIELDS: tuple[Path, ...] = (
    ("kind",),
    ("status",),
    ("metadata", "generateName"),
    ("metadata", "ownerReferences"),
    ("metadata", "annotations", "crossplane.io/composition-resource-name"),
    *(("metadata", "labels", f"crossplane.io/{name}") for name in ("claim-name", "claim-namespace", "composite")),
)
"""What the head of a change says already, and what Crossplane and the cluster write."""

_VERSION: Path = ("apiVersion",)
"""The head says the kind and its group; another version of them is a change like any other."""

REPLACING: tuple[Path, ...] = (("metadata", "name"), ("metadata", "namespace"))
"""Fields that make another object."""


@dataclass(frozen=True, slots=True)
class Fields:
    """The changed fields, and how many were left out."""

    changes: tuple[FieldChange, ...] = ()
    ignored: int = 0


@dataclass(frozen=True, slots=True)
class Look:
    """How a resource is looked at.

    ``schemas`` know its kind; changes under ``patterns`` are left out and counted, unless they are marked. ``anew`` says that it is made
    anew in any case, so that no field of it must stay; ``effects`` that its fields themselves reach a cloud or cluster (those of a claim
    or a Composition do through what they make, which is told there). ``skipped`` is a field that is told elsewhere.
    """

    schemas: Schemas
    patterns: Sequence[str] = ()
    anew: bool = False
    effects: bool = True
    skipped: Path = ()


def changed_fields(identity: Identity, before: Any, after: Any, look: Look) -> Fields:
    """Compare two states of the resource ``identity``; ``MISSING`` stands for no resource."""
    never = (*_NOT_FIELDS, look.skipped) if look.skipped else _NOT_FIELDS
    hidden = _Hidden(before, after)
    changes: list[FieldChange] = []
    left_out = 0
    for change in differences(before, after):
        path = change.after_path if change.after is not MISSING else change.before_path
        if any(path[: len(known)] == known for known in never) or (path == _VERSION and MISSING in (before, after)):
            continue
        secret = hidden.holds(change)
        marks = (*_staying(identity, path, change, before, after, look), *_effects(identity, path, change, before, after, look, secret))
        if not marks and ignored(path, look.patterns):
            left_out += 1
            continue
        inside = change.inside_after if change.after is not MISSING else change.inside_before
        was, will = (MASK if secret and value is not MISSING else value for value in (change.before, change.after))
        changes.append(FieldChange(path, was, will, inside, secret, marks=marks))
    return Fields(tuple(changes), left_out)


def _staying(identity: Identity, path: Path, change: Difference, before: Any, after: Any, look: Look) -> Iterator[Mark]:
    """Yield a mark for a field that would have to stay as it is."""
    if before is MISSING or after is MISSING or look.anew or change.inside_after or path in REPLACING:
        return
    why = why_immutable(identity, path, look.schemas, after)
    if why:
        yield Mark(Danger.REPLACES, f"{format_path(path)} cannot be changed in place: {why}")


def _effects(identity: Identity, path: Path, change: Difference, before: Any, after: Any, look: Look, secret: bool) -> Iterator[Mark]:
    if look.effects and not secret and after is not MISSING:
        inside = change.inside_after if change.after is not MISSING else change.inside_before
        yield from field_marks(identity, (*path, *inside), change.before, change.after, before)


class _Hidden:
    """What must not be shown of the two states, also within texts that hold YAML or JSON."""

    def __init__(self, before: Any, after: Any) -> None:
        self._sides = (_Side(before), _Side(after))

    def holds(self, change: Difference) -> bool:
        """Say whether either value of a change must not be shown."""
        before, after = self._sides
        return before.secret(change.before_path, change.inside_before, change.before) or after.secret(
            change.after_path, change.inside_after, change.after
        )


class _Side:
    def __init__(self, body: Any) -> None:
        self._body = body
        self._paths = secret_paths(body) if body is not MISSING else frozenset()
        self._within: dict[Path, frozenset[Path]] = {}

    def secret(self, path: Path, inside: Path, value: Any) -> bool:
        if value is MISSING:
            return False
        if is_secret(self._paths, path) or (isinstance(value, str) and looks_secret(value)):
            return True
        if isinstance(value, dict | list) and any(secret[: len(path)] == path for secret in self._paths):
            return True
        if not inside:
            return False
        if path not in self._within:
            self._within[path] = secret_paths(embedded(follow(self._body, path)))
        return is_secret(self._within[path], inside)
