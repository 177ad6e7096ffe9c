"""The bill as a document (``CostReport``), so that rules see it among the others, in every engine that runs them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from crossgate.cost.model import ClaimCost, Estimate, Span, grouped_by_team
from crossgate.cost.prices import FILE, Prices
from crossgate.cost.totals import Totals
from crossgate.model import NOBODY, Document, Place, Resource, Role
from crossgate.paths import Path

API_VERSION = "crossgate.dev/v1alpha1"
KIND = "CostReport"

_CENT = Decimal("0.01")


def report(costs: Iterable[ClaimCost[Totals]], prices: Prices, *, before: Iterable[ClaimCost[Totals]] = ()) -> dict[str, Any]:
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
            "claims": [_claim(cost) for cost in listed if cost.identity != NOBODY],
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


def as_resource(costs: Sequence[ClaimCost[Totals]], prices: Prices, *, before: Iterable[ClaimCost[Totals]] = ()) -> Resource:
    """Return the report as a resource that rules are asked about. A finding about a team stands at the team's dearest claim."""
    dearest = {team: listed[0] for team, listed in _by_team(costs).items()}

    def locate(path: Path) -> Place:
        cost = dearest.get(str(path[2])) if len(path) > 2 else None
        return cost.place if cost is not None else Place("")

    return Resource(report(costs, prices, before=before), Role.DOCUMENT, Document(None, FILE, locate=locate))


def _by_team(costs: Iterable[ClaimCost[Totals]]) -> dict[str, list[ClaimCost[Totals]]]:
    """Return what each team pays for, the dearest first."""
    return grouped_by_team(sorted(costs, key=_order))


def _all(listed: Iterable[ClaimCost[Totals]]) -> Totals:
    return sum((cost.estimate for cost in listed), Totals())


def _claim(cost: ClaimCost[Totals]) -> dict[str, Any]:
    identity = cost.identity
    return {
        "apiVersion": identity.api_version,
        "kind": identity.kind,
        "namespace": identity.namespace,
        "name": identity.name,
        **sums(cost.estimate),
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


def _order(cost: ClaimCost[Totals]) -> tuple[bool, Decimal]:
    monthly = cost.estimate.monthly
    return (monthly is None, -monthly.most if monthly is not None else Decimal(0))
