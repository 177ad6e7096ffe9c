"""What a change costs: each object before and after, and the sums for each team."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from crossgate.cost.estimate import estimate
from crossgate.cost.model import Estimate, TeamCost
from crossgate.cost.prices import Prices
from crossgate.plan.model import ClaimChange
from crossgate.render.estate import Made
from crossgate.teams import team_of


def with_cost(change: ClaimChange, before: Made | None, after: Made | None, prices: Prices | None) -> ClaimChange:
    """Return the change with its team, and with what everything costs that the object makes where there are prices."""
    shown = after or before
    was, will = (estimate(made.resources, prices) if made is not None and prices is not None else None for made in (before, after))
    return replace(change, team=team_of(shown.document.body) if shown is not None else "", cost_before=was, cost_after=will)


def team_costs(changes: Iterable[ClaimChange]) -> tuple[TeamCost, ...]:
    """Return what the changed objects of each team cost before and after, in the order of the names; who pays nothing is left out."""
    sums: dict[str, tuple[Estimate, Estimate]] = {}
    for change in changes:
        was, will = change.cost_before or Estimate(), change.cost_after or Estimate()
        if was.items or was.unpriced or will.items or will.unpriced:
            before, after = sums.get(change.team, (Estimate(), Estimate()))
            sums[change.team] = before + was, after + will
    return tuple(TeamCost(team, before, after) for team, (before, after) in sorted(sums.items()))
