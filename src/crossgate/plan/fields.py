"""The fields of one resource that change: compared, masked, marked, and without what the settings leave out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from crossgate.model import Identity
from crossgate.paths import MISSING, Path, follow, format_path
from crossgate.plan.diff import Difference, differences, embedded
from crossgate.plan.ignore import ignored
from crossgate.plan.immutable import why_immutable
from crossgate.plan.marks import field_marks
from crossgate.plan.model import Danger, FieldChange, Mark
from crossgate.plan.secrets import MASK, is_secret, looks_secret, secret_paths
from crossgate.schema import Schemas

_NOT_FIELDS: tuple[Path, ...] = (
    ("apiVersion",),
    ("kind",),
    ("status",),
    ("metadata", "generateName"),
    ("metadata", "ownerReferences"),
    ("metadata", "annotations", "crossplane.io/composition-resource-name"),
    *(("metadata", "labels", f"crossplane.io/{name}") for name in ("claim-name", "claim-namespace", "composite")),
)
"""What the head of a change says already, and what Crossplane and the cluster write."""

REPLACING: tuple[Path, ...] = (("metadata", "name"), ("metadata", "namespace"))
"""Fields that make another object."""


@dataclass(frozen=True, slots=True)
class Fields:
    """The changed fields, and how many were left out."""

    changes: tuple[FieldChange, ...] = ()
    ignored: int = 0


def changed_fields(
    identity: Identity, before: Any, after: Any, schemas: Schemas, patterns: Sequence[str], *, anew: bool = False, skipped: Path = ()
) -> Fields:
    """Compare two states of a resource; ``MISSING`` stands for no resource.

    Args:
        identity: the resource as it will be.
        before: its body so far.
        after: its body then.
        schemas: know its kind.
        patterns: of changes to leave out and count; a field with a mark is never left out.
        anew: the resource is made anew in any case, so that no field of it must stay.
        skipped: a field that is told elsewhere.
    """
    never = (*_NOT_FIELDS, skipped) if skipped else _NOT_FIELDS
    hidden = _Hidden(before, after)
    changes: list[FieldChange] = []
    left_out = 0
    for change in differences(before, after):
        path = change.after_path if change.after is not MISSING else change.before_path
        if any(path[: len(known)] == known for known in never):
            continue
        secret = hidden.holds(change)
        marks = _marks(identity, path, change, before, after, schemas, secret=secret, anew=anew)
        if not marks and ignored(path, patterns):
            left_out += 1
            continue
        inside = change.inside_after if change.after is not MISSING else change.inside_before
        was, will = (MASK if secret and value is not MISSING else value for value in (change.before, change.after))
        changes.append(FieldChange(path, was, will, inside, secret, marks=marks))
    return Fields(tuple(changes), left_out)


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


def _marks(
    identity: Identity, path: Path, change: Difference, before: Any, after: Any, schemas: Schemas, *, secret: bool, anew: bool
) -> tuple[Mark, ...]:
    marks: list[Mark] = []
    if before is not MISSING and after is not MISSING and not anew:
        why = why_immutable(identity, path, schemas, after) if not change.inside_after and path not in REPLACING else ""
        if why:
            marks.append(Mark(Danger.REPLACES, f"{format_path(path)} cannot be changed in place: {why}"))
    if not secret and after is not MISSING:
        inside = change.inside_after if change.after is not MISSING else change.inside_before
        marks += field_marks(identity, (*path, *inside), change.before, change.after, before)
    return tuple(marks)
