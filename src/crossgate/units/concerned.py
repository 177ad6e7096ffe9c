"""The parts of an estate in which a unit may clash with another, or be led to from one: the verdicts of the others need not be read."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Mapping
from operator import attrgetter

from crossgate.units.sums import Sum

_FEW = 4
"""Parts that are others than before, up to which it is quicker to look only at what is new in them."""

_TIES: tuple[Callable[[Sum], array[int]], ...] = (
    attrgetter("offers"),
    attrgetter("wants"),
    attrgetter("joins"),
    attrgetter("often"),
)


def concerned(sums: Mapping[str, Sum]) -> set[str]:
    """Return the names of the parts in which a unit may have to do with another."""
    written: set[int] = set()
    twice: set[int] = set()
    offered: set[int] = set()
    often: set[int] = set()
    for each in sums.values():
        identities, offers = set(each.identities), set(each.offers)
        twice |= written & identities
        written |= identities
        often.update(each.often, offered & offers)
        offered |= offers
    leading: set[int] = set()
    for each in sums.values():
        leading.update(offered.intersection(each.wants), often.intersection(each.joins))
    return {
        name
        for name, each in sums.items()
        if each.doubtful
        or not twice.isdisjoint(each.identities)
        or not all(leading.isdisjoint(ties) for ties in (each.offers, each.wants, each.joins))
    }


def concerned_since(sums: Mapping[str, Sum], before: Mapping[str, Sum], some: set[str]) -> set[str]:
    """Return the same from what it was ``before``, when that was ``some``; perhaps with parts that are not concerned any more.

    What is new in the parts that are others is looked for in all of them: by bisection, since numbers of 300,000 objects are not made
    into a set in less than a quarter of a second.
    """
    fresh = {name: each for name, each in sums.items() if name not in before}
    gone = {name: each for name, each in before.items() if name not in sums}
    if len(fresh) > _FEW or len(gone) > _FEW:
        return concerned(sums)
    found = {name for name in some if name in sums} | {name for name, each in fresh.items() if each.doubtful}
    if not some.isdisjoint(gone):
        found |= fresh.keys()
    for identity in _new(fresh, gone, attrgetter("identities")):
        writing = [name for name, each in sums.items() if _holds(each.identities, identity)]
        if len(writing) > 1:
            found.update(writing)
    for tie in set[int]().union(*(_new(fresh, gone, numbers) for numbers in _TIES)):
        offering = [name for name, each in sums.items() if _holds(each.offers, tie)]
        wanting = [name for name, each in sums.items() if _holds(each.wants, tie)]
        joining = [name for name, each in sums.items() if _holds(each.joins, tie)]
        often = len(offering) > 1 or any(_holds(each.often, tie) for each in sums.values())
        if (offering and wanting) or (often and joining):
            found.update(offering, wanting, joining)
    return found


def _new(fresh: Mapping[str, Sum], gone: Mapping[str, Sum], numbers: Callable[[Sum], array[int]]) -> set[int]:
    """Return which of some numbers the parts have now and had not before."""
    return set[int]().union(*map(numbers, fresh.values())).difference(*map(numbers, gone.values()))


def _holds(numbers: array[int], wanted: int) -> bool:
    """Say whether a number is among some in order."""
    at = bisect_left(numbers, wanted)
    return at < len(numbers) and numbers[at] == wanted
