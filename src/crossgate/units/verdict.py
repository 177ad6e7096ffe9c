"""What one author's object and everything that it makes has to say, and the same for the objects of a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from crossgate.cost.totals import Totals
from crossgate.model import NOBODY, CouldNotCheck, Finding, Identity
from crossgate.waive import Annotated

Spot = tuple[str, str, str, int, str]
"""A value in an author's document that a rule speaks about: rule, reason, file, line of the document, path."""


Unit = tuple[str, int]
"""A file, and the number of the object in it."""


Named = tuple[str, str, str, str, int, str, str, int]
"""An object: API version, kind, namespace, name, the line of its author's document, role, template, and its parent's place in the unit.

A large estate has a million of them: as plain values they travel between processes and are kept in a third of the time.
"""


@dataclass(frozen=True, slots=True)
class Ties:
    """How a unit hangs together with others. Texts are hashed (64 bits): two that differ may only look alike, never the reverse.

    ``identities`` are the objects that it writes, of which another unit may write one too; ``clashing`` says that two of its own may
    be one. ``offers`` are what rules over related objects could follow from elsewhere, ``follows`` what they could follow
    to elsewhere. ``remotes`` are ProviderConfigs that lead to another cluster.
    """

    identities: tuple[int, ...] = ()
    clashing: bool = False
    offers: frozenset[int] = frozenset()
    follows: frozenset[int] = frozenset()
    remotes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """One unit. ``identity`` and ``line`` are those of its author's object.

    ``findings`` are those of rendering, schemas and Compositions, ``said`` those of the policies about its objects one by one, ``related``
    those about its objects together. ``covers`` are spots of Compositions that ``said`` already speaks about. ``shared`` is what
    rules over the estate see of them: the place among the unit's objects, the number of the view and its text. ``cost`` is what everything
    costs that it makes. ``named`` are all of its objects.
    """

    identity: Identity = NOBODY
    line: int = 0
    findings: tuple[Finding, ...] = ()
    said: tuple[Finding, ...] = ()
    related: tuple[Finding, ...] = ()
    covers: tuple[Spot, ...] = ()
    could_not_check: tuple[CouldNotCheck, ...] = ()
    claims: int = 0
    composed: int = 0
    shared: Sequence[tuple[int, int, str]] = ()
    annotated: tuple[Annotated, ...] = ()
    ties: Ties = field(default_factory=Ties)
    cost: Totals | None = None
    team: str = ""
    named: tuple[Named, ...] = ()

    @property
    def speaks(self) -> bool:
        """Say whether it holds a place in a file, which is true only as long as that file stays as it is."""
        return bool(self.findings or self.said or self.related or any(each.dangling for each in self.annotated))


@dataclass(frozen=True, slots=True)
class FileVerdict:
    """The objects of one file, and what reading it has to say. ``sources`` are digests of the files that its places stand in."""

    name: str
    findings: tuple[Finding, ...] = ()
    could_not_check: tuple[CouldNotCheck, ...] = ()
    units: tuple[Verdict, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)

    @property
    def whole(self) -> bool:
        """Say whether everything could be checked: only then is it worth keeping."""
        return not self.could_not_check and not any(unit.could_not_check for unit in self.units)
