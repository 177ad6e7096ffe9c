"""``units.parse`` and ``units.parse_bytes`` exactly as OPA has them."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any

_EXPONENT_DIGITS = 6
_AMOUNT = re.compile(r"(?:[0-9.+-]|e[+-]?(?=[0-9])|e[+-])*", re.IGNORECASE)
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\Z")
_POWERS = {name: number for number, name in enumerate("kmgtpe", start=1)}


def parse(value: Any) -> int | float:
    """``units.parse``: a number with an SI or binary unit; ``m`` is a thousandth and ``M`` a million."""
    amount, unit = _split(value)
    unit = unit[:1] + unit[1:].lower()
    factor = Fraction(0.001) if unit == "m" else Fraction(_factor(unit.lower(), unit, ("", "i"), "units.parse: unit"))
    total = amount * factor
    if total.denominator == 1:
        return int(total)
    places = Decimal(total.numerator) / Decimal(total.denominator)
    return float(places.quantize(Decimal("1e-10"), rounding=ROUND_HALF_UP))


def parse_bytes(value: Any) -> int:
    """``units.parse_bytes``: a number of bytes, with or without ``b`` after the unit; parts of a byte are cut off."""
    amount, unit = _split(value)
    return int(amount * _factor(unit.lower(), unit, ("", "b", "i", "ib"), "units.parse_bytes: byte unit"))


def _factor(unit: str, shown: str, endings: tuple[str, ...], what: str) -> int:
    if not unit:
        return 1
    power = _POWERS.get(unit[0])
    if power is None or unit[1:] not in endings:
        raise ValueError(f"{what} {shown} not recognized")
    return int((1024 if "i" in unit[1:] else 1000) ** power)


def _split(value: Any) -> tuple[Fraction, str]:
    """Return amount and unit."""
    if not isinstance(value, str):
        raise ValueError("operand must be string")
    text = value.replace('"', "")
    if " " in text:
        raise ValueError("spaces not allowed in resource strings")
    match = _AMOUNT.match(text)
    amount = match[0] if match else ""
    if not amount:
        raise ValueError("no amount provided")
    exponent = re.search(r"e[+-]?([0-9]+)", amount, re.IGNORECASE)
    if exponent and len(exponent[1]) > _EXPONENT_DIGITS:
        raise ValueError("exponent too large")
    if not _NUMBER.match(amount):
        raise ValueError("could not parse amount to a number")
    return Fraction(amount), text[len(amount) :]


FUNCTIONS: dict[str, tuple[int, Callable[..., Any]]] = {"units.parse": (1, parse), "units.parse_bytes": (1, parse_bytes)}
"""Built-in to the number of its operands and its function."""
