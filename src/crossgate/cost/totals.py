"""What an estimate comes to, without its lines: it adds up at a hundredth of the cost, and is all that a sum over an estate needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from crossgate.cost.model import NOTHING, ClaimCost, Estimate, Span


@dataclass(frozen=True, slots=True)
class Totals:
    """The sums of an estimate: ``amount`` is that of what is ``priced`` in a month, ``unpriced`` says what has no price."""

    amount: Span = NOTHING
    priced: bool = False
    gpus: Mapping[str, Span] = field(default_factory=dict)
    nodes: Span = NOTHING
    storage_gib: Span = NOTHING
    unpriced: tuple[str, ...] = ()

    @classmethod
    def of(cls, estimate: Estimate) -> Totals:
        """Add the lines of an estimate up."""
        priced = [monthly for item in estimate.items if (monthly := item.monthly) is not None]
        unpriced = tuple(map(str, estimate.unpriced))
        return cls(sum(priced, NOTHING), bool(priced), estimate.gpus, estimate.nodes, estimate.storage_gib, unpriced)

    @property
    def monthly(self) -> Span | None:
        """Return the sum of what has a price; ``None`` when there is something that costs and none of it has one."""
        return None if self.unpriced and not self.priced else self.amount

    def __add__(self, other: Totals) -> Totals:
        return Totals(
            self.amount + other.amount,
            self.priced or other.priced,
            {kind: self.gpus.get(kind, NOTHING) + other.gpus.get(kind, NOTHING) for kind in sorted({*self.gpus, *other.gpus})},
            self.nodes + other.nodes,
            self.storage_gib + other.storage_gib,
            self.unpriced + other.unpriced,
        )


def totalled(costs: Iterable[ClaimCost[Estimate]]) -> list[ClaimCost[Totals]]:
    """Return what some objects cost, without the lines."""
    return [ClaimCost(cost.identity, cost.team, cost.locate, Totals.of(cost.estimate)) for cost in costs]
