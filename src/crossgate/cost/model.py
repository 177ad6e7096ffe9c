"""What something costs in a month, as values. All amounts are exact decimals of one currency; nothing is rounded before it is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum
from typing import Generic, Protocol, TypeVar

from crossgate.model import NOBODY, Identity, Place

ZERO = Decimal(0)

Amount = TypeVar("Amount")
Owned = TypeVar("Owned", bound="_Owned")


class _Owned(Protocol):
    @property
    def team(self) -> str: ...


class Part(StrEnum):
    """What kind of thing costs."""

    NODE = "node"
    GPU = "gpu"
    STORAGE = "storage"
    DATABASE = "database"
    CACHE = "cache"
    NETWORK = "network"
    CLUSTER = "cluster"
    WORKLOAD = "workload"


@dataclass(frozen=True, slots=True)
class Span:
    """A number that autoscaling moves.

    ``usual`` is the size that is asked for (the desired one, or the least where none is said), ``most`` the largest that it may become.
    """

    usual: Decimal = ZERO
    most: Decimal = ZERO

    @classmethod
    def fixed(cls, number: Decimal | int) -> Span:
        """Return a number that does not move."""
        return cls(Decimal(number), Decimal(number))

    def __add__(self, other: Span) -> Span:
        return Span(self.usual + other.usual, self.most + other.most)

    def times(self, factor: Decimal | int) -> Span:
        """Return as many of it."""
        return Span(self.usual * factor, self.most * factor)


NOTHING = Span()


@dataclass(frozen=True, slots=True)
class Item:
    """One line of a bill: ``quantity`` of ``unit`` of ``what`` in a region, at ``price`` for one in a month.

    ``price`` is ``None`` where no list has one. ``gpus`` is the type and number of GPUs in one unit (of a node, or a GPU itself), ``gib``
    the size of one unit of a disk.
    ``approximate`` says that the price is not the list's own, ``assumed`` that no manifest says the quantity (what a bucket will hold).
    """

    resource: Identity
    part: Part
    what: str
    cloud: str
    region: str
    unit: str
    quantity: Span
    price: Decimal | None
    gpus: tuple[str, int] | None = None
    gib: Decimal = ZERO
    approximate: bool = False
    assumed: bool = False

    @property
    def monthly(self) -> Span | None:
        """Return what it costs in a month, ``None`` without a price."""
        return None if self.price is None else self.quantity.times(self.price)


@dataclass(frozen=True, slots=True)
class Unpriced:
    """Something that costs, or may, and whose price nobody here knows. It is said and never counted as nothing."""

    resource: Identity
    what: str
    reason: str

    def __str__(self) -> str:
        return f"{self.resource}: {self.what}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Estimate:
    """What some resources cost in a month by list prices.

    ``items`` are all lines, with and without a price; ``unpriced`` says what has none, and why.
    """

    currency: str = ""
    items: tuple[Item, ...] = ()
    unpriced: tuple[Unpriced, ...] = ()

    def __add__(self, other: Estimate) -> Estimate:
        return Estimate(self.currency or other.currency, self.items + other.items, self.unpriced + other.unpriced)

    @property
    def monthly(self) -> Span | None:
        """Return the sum of what has a price; ``None`` when there is something that costs and none of it has one."""
        priced = [monthly for item in self.items if (monthly := item.monthly) is not None]
        return None if self.unpriced and not priced else sum(priced, Span())

    @property
    def nodes(self) -> Span:
        """Return the number of machines."""
        return sum((item.quantity for item in self.items if item.part is Part.NODE), Span())

    @property
    def gpus(self) -> Mapping[str, Span]:
        """Return the number of GPUs by type (``t4``), in the order of the types."""
        found: dict[str, Span] = {}
        for item in self.items:
            if item.gpus is not None:
                kind, count = item.gpus
                found[kind] = found.get(kind, Span()) + item.quantity.times(count)
        return dict(sorted(found.items()))

    @property
    def storage_gib(self) -> Span:
        """Return the disks and volumes in GiB; what lies in buckets is assumed and not counted."""
        return sum((item.quantity.times(item.gib) for item in self.items if item.gib and not item.assumed), Span())


@dataclass(frozen=True, slots=True)
class ClaimCost(Generic[Amount]):
    """One author's object (a claim, an XR or any other), whose it is, and what everything costs that it makes.

    The estimate is an ``Estimate`` with all lines, or the ``Totals`` of one. ``locate`` finds its author's line: in a large estate hardly
    any is asked for.
    """

    identity: Identity
    team: str
    locate: Callable[[], Place] = field(repr=False, compare=False)
    estimate: Amount

    @property
    def place(self) -> Place:
        """Return its author's line."""
        return self.locate()


@dataclass(frozen=True, slots=True)
class TeamCost:
    """What a team's changed claims cost before and after; without a name the sum of all teams."""

    team: str
    before: Estimate
    after: Estimate


def grouped_by_team(costs: Iterable[Owned]) -> dict[str, list[Owned]]:
    """Return what is each team's, in the order in which it comes, by the teams' names in order."""
    teams: dict[str, list[Owned]] = {}
    for cost in costs:
        teams.setdefault(cost.team, []).append(cost)
    return dict(sorted(teams.items()))


def by_team(costs: Iterable[ClaimCost[Estimate]]) -> dict[str, Estimate]:
    """Return the sum for each team, in the order of the names."""
    return {team: summed(cost.estimate for cost in listed) for team, listed in grouped_by_team(costs).items()}


def summed(estimates: Iterable[Estimate]) -> Estimate:
    """Add estimates up: one line for each thing at its price, whichever resources need it; what has no price stays one by one."""
    estimates = list(estimates)
    lines: dict[tuple[object, ...], tuple[Item, list[Span]]] = {}
    for item in (item for estimate in estimates for item in estimate.items):
        key = (item.part, item.what, item.cloud, item.region, item.unit, item.price, item.gpus, item.gib, item.approximate, item.assumed)
        lines.setdefault(key, (item, []))[1].append(item.quantity)
    items = tuple(
        replace(item, resource=item.resource if len(quantities) == 1 else NOBODY, quantity=sum(quantities, Span()))
        for item, quantities in lines.values()
    )
    currency = next((estimate.currency for estimate in estimates if estimate.currency), "")
    return Estimate(currency, items, tuple(each for estimate in estimates for each in estimate.unpriced))
