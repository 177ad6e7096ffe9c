"""The bill for people, by claim or by team."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from crossgate.cost.model import ClaimCost, Estimate, Span, by_team
from crossgate.cost.prices import Prices
from crossgate.cost.text import monthly, number, numbers
from crossgate.report.text import WIDTH, printable
from crossgate.wrapping import wrapped

_DIGITS = Decimal("0.0001")
_ONE = Span.fixed(1)
_COUNTED = ("GPU", "address", "cluster", "disk", "gateway", "load balancer", "machine", "node")
"""Units that are things, of which there may be several; the others measure."""
_SHOWN = 20
"""Lines about what has no price; the JSON document has all."""


def to_text(costs: Sequence[ClaimCost[Estimate]], prices: Prices, *, by: str) -> str:
    """Write the costs as text, 80 columns wide: the sums ``by`` ``claim`` or ``team``, what each claim uses, and what has no price."""
    lines: list[str] = []
    if by == "claim":
        for cost in costs:
            lines += [f"{cost.identity}  {cost.place}", f"  {_sums(cost.estimate)}", *_items(cost.estimate)]
    else:
        for team, estimate in by_team(costs).items():
            lines += [team, f"  {_sums(estimate)}"]
    total = sum((cost.estimate for cost in costs), Estimate(prices.currency))
    lines += ["", f"all: {_sums(total)}", *_unpriced(total), *_sources(prices, total)]
    return "".join(f"{part}\n" for line in lines for part in _wrapped(line))


def _wrapped(line: str) -> list[str]:
    """Break a line where it is too wide, and indent what follows; names are never broken."""
    text = printable(line).replace("\n", "\\n")
    indent = " " * (len(text) - len(text.lstrip()))
    return wrapped(text, WIDTH, "", f"{indent}  ") or [""]


def _sums(estimate: Estimate) -> str:
    parts = [monthly(estimate.monthly, estimate.currency)]
    parts += [f"{numbers(span)} {kind.upper()} GPU{'' if span == _ONE else 's'}" for kind, span in estimate.gpus.items()]
    parts += [f"{numbers(estimate.nodes)} node{'' if estimate.nodes == _ONE else 's'}"] if estimate.nodes != Span() else []
    parts += [f"{numbers(estimate.storage_gib)} GiB"] if estimate.storage_gib != Span() else []
    parts += [f"{len(estimate.unpriced)} unpriced"] if estimate.unpriced else []
    return "; ".join(parts)


def _items(estimate: Estimate) -> Iterator[str]:
    for item in estimate.items:
        about = "about " if item.approximate else ""
        price = "unpriced" if item.price is None else f"{about}{number(item.price.quantize(_DIGITS))} {estimate.currency} a month"
        assumed = " (assumed)" if item.assumed else ""
        what = f"{numbers(item.quantity)} {_unit(item.unit, item.quantity)}{assumed} {item.what}"
        yield f"    {item.resource}: {what} at {price}{f' in {item.region}' if item.region else ''}"


def _unit(unit: str, quantity: Span) -> str:
    thing, of, rest = unit.partition(" of ")
    plural = thing if quantity == _ONE or thing not in _COUNTED else f"{thing}{'es' if thing.endswith('s') else 's'}"
    return f"{plural}{of}{rest}"


def _unpriced(total: Estimate) -> Iterator[str]:
    for item in total.unpriced[:_SHOWN]:
        yield f"unpriced: {item}"
    if len(total.unpriced) > _SHOWN:
        yield f"… and {len(total.unpriced) - _SHOWN} more without a price: -o json has all"


def _sources(prices: Prices, total: Estimate) -> Iterable[str]:
    used = {item.cloud for item in total.items}
    for cloud, source in prices.sources.items():
        if cloud in used:
            yield f"prices: {source['name']}, {source['date']}"
    for name, amount in prices.assumed.items():
        if any(item.assumed for item in total.items):
            yield f"assumed: {name} {number(amount)}"
