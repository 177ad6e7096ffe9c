"""The bill as a document (``CostReport``), so that rules see it among the others, in every engine that runs them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from crossgate.cost.model import ClaimCost, Estimate, Span
from crossgate.cost.prices import FILE, Prices
from crossgate.cost.totals import Totals
from crossgate.model import NOBODY, Document, Identity, Place, Resource, Role
from crossgate.paths import Path

API_VERSION = "crossgate.dev/v1alpha1"
KIND = "CostReport"

_CENT = Decimal("0.01")


@dataclass(frozen=True, slots=True)
class Bill:
    """What an author's object costs in all, or (without an identity) what several of a team do.

    ``locate`` finds its author's line: in a large estate hardly any is asked for.
    """

    identity: Identity
    team: str
    locate: Callable[[], Place] = field(repr=False, compare=False)
    totals: Totals


def bills(costs: Iterable[ClaimCost]) -> list[Bill]:
    """Return what each of some objects costs in all."""
    return [Bill(cost.identity, cost.team, cost.locate, Totals.of(cost.estimate)) for cost in costs]


def report(costs: Iterable[Bill], prices: Prices, *, before: Iterable[Bill] = ()) -> dict[str, Any]:
    """Return the costs of an estate as a document.

    Args:
        costs: what each author's object costs; of those that nobody's identity stands for only the sum is told.
        prices: the list prices that they were worked out by.
        before: what the objects of the base cost, where a change is judged: the sums stand beside those of each team.

    Amounts are rounded to cents; ``usual`` is what the wanted size costs, ``most`` what the largest does. An amount is left out where
    nothing of it has a price.
    """
    was = {team: _all(listed) for team, listed in _by_team(before).items()}
    teams = {
        team: {
            **sums(_all(listed)),
            **({"before": _amounts(was[team])} if team in was else {}),
            "claims": [_claim(bill) for bill in listed if bill.identity != NOBODY],
        }
        for team, listed in _by_team(costs).items()
    }
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "metadata": {"name": "estate"},
        "spec": {
            "currency": prices.currency,
            "sources": {cloud: dict(source) for cloud, source in prices.sources.items()},
            "teams": teams,
        },
    }


def as_resource(costs: Sequence[Bill], prices: Prices, *, before: Iterable[Bill] = ()) -> Resource:
    """Return the report as a resource that rules are asked about. A finding about a team stands at the team's dearest claim."""
    dearest = {team: listed[0] for team, listed in _by_team(costs).items()}

    def locate(path: Path) -> Place:
        bill = dearest.get(str(path[2])) if len(path) > 2 else None
        return bill.locate() if bill is not None else Place("")

    return Resource(report(costs, prices, before=before), Role.DOCUMENT, Document(None, FILE, locate=locate))


def _by_team(costs: Iterable[Bill]) -> dict[str, list[Bill]]:
    """Return what each team pays for, the dearest first, in the order of the teams' names."""
    teams: dict[str, list[Bill]] = {}
    for bill in sorted(costs, key=_order):
        teams.setdefault(bill.team, []).append(bill)
    return dict(sorted(teams.items()))


def _all(listed: Iterable[Bill]) -> Totals:
    return sum((bill.totals for bill in listed), Totals())


def _claim(bill: Bill) -> dict[str, Any]:
    identity = bill.identity
    return {
        "apiVersion": identity.api_version,
        "kind": identity.kind,
        "namespace": identity.namespace,
        "name": identity.name,
        **sums(bill.totals),
    }


def sums(estimate: Estimate | Totals) -> dict[str, Any]:
    """Return the sums of an estimate as documents hold them: amounts in cents, and ``monthly`` left out where nothing has a price."""
    return {
        **_amounts(estimate),
        "gpus": {kind: _span(span) for kind, span in estimate.gpus.items()},
        "nodes": _span(estimate.nodes),
        "storageGiB": _span(estimate.storage_gib),
        "unpriced": [str(item) for item in estimate.unpriced],
    }


def _amounts(estimate: Estimate | Totals) -> Mapping[str, Any]:
    monthly = estimate.monthly
    return {} if monthly is None else {"monthly": _span(monthly)}


def _span(span: Span) -> dict[str, int | float]:
    return {"usual": number(span.usual), "most": number(span.most)}


def number(amount: Decimal) -> int | float:
    """Return a number of JSON, rounded to two decimals: engines write whole numbers and the others each in one way."""
    rounded = amount.quantize(_CENT)
    return int(rounded) if rounded == rounded.to_integral_value() else float(rounded)


def _order(bill: Bill) -> tuple[bool, Decimal]:
    monthly = bill.totals.monthly
    return (monthly is None, -monthly.most if monthly is not None else Decimal(0))
