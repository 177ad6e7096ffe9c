"""What each string format accepts, as kube-openapi's ``strfmt`` (1.36) has it."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable

from crossgate.schema.addresses import is_cidr, is_email, is_ipv4, is_ipv6, is_mac, is_uri
from crossgate.schema.patterns import found_in

_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_TIME = re.compile(r"([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[^\n][0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})")
_GO_DURATION = re.compile(r"[+-]?(?:0|(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+)")
_SCALA_DURATION = re.compile(r"([0-9]+)[\t\n\f\r ]*([A-Za-zµ]+)")
_SCALA_UNITS = (
    (("ns", "nano"), 1),
    (("us", "µs", "micro"), 10**3),
    (("ms", "milli"), 10**6),
    (("s", "sec"), 10**9),
    (("m", "min"), 60 * 10**9),
    (("h", "hr", "hour"), 3600 * 10**9),
    (("d", "day"), 24 * 3600 * 10**9),
    (("w", "wk", "week"), 7 * 24 * 3600 * 10**9),
)
_NANOSECONDS = {"ns": 1, "us": 10**3, "µs": 10**3, "μs": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}
_GO_PART = re.compile(r"([0-9]*)(?:\.([0-9]*))?(ns|us|µs|μs|ms|s|m|h)")
_INT64_DIGITS = 19
"""A number with more digits is over 63 bits; Python refuses to read very long ones."""
_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})")
_CARD = re.compile(
    r"(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35[0-9]{3})[0-9]{11})"
)
_BYTE = r"\s*(?:0|[1-9][0-9]?|1[0-9][0-9]?|2[0-4][0-9]|25[0-5])\s*"
_SHORT_NAME = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"


def _matches(pattern: str, flags: int = re.ASCII) -> Callable[[str], bool]:
    compiled = re.compile(pattern, flags)
    return lambda text: compiled.fullmatch(text) is not None


def is_date(text: str) -> bool:
    """Say whether this is a full date of RFC 3339; the year 0000 is one for Go."""
    found = _DATE.fullmatch(text)
    if not found:
        return False
    year, month, day = map(int, found.groups())
    try:
        # The calendar of year 0 is that of any leap year.
        datetime.date(year or 2000, month, day)
    except ValueError:
        return False
    return True


def is_date_time(text: str) -> bool:
    """Say whether this is a date-time of RFC 3339 in the server's own reading (hours, minutes and seconds are compared as text)."""
    date, letter, time = text.lower().partition("t")
    if not letter or not is_date(date):
        return False
    found = _TIME.fullmatch(time.partition("t")[0])
    return found is not None and found[1] <= "23" and found[2] <= "59" and found[3] <= "59"


def is_duration(text: str) -> bool:
    """Say whether ``time.ParseDuration`` reads this, or else any number and unit inside it is one of Scala's."""
    return nanoseconds(text) is not None


def nanoseconds(text: str) -> int | None:
    """Return a duration as the server reads it, or None when it is none."""
    exact = go_nanoseconds(text)
    if exact is not None:
        return exact
    total, known = 0, False
    for number, word in _SCALA_DURATION.findall(text):
        if len(number.lstrip("0")) > _INT64_DIGITS or int(number) > 2**63 - 1:
            return None
        unit = word.lower()
        for names, scale in _SCALA_UNITS:
            # The server adds a variant twice that is the unit's last name and also another name of it; none is.
            if unit in names or unit.startswith(names[-1]):
                known = True
                total += int(number) * scale
    # The server's sum is one of 64 bits, and wraps.
    return (total + 2**63) % 2**64 - 2**63 if known else None


