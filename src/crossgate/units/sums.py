"""What many files come to together: all that a run needs of those with nothing to say, without looking at each.

Files are divided into parts by their names, so that a change touches few parts, and a part is kept like a verdict.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from operator import eq
from typing import NamedTuple

from crossgate.cost.model import grouped_by_team
from crossgate.cost.totals import Totals
from crossgate.policy.estate import View
from crossgate.units.costs import Cost, Costs, claim_costs
from crossgate.units.stamp import digest_of
from crossgate.units.verdict import FileVerdict, Verdict

SIZE = 256
"""Files of one part, about."""


class SharedObject(NamedTuple):
    """An object that rules over the estate see: the file, the unit's number in it, its place in the unit, and what they see of it."""

    file: str
    number: int
    at: int
    text: str


class Alike(NamedTuple):
    """Objects that show a view the same: how many, and the first of them by file and place."""

    number: int
    first: SharedObject


@dataclass(frozen=True, slots=True)
class Sum:
    """Some files.

    ``loud`` are those of which more must be known: they have findings, or point to waivers. ``identities`` are what they write,
    ``wants`` what may be found in another unit only, ``joins`` what is found in the same unit and may be in others, ``offers`` what may
    be found in a unit and ``often`` what may be found in several; all these numbers are in order. ``doubtful`` says that units of these
    files alone may clash. ``shared`` is for each view what the rules over the estate see of them, ``seen`` its objects' number, ``marks``
    a digest of it, and ``alike`` who shows each text where it shows once what is alike. ``tied`` and ``paid`` are digests of what leads
    from unit to unit and of what the units cost: files that are others may have the same.
    """

    files: int
    units: int
    claims: int
    composed: int
    loud: tuple[str, ...]
    identities: array[int]
    doubtful: bool
    wants: array[int]
    joins: array[int]
    offers: array[int]
    often: array[int]
    remotes: tuple[str, ...]
    marks: tuple[str, ...]
    alike: tuple[Mapping[str, Alike], ...]
    seen: tuple[int, ...]
    shared: Sequence[Sequence[SharedObject]]
    costs: Costs
    tied: str
    paid: str


def parts(names: Sequence[str]) -> list[list[str]]:
    """Divide names into parts of which one name more or less changes one."""
    count = 1
    while count * SIZE < len(names):
        count *= 2
    found: list[list[str]] = [[] for _ in range(count)]
    for name in names:
        found[_spread(name) % count].append(name)
    return [part for part in found if part]


@cache
def _spread(name: str) -> int:
    return int.from_bytes(hashlib.blake2b(name.encode("utf-8", errors="surrogateescape"), digest_size=4).digest())


def sum_of(files: Iterable[FileVerdict], views: Sequence[View] = ()) -> Sum:
    """Sum files up; ``views`` are those of the rules over the estate."""
    files = list(files)
    units = [(file.name, number, unit) for file in files for number, unit in enumerate(file.units)]
    identities = _numbers(identity for _, _, unit in units for identity in unit.ties.identities)
    offered: set[int] = set()
    often: set[int] = set()
    shown: list[list[SharedObject]] = [[] for _ in views]
    for name, number, unit in units:
        for at, view_number, text in unit.shared:
            shown[view_number].append(SharedObject(name, number, at, text))
    shared = tuple(map(tuple, shown))
    for _, _, unit in units:
        often |= offered & unit.ties.offers
        offered |= unit.ties.offers
    wants = _numbers({tie for _, _, unit in units for tie in unit.ties.follows - unit.ties.offers})
    joins = _numbers({tie for _, _, unit in units for tie in unit.ties.follows & unit.ties.offers})
    doubtful = any(map(eq, identities, identities[1:])) or any(unit.ties.clashing for _, _, unit in units)
    ties = (identities, wants, joins, _numbers(offered), _numbers(often))
    costs = _costs(units)
    return Sum(
        len(files),
        len(units),
        sum(unit.claims for _, _, unit in units),
        sum(unit.composed for _, _, unit in units),
        tuple(file.name for file in files if _loud(file)),
        identities,
        doubtful,
        *ties[1:],
        tuple(sorted({name for _, _, unit in units for name in unit.ties.remotes})),
        tuple("" if view.alike else mark_of((each.file, each.text) for each in seen) for view, seen in zip(views, shared, strict=True)),
        tuple(
            added_up((each.text, Alike(1, each)) for each in seen) if view.alike else {} for view, seen in zip(views, shared, strict=True)
        ),
        tuple(map(len, shared)),
        shared,
        costs,
        digest_of((repr(doubtful), *(numbers.tobytes() for numbers in ties))),
        digest_of(map(repr, costs)),
    )


def _numbers(values: Iterable[int]) -> array[int]:
    return array("Q", sorted(values))


def added_up(found: Iterable[tuple[str, Alike]]) -> dict[str, Alike]:
    """Put together what shows the same text."""
    together: dict[str, Alike] = {}
    for text, alike in found:
        other = together.get(text)
        together[text] = Alike(alike.number + other.number, min(alike.first, other.first)) if other is not None else alike
    return together


def mark_of(told: Iterable[tuple[str, str]]) -> str:
    """Return a digest of what a view shows of some objects, as (file, text)."""
    return digest_of(text for each in told for text in each)


def _costs(units: Iterable[tuple[str, int, Verdict]]) -> Costs:
    costs = claim_costs(
        Cost(name, number, unit.identity, unit.team, unit.cost)
        for name, number, unit in units
        if unit.cost is not None and unit.cost != Totals()
    )
    return tuple((team, tuple(listed)) for team, listed in grouped_by_team(costs).items())


def _loud(file: FileVerdict) -> bool:
    said = file.findings or file.could_not_check
    return bool(said) or any(unit.speaks or unit.annotated or unit.covers or unit.could_not_check for unit in file.units)
