"""Floats as Go writes and reads them (strconv: FormatFloat, ParseFloat).

Correct rounding is Python's as well as Go's; only the shapes differ.
"""

from __future__ import annotations

import math
import re

from crossgate.render.faults import Fault

_SHORTEST = -1
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_HEXADECIMAL = re.compile(r"([+-]?)0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?[pP]([+-]?[0-9]+)")
_SPECIAL = {"inf": math.inf, "infinity": math.inf, "nan": math.nan}


def format_float(value: float, verb: str, precision: int) -> str:
    """Return ``strconv.FormatFloat(value, verb, precision, 64)``; precision -1 is the shortest exact one."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    if verb == "b":
        return _binary(value)
    if verb in "xX":
        return _hexadecimal(value, verb, precision)
    if verb == "f":
        return _fixed(value) if precision == _SHORTEST else f"{value:.{precision}f}"
    if verb in "eE":
        found = _exponent(*_digits(value)) if precision == _SHORTEST else f"{value:.{precision}e}"
        return found if verb == "e" else found.upper()
    return _general(value, verb, precision)


def _digits(value: float) -> tuple[str, str, int]:
    """Return the sign, the shortest digits and where the decimal point stands in them."""
    sign = "-" if math.copysign(1, value) < 0 else ""
    if value == 0:
        return sign, "0", 1
    return sign, *_split(repr(abs(value)))


def _split(written: str) -> tuple[str, int]:
    mantissa, _, exponent = written.partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    return digits.rstrip("0") or "0", point


def _fixed(value: float) -> str:
    sign, digits, point = _digits(value)
    return sign + _place(digits, point, max(len(digits) - point, 0))


def _place(digits: str, point: int, decimals: int) -> str:
    whole = digits[:point].ljust(point, "0") if point > 0 else "0"
    if not decimals:
        return whole
    fraction = ("0" * -point + digits if point < 0 else digits[max(point, 0) :])[:decimals]
    return f"{whole}.{fraction.ljust(decimals, '0')}"


def _exponent(sign: str, digits: str, point: int, decimals: int | None = None) -> str:
    fraction = digits[1:] if decimals is None else digits[1 : decimals + 1].ljust(decimals, "0")
    power = 0 if digits == "0" else point - 1
    return f"{sign}{digits[0]}{'.' if fraction else ''}{fraction}e{'-' if power < 0 else '+'}{abs(power):02d}"


def _general(value: float, verb: str, precision: int) -> str:
    """Return %g: the rules of strconv's ftoa for when an exponent is used."""
    sign, digits, point = _digits(value)
    if precision == _SHORTEST:
        limit, precision = 6, len(digits)
    else:
        precision = precision or 1
        if value:
            digits, point = _split(f"{abs(value):.{precision - 1}e}")
        limit = len(digits) if precision > len(digits) >= point else precision
    if value == 0:
        point = 0 if precision and limit != 6 else 1
        return sign + "0"
    power = point - 1
    if power < -4 or power >= limit:
        found = _exponent(sign, digits, point, min(precision, len(digits)) - 1)
        return found if verb == "g" else found.upper()
    return sign + _place(digits, point, max((len(digits) if precision > point else precision) - point, 0))


def _parts(value: float) -> tuple[str, int, int]:
    """Return the sign, the 53-bit mantissa and the exponent of its last bit plus 52 (IEEE 754)."""
    sign = "-" if math.copysign(1, value) < 0 else ""
    mantissa, power = math.frexp(abs(value))
    power -= 1
    if value == 0 or power < -1022:
        return sign, int(math.ldexp(abs(value), 1022 + 52)), -1022
    return sign, int(math.ldexp(mantissa, 53)), power


def _binary(value: float) -> str:
    sign, mantissa, power = _parts(value)
    return f"{sign}{mantissa}p{power - 52:+d}"


def _hexadecimal(value: float, verb: str, precision: int) -> str:
    sign, mantissa, power = _parts(value)
    if mantissa == 0:
        power = 0
    mantissa <<= 8
    while mantissa and not mantissa & (1 << 60):
        mantissa <<= 1
        power -= 1
    if 0 <= precision < 15:
        shift = precision * 4
        extra = (mantissa << shift) & ((1 << 60) - 1)
        mantissa >>= 60 - shift
        if extra | (mantissa & 1) > 1 << 59:
            mantissa += 1
        mantissa <<= 60 - shift
        if mantissa & (1 << 61):
            mantissa >>= 1
            power += 1
    fraction = f"{mantissa & ((1 << 60) - 1):015x}"
    fraction = fraction.rstrip("0") if precision < 0 else fraction[:precision].ljust(precision, "0")
    found = f"{sign}0x{mantissa >> 60 & 1}{'.' if fraction else ''}{fraction}p{'-' if power < 0 else '+'}{abs(power):02d}"
    return found if verb == "x" else found.upper()


def parse_float(source: str) -> float:
    """Return ``strconv.ParseFloat(source, 64)``; raises Fault where Go gives an error."""
    special = _SPECIAL.get(source.lstrip("+-").lower()) if source[1:2] not in ("+", "-") else None
    if special is not None:
        return -special if source.startswith("-") else special
    plain = source
    if "_" in source:
        hexadecimal = source.lstrip("+-")[:2].lower() == "0x"
        if not _underscores_fit(source, hexadecimal):
            raise Fault(f"strconv.ParseFloat: parsing {source!r}: invalid syntax")
        plain = source.replace("_", "")
    if _DECIMAL.fullmatch(plain):
        found = float(plain)
    elif (match := _HEXADECIMAL.fullmatch(plain)) and (match[2] or match[3]):
        found = _from_hexadecimal(match)
    else:
        raise Fault(f"strconv.ParseFloat: parsing {source!r}: invalid syntax")
    if math.isinf(found):
        raise Fault(f"strconv.ParseFloat: parsing {source!r}: value out of range")
    return found


def _underscores_fit(source: str, hexadecimal: bool) -> bool:
    """Say whether each underscore stands between digits (or after the base prefix)."""
    rest = source.lstrip("+-") if source[1:2] not in ("+", "-") else source
    previous = "^"
    if hexadecimal or rest[:2].lower() in ("0b", "0o"):
        previous, rest = "0", rest[2:]
    for character in rest:
        if character.isascii() and (character.isdigit() or (hexadecimal and character.lower() in "abcdef")):
            previous = "0"
        elif character == "_":
            if previous != "0":
                return False
            previous = "_"
        else:
            if previous == "_":
                return False
            previous = "!"
    return previous != "_"


def _from_hexadecimal(match: re.Match[str]) -> float:
    whole, fraction = match[2], match[3] or ""
    power = int(match[4])
    try:
        found = float.fromhex(f"0x{whole or '0'}.{fraction}p{max(min(power, 100000), -100000)}")
    except OverflowError:
        return math.inf
    return -found if match[1] == "-" else found
