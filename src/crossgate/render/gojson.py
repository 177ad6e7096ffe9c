"""JSON as Go's programs exchange it: which numbers survive, and how values are written.

Three forms of one value meet in a render (the real ones are Go types, ours are Python's):

- *wire*: what a function receives through protobuf. Every number is a ``float``.
- *object*: what Kubernetes' JSON decoder makes. A number whose text is an integer within 64 bits is an
  ``int``, any other a ``float``. A resource is in this form from its first patch on.
- *output*: what a reader of the final JSON sees. As *object*, after one more trip through protobuf.

``str`` holds Go strings. Bytes that are not UTF-8 (only ``FromBase64`` and ``Join`` can make them) are
kept as Python keeps them under ``surrogateescape``; written as JSON each becomes U+FFFD, as in Go.
Sources: encoding/json (float and string encoding), sigs.k8s.io/json (PreserveInts), structpb.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from crossgate.render.faults import Fault

EXACT = 2**53
"""Integers up to here survive the trip through a float unchanged."""

_SURROGATE = re.compile("[\ud800-\udfff]")


class NilObject(dict[str, Any]):
    """Go's nil map: empty, but null when written."""


class NilArray(list[Any]):
    """Go's nil slice: empty, but null when written."""


def text(value: str) -> str:
    """Return a string as JSON would carry it: what is not valid Unicode becomes U+FFFD."""
    if value.isascii() or _SURROGATE.search(value) is None:
        return value
    with suppress(UnicodeEncodeError):
        value = unraw(raw(value))  # halves of a character may have come together
    return _SURROGATE.sub("\ufffd", value)


def raw(value: str) -> bytes:
    """Return the bytes of a Go string."""
    return value.encode("utf-8", "surrogateescape")


def unraw(value: bytes) -> str:
    """Return the Go string that holds these bytes."""
    return value.decode("utf-8", "surrogateescape")


def wire(value: Any, large: list[bool], zero: float = -0.0) -> Any:
    """Copy a JSON value into the form in which functions receive it.

    ``large`` gets an entry when a number needs more than 53 bits: then the output must be looked
    through once more. ``zero`` is 0.0 for what Crossplane reads from the cluster through JSON, where -0
    becomes the integer 0. Raises Fault for anything that JSON cannot hold.
    """
    kind = value.__class__
    if kind is str:
        return value if value.isascii() else text(value)
    if kind is dict:
        return {(key if key.__class__ is str and key.isascii() else _key(key)): wire(item, large, zero) for key, item in value.items()}
    if value is None or kind is bool:
        return value
    if kind is list:
        return [wire(item, large, zero) for item in value]
    if kind is int or kind is float:
        try:
            number = float(value) + zero
        except OverflowError:
            raise Fault("a number is too large for a 64-bit float") from None
        if not -EXACT < number < EXACT:
            if not math.isfinite(number):
                raise Fault(f"{number} is not a JSON value")
            large.append(True)
        return number
    return _unusual(value, large, zero)


def _key(key: Any) -> str:
    if not isinstance(key, str):
        raise Fault(f"an object has the key {key!r}; JSON keys are strings", hint="quote the key")
    return text(str(key))


def _unusual(value: Any, large: list[bool], zero: float) -> Any:
    """Take the subclasses that YAML readers and callers use for JSON's own types."""
    if isinstance(value, Mapping):
        return {_key(key): wire(item, large, zero) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [wire(item, large, zero) for item in value]
    if isinstance(value, str):
        return text(str.__str__(value))
    for kind in (bool, int, float):
        if isinstance(value, kind):
            return wire(kind(value), large, zero)
    raise Fault(f"a value of the Python type {type(value).__name__} is not JSON", hint="write it as a string or a number")


def number(value: float) -> int | float:
    """Return the object form of a float: an ``int`` when its JSON text is an integer within 64 bits."""
    if -EXACT < value < EXACT:
        whole = int(value)
        return whole if whole == value else value
    if not math.isfinite(value):
        raise Fault(f"cannot marshal value to JSON: unsupported value: {value}")
    if abs(value) < 1e21:
        whole = shortest(value)
        if -(2**63) <= whole < 2**63:
            return whole
    return value


def shortest(value: float) -> int:
    """Return the integer that the shortest decimal text of a whole float denotes (Go pads it with zeros)."""
    digits, _, exponent = repr(value).partition("e")
    mantissa, _, fraction = digits.partition(".")
    if not exponent:
        return int(mantissa)
    shift = int(exponent) - len(fraction)
    return int(mantissa + fraction) * int(10**shift)


def objects(value: Any) -> Any:
    """Copy a value into object form, as a JSON round trip through Kubernetes' decoder does."""
    kind = value.__class__
    if kind is str:
        return value if value.isascii() else text(value)
    if kind is dict:
        return {key: objects(item) for key, item in value.items()}
    if kind is float:
        return number(value)
    if kind is list:
        return [objects(item) for item in value]
    if kind is NilObject or kind is NilArray:
        return None
    return value


def floats(value: Any) -> Any:
    """Copy an object-form value into wire form, as the trip to the next function does."""
    kind = value.__class__
    if kind is dict:
        return {key: floats(item) for key, item in value.items()}
    if kind is list:
        return [floats(item) for item in value]
    if kind is int:
        return float(value)
    return value


def clone(value: Any) -> Any:
    """Copy a JSON value."""
    kind = value.__class__
    if kind is dict:
        return {key: clone(item) for key, item in value.items()}
    if kind is list:
        return [clone(item) for item in value]
    return value


def output(value: Any) -> Any:
    """Copy a value as a reader of the final JSON sees it.

    The last trip is through protobuf, so an integer is what its float's shortest text says. Readers
    take integers up to 2**64 - 1 for integers and larger ones for floats.
    """
    kind = value.__class__
    if kind is dict:
        return {key: output(item) for key, item in value.items()}
    if kind is list:
        return [output(item) for item in value]
    if kind is int or kind is float:
        found = number(float(value))
        if found.__class__ is float and 2**63 <= found < 2**64 and (whole := shortest(found)) < 2**64:
            return whole
        return found
    return value
