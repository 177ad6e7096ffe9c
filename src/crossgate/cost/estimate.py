"""Make the bill: what each author's object makes, times list prices."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from crossgate.cost.fields import Unknown, Use, below
from crossgate.cost.model import ZERO, ClaimCost, Estimate, Item, Span, Unpriced
from crossgate.cost.prices import Prices
from crossgate.cost.table import service_of, uses
from crossgate.model import CLAIM, XR, Document, Resource
from crossgate.teams import team_of

_ZONE = re.compile(r"(?<=\d)-?[a-z]$")
_MOST = Decimal(10**9)
"""No line of a bill counts more; what a manifest says beyond is too dear by then, and sums stay exact."""
_PLACES = ("region", "location", "zone", "availabilityZone")


def estimate(resources: Iterable[Resource], prices: Prices) -> Estimate:
    """Return what the resources of one author's object cost together in a month.

    Args:
        resources: the object and everything that it makes, as ``render.estate.Made`` has them.
        prices: the list prices. What they do not list is in ``unpriced``.
    """
    made = tuple(resources)
    items: list[Item] = []
    unpriced: list[Unpriced] = []
    for resource in made:
        if resource.role in (CLAIM, XR):
            continue  # what they stand for is composed
        for use in uses(resource, prices, made):
            if isinstance(use, Unknown):
                unpriced.append(Unpriced(resource.identity, use.what, use.reason))
                continue
            item, why = _item(resource, use, made, prices)
            items.append(item)
            if why and item.quantity.most:
                unpriced.append(Unpriced(resource.identity, item.what, why))
    return Estimate(prices.currency, tuple(items), tuple(unpriced))


def costs(resources: Iterable[Resource], prices: Prices) -> Iterator[ClaimCost[Estimate]]:
    """Yield the cost of each author's object among ``resources`` that costs something, or may, in their order."""
    for document, made in _by_document(resources).values():
        found = estimate(made, prices)
        if found.items or found.unpriced:
            body = document.body
            yield ClaimCost(made[0].identity, team_of(body), document.place, found)


def _by_document(resources: Iterable[Resource]) -> dict[int, tuple[Document, list[Resource]]]:
    grouped: dict[int, tuple[Document, list[Resource]]] = {}
    for resource in resources:
        grouped.setdefault(id(resource.document), (resource.document, []))[1].append(resource)
    return grouped


def _item(resource: Resource, use: Use, made: Sequence[Resource], prices: Prices) -> tuple[Item, str]:
    """Return a line of the bill, and why it has no price."""
    cloud = use.cloud or service_of(resource.identity.group)[1]
    region = use.region or (_region(resource, made, cloud) if not use.cloud else "")
    price = prices.price(cloud, region, use.what)
    why = ""
    if price is None:
        where = f"{cloud} {region}".strip()
        if not region:
            why = "no region is said"
        elif prices.has_region(cloud, region):
            why = f"no price in {where}"
        else:
            why = f"no prices for {where}"
    item = Item(
        resource=resource.identity,
        part=use.part,
        what=use.what,
        cloud=cloud,
        region=region,
        unit=use.unit,
        quantity=Span(min(max(use.quantity.usual, ZERO), _MOST), min(max(use.quantity.most, ZERO), _MOST)),
        price=price.amount if price is not None else None,
        gpus=use.gpus,
        gib=min(max(use.gib, ZERO), _MOST),
        approximate=price.approximate if price is not None else False,
        assumed=use.assumed,
    )
    return item, why


def _region(resource: Resource, made: Sequence[Resource], cloud: str) -> str:
    """Return a resource's region; what says none (a node pool) is where its cluster or the first of its cloud is that says one."""
    for other in (resource, *made):
        if service_of(other.identity.group)[1] != cloud:
            continue
        for name in _PLACES:
            found = below(other.body, f"spec.forProvider.{name}")
            if isinstance(found, str) and found:
                place = found.lower().replace(" ", "")
                return _ZONE.sub("", place) if cloud != "azure" and name != "region" and place.count("-") > 1 else place
    return ""