def go_nanoseconds(text: str) -> int | None:
    """Return a duration as ``time.ParseDuration`` reads it, or None; the whole may not pass 2^63 nanoseconds."""
    if not _GO_DURATION.fullmatch(text):
        return None
    total = 0
    for whole, fraction, unit in _GO_PART.findall(text):
        scale = _NANOSECONDS[unit]
        if len(whole.lstrip("0")) > _INT64_DIGITS:
            return None
        part = fraction[:_INT64_DIGITS]  # what follows is less than a nanosecond, even of an hour
        total += int(whole or 0) * scale + (int(part) * scale // 10 ** len(part) if part else 0)
    if total > 2**63 - (not text.startswith("-")):
        return None
    return -total if text.startswith("-") else total


def parse_duration(text: str) -> datetime.timedelta:
    """Return a duration for a CEL rule, to the microsecond. Raises ValueError when it is none."""
    found = nanoseconds(text)
    if found is None:
        raise ValueError(f"{text!r} is no duration")
    return datetime.timedelta(microseconds=found / 1000)


def is_isbn10(text: str) -> bool:
    """Say whether this is an ISBN of ten digits; spaces and dashes do not count."""
    digits = re.sub(r"[\s-]+", "", text, flags=re.ASCII)
    if not re.fullmatch(r"[0-9]{9}[0-9X]", digits):
        return False
    return sum((index + 1) * (10 if digit == "X" else int(digit)) for index, digit in enumerate(digits)) % 11 == 0


def is_isbn13(text: str) -> bool:
    """Say whether this is an ISBN of thirteen digits; spaces and dashes do not count."""
    digits = re.sub(r"[\s-]+", "", text, flags=re.ASCII)
    if not re.fullmatch(r"[0-9]{13}", digits):
        return False
    return sum(int(digit) * (3 if index % 2 else 1) for index, digit in enumerate(digits)) % 10 == 0


def is_credit_card(text: str) -> bool:
    """Say whether the digits of this are a card's number with a right check digit."""
    digits = re.sub(r"[^0-9]+", "", text)
    if not _CARD.fullmatch(digits):
        return False
    total = 0
    for index, digit in enumerate(reversed(digits)):
        value = int(digit) * (2 if index % 2 else 1)
        total += value // 10 + value % 10
    return total % 10 == 0


def is_hostname(text: str) -> bool:
    """Say whether this is a host name in the server's reading, which allows symbols and letters of any script."""
    pattern = (
        r"^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)"
        r"|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$"
    )
    if not found_in(pattern, text):
        return False
    return len(text.encode()) <= 255 and all(len(part.encode()) <= 63 for part in text.split("."))


_SHORT: Callable[[str], bool] = _matches(_SHORT_NAME)
_LONG: Callable[[str], bool] = _matches(rf"{_SHORT_NAME}(?:\.{_SHORT_NAME})*")

FORMATS: dict[str, Callable[[str], bool]] = {
    "bsonobjectid": _matches(r"[0-9a-fA-F]{24}"),
    "uri": is_uri,
    "email": is_email,
    "hostname": is_hostname,
    "ipv4": is_ipv4,
    "ipv6": is_ipv6,
    "cidr": is_cidr,
    "mac": is_mac,
    "uuid": _matches(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}", re.ASCII | re.IGNORECASE),
    "uuid3": _matches(r"[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}", re.ASCII | re.IGNORECASE),
    "uuid4": _matches(r"[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}", re.ASCII | re.IGNORECASE),
    "uuid5": _matches(r"[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}", re.ASCII | re.IGNORECASE),
    "isbn": lambda text: is_isbn10(text) or is_isbn13(text),
    "isbn10": is_isbn10,
    "isbn13": is_isbn13,
    "creditcard": is_credit_card,
    "ssn": _matches(r"[0-9]{3}[- ][0-9]{2}[- ][0-9]{4}"),
    "hexcolor": _matches(r"#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})"),
    "rgbcolor": _matches(rf"rgb\({_BYTE},{_BYTE},{_BYTE}\)"),
    "byte": lambda text: _BASE64.fullmatch(text) is not None,
    "password": lambda _text: True,
    "date": is_date,
    "duration": is_duration,
    "datetime": is_date_time,
    "k8sshortname": lambda text: len(text) <= 63 and _SHORT(text),
    "k8slongname": lambda text: len(text) <= 253 and _LONG(text),
}
"""What each format accepts, by name without dashes."""
