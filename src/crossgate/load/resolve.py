"""What a scalar means: the table of go-yaml v2, then the JSON that sigs.k8s.io/yaml makes of it.

The API server and Argo CD read a document with go-yaml v2 (YAML 1.1 words such as ``on`` and ``y``, octals
with ``0`` and ``0o``, underscores in numbers, no sexagesimals), turn it into JSON and read that. So a number
is what its JSON text says: ``1.0`` becomes the integer 1, ``1e3`` becomes 1000, and ``.inf`` cannot be written.
"""

from __future__ import annotations

import binascii
import datetime
import math
import re
import struct
from decimal import Decimal
from typing import Any

WORDS: dict[str, bool | float | None] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
}
"""The plain scalars that are looked up before anything else is tried."""

SUSPECT = frozenset("+-.0123456789yYnNtTfFoO~")
"""A plain scalar that starts with none of these (and is not empty) is a string."""

_TAG = "tag:yaml.org,2002:"
STR, BOOL, INT, FLOAT, NULL, TIMESTAMP, BINARY, MERGE = (
    _TAG + name for name in ("str", "bool", "int", "float", "null", "timestamp", "binary", "merge")
)
_RESOLVED = frozenset((STR, BOOL, INT, FLOAT, NULL, TIMESTAMP))

_INTEGER = re.compile(r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|([1-9][0-9]*|0))\Z")
_SIGNED_BINARY = re.compile(r"0b([-+])([01]+)\Z")
_MOST_DIGITS = len(str(2**64))
_DECIMAL = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_POINT_FIRST = re.compile(r"\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?\Z")
_TIMESTAMP = re.compile(
    r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})"
    r"(?:(?P<sep>[Tt]| +)([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?(?P<zone>Z|[-+]([0-9]{2}):([0-9]{2}))?)?\Z"
)
_BASE64 = re.compile(r"[A-Za-z0-9+/]*={0,2}\Z")
_NO_UTF8 = re.compile("[\udc80-\udcff]")


class ScalarError(Exception):
    """A scalar that the API server's reader refuses; the text says why."""


def plain(text: str) -> Any:
    """Return the value of an unquoted scalar without a tag, as go-yaml resolves it (floats are not yet JSON)."""
    if text in WORDS:
        return WORDS[text]
    first = text[0]
    if first == ".":
        return _finite(text, float(text)) if _POINT_FIRST.match(text) else text
    if first in "+-0123456789":
        return _number(text)
    return text


def tagged(tag: str, text: str) -> Any:
    """Return the value of a scalar with an explicit tag (the full one, ``tag:yaml.org,2002:int``).

    Raises:
        ScalarError: the text is not of that type, as in ``!!int 1.5``.
    """
    if tag == BINARY:
        return _binary(text)
    if tag not in _RESOLVED or tag == STR:
        return text
    value = plain(text) if not text or text[0] in SUSPECT else text
    if tag == TIMESTAMP and _is_timestamp(text):
        return text
    if tag == FLOAT and isinstance(value, int) and not isinstance(value, bool) and value < 2**63:
        return float(value)
    if _tag_of(value) != tag:
        raise ScalarError(f"the value is not of the type that its tag says (!!{tag.removeprefix(_TAG)})")
    return value


def json_number(value: float) -> int | float:
    """Return a float as its JSON text is read again: whole numbers under 1e21 are written without a point.

    Raises:
        ScalarError: infinity and NaN have no JSON text.
    """
    if not math.isfinite(value):
        raise ScalarError("infinity and NaN cannot be written as JSON")
    if value.is_integer() and abs(value) < 1e21:
        return int(value) if abs(value) < 2**53 else int(Decimal(repr(value)))
    return value


def key_text(value: Any) -> str:
    """Return a mapping key as sigs.k8s.io/yaml spells it: ``on`` becomes "true", ``1.0`` becomes "1".

    Raises:
        ScalarError: null and integers over 2**63-1 cannot be keys.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and value < 2**63:
        return str(value)
    if isinstance(value, float):
        return _float32_text(value)
    raise ScalarError("null cannot be a key" if value is None else f"the number {value} is too large for a key")


def _number(text: str) -> Any:
    """Read what starts with a digit or a sign: an integer of 64 bits, a float, or else a string."""
    bare = text.replace("_", "") if "_" in text else text
    if (found := _INTEGER.match(bare)) is not None:
        sign, hexadecimal, binary, octal, decimal = found.groups()
        digits, base = next((digits, base) for digits, base in ((hexadecimal, 16), (binary, 2), (octal, 8), (decimal, 10)) if digits)
        # what has more decimal digits than 64 bits can hold is left to the float: Python refuses to read very long ones
        value = 2**64 if decimal and len(digits) > _MOST_DIGITS else -int(digits, base) if sign == "-" else int(digits, base)
        if -(2**63) <= value < 2**63 or (not sign and value < 2**64):
            return value
    if _DECIMAL.match(bare):
        return _finite(text, float(bare))
    if (found := _SIGNED_BINARY.match(bare)) is not None:
        value = int(found[1] + found[2], 2)
        if -(2**63) <= value < 2**63:
            return value
    return text


def _finite(text: str, value: float) -> Any:
    """Return the float, or the text where it overflows: go-yaml leaves ``1e400`` a string."""
    return text if math.isinf(value) else value


def _tag_of(value: Any) -> str:
    if value is None:
        return NULL
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int):
        return INT
    return FLOAT if isinstance(value, float) else STR


def _binary(text: str) -> str:
    """Decode ``!!binary``; bytes that are no UTF-8 become U+FFFD, one each, on the way through JSON."""
    packed = text.replace("\r", "").replace("\n", "")
    if len(packed) % 4 or not _BASE64.match(packed):
        raise ScalarError("the value of !!binary is not valid base64")
    return _NO_UTF8.sub("\ufffd", binascii.a2b_base64(packed).decode("utf-8", errors="surrogateescape"))


def _is_timestamp(text: str) -> bool:
    """Tell whether Go's time.Parse takes the text in one of go-yaml's four layouts (only asked for ``!!timestamp``)."""
    found = _TIMESTAMP.match(text)
    if found is None or (found["sep"] is not None and found["sep"].startswith(" ") == bool(found["zone"])):
        return False
    year, month, day, _, hour, minute, second, _, zone_hour, zone_minute = found.groups(default="0")
    try:
        datetime.date(int(year) or 2000, int(month), int(day))
    except ValueError:
        return False
    return int(hour) < 24 and int(minute) < 60 and int(second) < 60 and int(zone_hour) <= 24 and int(zone_minute) <= 60


def _float32_text(value: float) -> str:
    """Write a float as Go's FormatFloat(value, 'g', -1, 32) does, the way sigs.k8s.io/yaml spells float keys."""
    if math.isnan(value):
        return ".nan"
    try:
        narrow = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        narrow = float("inf") if value > 0 else float("-inf")
    if math.isinf(narrow):
        return ".inf" if narrow > 0 else "-.inf"
    shortest = next(
        text for text in (f"{narrow:.{digits}e}" for digits in range(17)) if struct.pack("f", float(text)) == struct.pack("f", narrow)
    )
    mantissa, _, exponent = shortest.partition("e")
    power = int(exponent)
    if narrow and not -4 <= power < 6:
        return f"{mantissa}e{'-' if power < 0 else '+'}{abs(power):02d}"
    return f"{Decimal(shortest):f}"
