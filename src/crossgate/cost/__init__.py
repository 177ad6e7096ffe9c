"""What claims cost in a month: quantities from the resources that they make, times list prices."""

from crossgate.cost.model import ClaimCost, Estimate, Item, Part, Span, TeamCost, Unpriced, by_team, summed

__all__ = ["ClaimCost", "Estimate", "Item", "Part", "Span", "TeamCost", "Unpriced", "by_team", "summed"]
