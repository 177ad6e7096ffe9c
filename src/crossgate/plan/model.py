"""What a merge would change, as values: claims, the resources that they make, and their fields.

Nothing in here is secret: what must not be shown is masked before it gets here (``secrets``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from crossgate.cost.model import Estimate, TeamCost
from crossgate.model import NOBODY, CouldNotCheck, Finding, Identity, Place, Role
from crossgate.paths import MISSING, Path, format_path


class Action(StrEnum):
    """What happens to a claim, a resource or a field."""

    CREATE = "create"
    UPDATE = "update"
    REPLACE = "replace"
    """Gone and made anew, under another name or with other content."""
    DELETE = "delete"

    @property
    def sign(self) -> str:
        """Return the sign that Terraform's plan uses."""
        return {"create": "+", "update": "~", "replace": "-/+", "delete": "-"}[self.value]


class Danger(StrEnum):
    """Why a change wants a second look."""

    DESTROYS = "destroys"
    REPLACES = "replaces"
    NO_LONGER_RENDERS = "no-longer-renders"
    PROVIDER_SWITCH = "provider-switch"
    STORAGE_SHRINKS = "storage-shrinks"
    WIDER_NETWORK = "wider-network"
    LESS_PROTECTION = "less-protection"
    COMPOSITION_SWITCH = "composition-switch"
    MACHINE_TYPE = "machine-type"
    VERSION = "version"
    BREAKS_OBJECTS = "breaks-objects"

    @property
    def grave(self) -> bool:
        """Say whether something can be lost or opened; the others change cost or behaviour."""
        return self not in (Danger.COMPOSITION_SWITCH, Danger.MACHINE_TYPE, Danger.VERSION)


@dataclass(frozen=True, slots=True)
class Mark:
    """One reason to look twice, with a sentence that names what and why."""

    danger: Danger
    message: str


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field. ``before`` is ``MISSING`` for an added one, ``after`` for a removed one; both are masked where ``sensitive``.

    ``inside`` is the path within the text that stands at ``path``, for YAML and JSON kept as text. ``causes`` name the Compositions, XRDs
    and EnvironmentConfigs whose change made this one; without any it is the author's own change.
    """

    path: Path
    before: Any = MISSING
    after: Any = MISSING
    inside: Path = ()
    sensitive: bool = False
    causes: tuple[str, ...] = ()
    marks: tuple[Mark, ...] = ()

    @property
    def action(self) -> Action:
        """Return whether the field is added, changed or removed."""
        return Action.CREATE if self.before is MISSING else Action.DELETE if self.after is MISSING else Action.UPDATE

    @property
    def name(self) -> str:
        """Return the field as people write it; within a text behind a ``#``."""
        inside = f"#{format_path(self.inside)}" if self.inside else ""
        return format_path(self.path) + inside


@dataclass(frozen=True, slots=True)
class ResourceChange:
    """One composed (or wrapped) resource, matched by the steps and templates that lead to it.

    ``template`` is ``step/template`` of each Composition on the way, ``composition`` the name of the last one.
    """

    action: Action
    before: Identity | None
    after: Identity | None
    role: Role
    template: str = ""
    composition: str = ""
    fields: tuple[FieldChange, ...] = ()
    marks: tuple[Mark, ...] = ()

    @property
    def identity(self) -> Identity:
        """Return the resource as it will be, or as it was when it goes."""
        return self.after or self.before or NOBODY

    @property
    def all_marks(self) -> tuple[Mark, ...]:
        """Return its own marks and those of its fields."""
        return (*self.marks, *self.field_marks)

    @property
    def field_marks(self) -> tuple[Mark, ...]:
        """Return the marks of its fields."""
        return tuple(mark for change in self.fields for mark in change.marks)


