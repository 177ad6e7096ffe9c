"""Go's string functions where Python's differ: letter case, base64, checksums of bytes."""

from __future__ import annotations

import base64
import binascii
import re

from crossgate.render.faults import Fault
from crossgate.render.gojson import unraw

_BASE64 = re.compile(rb"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")


def upper(value: str) -> str:
    """Return ``strings.ToUpper``: one rune becomes one rune (the sharp s stays as it is)."""
    return value.upper() if value.isascii() else "".join(map(_upper, value))


def _upper(character: str) -> str:
    if "\udc80" <= character <= "\udcff":
        return "\ufffd"
    found = character.upper()
    if len(found) == 1:
        return found
    titled = character.title()
    return titled if len(titled) == 1 else character


def lower(value: str) -> str:
    """Return ``strings.ToLower``: rune by rune, without Greek final sigma."""
    return value.lower() if value.isascii() else "".join(map(_lower, value))


def _lower(character: str) -> str:
    if "\udc80" <= character <= "\udcff":
        return "\ufffd"
    return character.lower()[0]


def decode_base64(value: bytes) -> str:
    """Return ``base64.StdEncoding.DecodeString``: padding is required, line ends are skipped."""
    stripped = value.replace(b"\r", b"").replace(b"\n", b"")
    if not _BASE64.fullmatch(stripped):
        raise Fault("string is not valid base64: illegal base64 data")
    try:
        return unraw(base64.b64decode(stripped))
    except binascii.Error as error:
        raise Fault(f"string is not valid base64: {error}") from None
