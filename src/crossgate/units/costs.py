"""What units cost, summed up so that an estate of ten thousand claims is known by some of each team."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from crossgate.cost.model import grouped_by_team
from crossgate.cost.totals import Totals
from crossgate.model import NOBODY, Identity

DEAREST = 10
"""Claims of each team that are named with what they cost; the others are summed up."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a unit costs; without an identity what several units of a team cost."""

    file: str
    number: int
    identity: Identity
    team: str
    totals: Totals


Costs = Sequence[tuple[str, Sequence[Cost]]]
"""Costs by team."""


def claim_costs(costs: Iterable[Cost]) -> list[Cost]:
    """Return the dearest claims of each team, and for each team the sum of the others."""
    found = []
    for team, listed in grouped_by_team(costs).items():
        named = sorted((cost for cost in listed if cost.identity != NOBODY), key=_dearest)
        found += named[:DEAREST]
        rest = [cost.totals for cost in (*named[DEAREST:], *(cost for cost in listed if cost.identity == NOBODY))]
        if rest:
            found.append(Cost("", 0, NOBODY, team, sum(rest, Totals())))
    return found


def costs_since(parts: Sequence[tuple[str, Costs]], before: Sequence[tuple[str, Costs]], known: Iterable[Cost]) -> list[Cost]:
    """Return ``claim_costs`` of some parts; of the teams that cost what they did ``before`` they are ``known``.

    Args:
        parts: what the units of each part cost, with a digest of it.
        before: the same of another state.
        known: ``claim_costs`` of that state.
    """
    here, there = (Counter(digest for digest, _ in each) for each in (parts, before))
    fresh, gone = (
        grouped_by_team(cost for digest, costs in each if here[digest] != there[digest] for _, listed in costs for cost in listed)
        for each in (parts, before)
    )
    teams = {team for team in fresh.keys() | gone.keys() if fresh.get(team) != gone.get(team)}
    own = claim_costs(cost for _, costs in parts for team, listed in costs if team in teams for cost in listed)
    return sorted((*own, *(cost for cost in known if cost.team not in teams)), key=attrgetter("team"))


def _dearest(cost: Cost) -> tuple[Any, ...]:
    monthly = cost.totals.monthly
    return (monthly is None, -monthly.most if monthly is not None else 0, cost.identity)