@dataclass(frozen=True, slots=True)
class ClaimChange:
    """One object as its author wrote it (a claim, an XR or any other document) and what becomes of the resources that it makes.

    ``place`` is its author's line, in the base for what is deleted. ``problems`` say why it no longer renders. ``cost_before`` and
    ``cost_after`` are what everything costs that it makes, ``None`` where it is not there or the project has no prices. ``owners``
    are those of its author's file in CODEOWNERS.
    """

    action: Action
    before: Identity | None
    after: Identity | None
    role: Role
    place: Place
    fields: tuple[FieldChange, ...] = ()
    resources: tuple[ResourceChange, ...] = ()
    marks: tuple[Mark, ...] = ()
    problems: tuple[str, ...] = ()
    ignored: int = 0
    team: str = ""
    cost_before: Estimate | None = None
    cost_after: Estimate | None = None
    owners: tuple[str, ...] = ()

    @property
    def identity(self) -> Identity:
        """Return the object as it will be, or as it was when it goes."""
        return self.after or self.before or NOBODY

    @property
    def all_marks(self) -> tuple[Mark, ...]:
        """Return its own marks, those of its fields and of its resources, without repeating a sentence."""
        own = (*self.marks, *(mark for change in self.fields for mark in change.marks))
        return tuple(dict.fromkeys((*own, *(mark for resource in self.resources for mark in resource.all_marks))))

    @property
    def grave_marks(self) -> tuple[Mark, ...]:
        """Return the grave ones among its marks; what happens to the resources of an object that goes is said by its own marks."""
        goes = self.action in (Action.DELETE, Action.REPLACE)
        own = (*self.marks, *(() if goes else (mark for change in self.fields for mark in change.marks)))
        theirs = (
            (*resource.marks, *(replace(mark, message=f"{resource.identity}: {mark.message}") for mark in resource.field_marks))
            for resource in (() if goes else self.resources)
        )
        return tuple(dict.fromkeys(mark for mark in (*own, *(mark for marks in theirs for mark in marks)) if mark.danger.grave))

    @property
    def causes(self) -> tuple[str, ...]:
        """Return the Compositions, XRDs and EnvironmentConfigs whose change reaches this object."""
        return tuple(dict.fromkeys(cause for change in self._changes for cause in change.causes))

    @property
    def caused_alone(self) -> bool:
        """Say whether the author's object is untouched: all of its changes have such a cause."""
        return bool(self._changes) and all(change.causes for change in self._changes)

    @property
    def _changes(self) -> tuple[FieldChange, ...]:
        return (*self.fields, *(change for resource in self.resources for change in resource.fields))


@dataclass(frozen=True, slots=True)
class Plan:
    """What a merge would change.

    ``base`` names the commit that is compared with. ``claims`` are in the order of danger, then of names. ``gate`` are changes of the
    policies, schemas and settings themselves, ``ignored`` counts the changes that the settings leave out, ``notes`` say what a reader
    must know about the comparison. ``versions`` hold commits and the tool's version. ``costs`` are the sums over these claims for each
    team, in the order of the names; none when the project has no prices.
    """

    base: str
    claims: tuple[ClaimChange, ...] = ()
    gate: tuple[Finding, ...] = ()
    could_not_check: tuple[CouldNotCheck, ...] = ()
    notes: tuple[str, ...] = ()
    ignored: int = 0
    versions: Mapping[str, str] = field(default_factory=dict)
    costs: tuple[TeamCost, ...] = ()

    @property
    def dangers(self) -> Iterator[tuple[ClaimChange, Mark]]:
        """Yield every grave mark with the claim that it is about; what goes with a claim that goes is said by the claim's own mark."""
        return ((claim, mark) for claim in self.claims for mark in claim.grave_marks)

    @property
    def counts(self) -> dict[str, dict[str, int]]:
        """Count ``claims`` (all objects that authors wrote) and ``resources`` (what they make) by action."""
        claims = Counter(str(claim.action) for claim in self.claims)
        resources = Counter(str(resource.action) for claim in self.claims for resource in claim.resources)
        return {
            "claims": {str(action): claims[action] for action in Action},
            "resources": {str(action): resources[action] for action in Action},
        }

    @property
    def cost(self) -> TeamCost | None:
        """Return the sum over all changed claims (its team has no name); ``None`` when the project has no prices."""
        if not self.costs:
            return None
        before, after = (sum(sides, Estimate()) for sides in zip(*((each.before, each.after) for each in self.costs), strict=True))
        return TeamCost("", before, after)

    @property
    def exit_code(self) -> int:
        """0 the plan is whole, 1 a claim no longer renders, 3 something could not be read or rendered."""
        if self.could_not_check:
            return 3
        return 1 if any(claim.problems for claim in self.claims) else 0
