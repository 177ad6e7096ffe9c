"""Money and costs in words, the same wherever they are shown."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal

from crossgate.cost.model import ZERO, Estimate, Span

_CENT = Decimal("0.01")


def money(amount: Decimal, currency: str) -> str:
    """Write an amount: ``1,234.50 USD``."""
    return f"{amount.quantize(_CENT, ROUND_HALF_EVEN):,} {currency}".strip()


def number(amount: Decimal) -> str:
    """Write a quantity without needless zeros: ``3``, ``1.5``."""
    text = f"{amount:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def numbers(span: Span) -> str:
    """Write a number that autoscaling moves: ``1 to 10``, or ``3`` where it does not move."""
    return number(span.usual) if span.usual == span.most else f"{number(span.usual)} to {number(span.most)}"


def monthly(span: Span | None, currency: str) -> str:
    """Write a monthly cost: as usual, and ``at most`` where autoscaling moves it; ``unknown`` for ``None``."""
    if span is None:
        return "unknown"
    usual = f"{money(span.usual, currency)} a month"
    return usual if span.usual == span.most else f"{usual}, at most {money(span.most, currency)}"


def change(before: Estimate | None, after: Estimate | None) -> str:
    """Write how a cost changes: ``+30.00 USD a month (120.00 → 150.00), at most +90.00 (400.00 → 490.00)``; empty when it does not.

    Where only the largest size changes, only that is written: ``at most +90.00 USD a month (400.00 → 490.00)``. What is not there costs
    nothing. A cost that is unknown on one side is said as such.
    """
    was, will = (estimate.monthly if estimate is not None else Span() for estimate in (before, after))
    currency = (after.currency if after is not None else "") or (before.currency if before is not None else "")
    if was == will:
        return ""
    if was is None or will is None:
        return f"{monthly(was, currency)} → {monthly(will, currency)}"
    unit = f" {currency} a month"
    if was.usual == will.usual:
        return f"at most {_step(was.most, will.most, unit)}"
    usual = _step(was.usual, will.usual, unit)
    if will.usual - was.usual == will.most - was.most and was.usual == was.most:
        return usual
    return f"{usual}, at most {_step(was.most, will.most, '')}"


def gpus(before: Estimate, after: Estimate) -> dict[str, str]:
    """Write how many GPUs there are of each kind: ``2 to 10 → 4 to 20``, or ``4`` where nothing changes."""
    said = {}
    for kind in dict.fromkeys((*before.gpus, *after.gpus)):
        was, will = (numbers(side.gpus.get(kind, Span())) for side in (before, after))
        said[kind] = will if was == will else f"{was} → {will}"
    return said


def _step(before: Decimal, after: Decimal, unit: str) -> str:
    was, will, step = (amount.quantize(_CENT, ROUND_HALF_EVEN) for amount in (before, after, after - before))
    sign = "+" if step >= ZERO else "-"
    return f"{sign}{abs(step):,}{unit} ({was:,} → {will:,})"
