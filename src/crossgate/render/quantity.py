"""Kubernetes quantities as floats: ``resource.ParseQuantity(s).AsApproximateFloat64()``.

Rounding up to whole billionths, the cap of binary quantities at 2**63 - 1 and the single multiplication
by a power of ten (which is why 100m is 0.1 but 300m is 0.3 only nearly) are apimachinery's.
"""

from __future__ import annotations

import math
import re

from crossgate.render.faults import Fault

_SHAPE = re.compile(r"([+-]?)(?:0*)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)")
_DECIMAL = {"": 0, "n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DIGITS = 18
"""Digits that surely fit into 64 bits."""
_NANO = -9
_LONGEST = 1000
"""No quantity is longer; Python limits the integers that it reads from text."""
_DIGIT = re.compile("[0-9]")
_LARGEST = 2**63 - 1


def parse_quantity(source: str) -> float:
    """Return a quantity as a float; raises Fault where Kubernetes refuses it."""
    if len(source) > _LONGEST:
        raise Fault(f"a quantity of {len(source)} characters is not read")
    match = _SHAPE.fullmatch(source)
    if not source or match is None:
        raise Fault(f"quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$', got {source!r}")
    sign, whole, fraction, suffix = match[1], match[2] or "0", match[3] or "", match[4]
    negative = sign == "-"
    short = _binary(whole, fraction, _BINARY[suffix]) if suffix in _BINARY else _decimal(whole, fraction, _exponent(source, suffix))
    if short is None and not _DIGIT.search(source, 0, match.start(4)):
        raise Fault(f"unable to parse numeric part of quantity: {source!r}")
    if short is not None:
        value, scale = short
    elif suffix in _BINARY:
        value, scale = _long_binary(whole, fraction, _BINARY[suffix])
    else:
        value, scale = _rounded(int(whole + fraction), _exponent(source, suffix) - len(fraction))
    try:
        found = float(-value if negative else value)
    except OverflowError:
        found = -math.inf if negative else math.inf
    return found * _power(scale) if scale else found


def _exponent(source: str, suffix: str) -> int:
    if suffix in _DECIMAL:
        return _DECIMAL[suffix]
    if suffix[:1] in ("e", "E") and re.fullmatch("[+-]?[0-9]+", suffix[1:]) and -(2**63) <= (exponent := int(suffix[1:])) < 2**63:
        return (exponent + 2**31) % 2**32 - 2**31
    raise Fault(f"unable to parse quantity's suffix: {source!r}")


def _decimal(whole: str, fraction: str, exponent: int) -> tuple[int, int] | None:
    """Return mantissa and scale of what fits into 64 bits for sure."""
    scale = exponent - len(fraction)
    if len(whole) + len(fraction) <= _DIGITS and scale >= _NANO:
        return int(whole + fraction), scale
    return None


def _binary(whole: str, fraction: str, exponent: int) -> tuple[int, int] | None:
    if not fraction and _DIGITS - 3 - len(whole) - int(exponent * 3 / 10) - 1 >= 0 and int(whole) << exponent < 2**63:
        return int(whole) << exponent, 0
    return None


def _long_binary(whole: str, fraction: str, exponent: int) -> tuple[int, int]:
    value, scale = _rounded(int(whole + fraction) << exponent, -len(fraction))
    if value * 10 ** max(scale, 0) > _LARGEST * 10 ** max(-scale, 0):
        return _LARGEST, 0
    return value, scale


def _rounded(value: int, scale: int) -> tuple[int, int]:
    """Round away from zero to whole billionths."""
    if value == 0 or scale >= _NANO:
        return (value * 10 ** (scale - _NANO), _NANO) if value and 0 <= scale - _NANO <= 400 else (value, scale)
    drop = _NANO - scale
    if drop > len(str(value)) + 1:
        return 1, _NANO
    return -(-value // 10**drop), _NANO


def _power(exponent: int) -> float:
    """Return 10 to a power as Go's ``math.Pow10`` does: 0 and infinity outside the range of a float."""
    if exponent > 308:
        return math.inf
    return float(f"1e{exponent}") if exponent >= -323 else 0.0
