"""Write values as YAML that every reader reads back as the same values.

Readers disagree on what a bare word is: go-yaml v2, which the API server and Argo CD use, takes ``y`` for true,
``1e3`` and ``0o7`` for numbers; YAML 1.1 readers take ``12:30:00`` for a number and ``2024-01-01`` for a date.
So a text is written bare only where nobody can take it for anything else. Everything else is in double quotes on
one line; a text of several lines is a literal block where that keeps it as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from crossgate.errors import CrossgateError
from crossgate.paths import format_path

_BARE = re.compile(
    r"(?!---|\.\.\.)(?:[^\W\d]|[\d/.$(]|-(?=[-\w]))(?:[\w./@+=$%^&*()<>;,'\"!?|~\[\]{}\\-]|:(?=\S)|\ (?!\#)|(?<!\ )\#)*(?<![\s:])"
)
_NUMBER_LIKE = re.compile(r"[-+.\d][-+.\d_:a-fA-FxXoOtTzZ ]*")
_WORDS = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null", "nil", "none", ".inf", "-.inf", "+.inf", ".nan"))
_ESCAPED = re.compile('["\\\\\0-\x1f\x7f-\xa0\xad\u2028\u2029\ufeff\ufffe\uffff]')
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_SURROGATE = re.compile("[\ud800-\udfff]")
_NO_LITERAL = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\xa0\xad\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]|^[ \t]+$|\\A[ \t\n]|\n\n\\Z", re.MULTILINE
)
_MAX_KEY = 512


def to_yaml(documents: Iterable[Any]) -> str:
    """Write JSON values (dict, list, str, int, float, bool, None) as a stream of YAML documents in block style.

    Keys keep their order, lists stand at the indentation of their key, and the same values always give the
    same text. ``load_text`` reads the same values back (a whole float such as 1.0 comes back as the integer,
    as in the cluster; empty documents are dropped).

    Raises:
        CrossgateError: a value has no counterpart in a manifest (NaN, a lone surrogate, an integer beyond 64
            bits, a key that is no string); ``where`` names the field.
    """
    return "---\n".join(_document(document) for document in documents)


class _UnwritableError(Exception):
    def __init__(self, what: str, hint: str) -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint
        self.path: list[str | int] = []


def _document(value: Any) -> str:
    out: list[str] = []
    try:
        _write(value, "", 0, out)
    except _UnwritableError as error:
        where = format_path(error.path[::-1]) or "the document itself"
        raise CrossgateError(error.what, where, error.hint) from None
    return "".join(out)


def _write(value: Any, lead: str, indent: int, out: list[str]) -> None:
    """Write a value behind ``lead``, the start of its first line; its further lines are indented by ``indent``."""
    if value and type(value) is dict:
        _mapping(value, lead, indent, out)
    elif value and type(value) is list:
        _sequence(value, lead, indent, out)
    elif type(value) is str and lead and "\n" in value and _NO_LITERAL.search(value) is None:
        padding = " " * max(indent, 2)
        out.append(f"{lead}{'|' if value.endswith(chr(10)) else '|-'}\n")
        out += [f"{padding}{line}\n" if line else "\n" for line in value.removesuffix("\n").split("\n")]
    else:
        out.append(f"{lead}{_scalar(value)}\n")


def _mapping(body: dict[Any, Any], lead: str, indent: int, out: list[str]) -> None:
    padding = " " * indent
    for key, value in body.items():
        try:
            name = _key(key)
            if len(name) > _MAX_KEY:
                # Readers look for the ":" of a key only so far; "?" announces it.
                out.append(f"{lead}? {name}\n")
                lead, name = padding, ""
            if value and type(value) in (dict, list):
                out.append(f"{lead}{name}:\n")
                deeper = indent + 2 if type(value) is dict else indent
                _write(value, " " * deeper, deeper, out)
            else:
                _write(value, f"{lead}{name}: ", indent + 2, out)
        except _UnwritableError as error:
            error.path.append(key if isinstance(key, str) else str(key))
            raise
        lead = padding


def _sequence(items: list[Any], lead: str, indent: int, out: list[str]) -> None:
    padding = " " * indent
    for index, item in enumerate(items):
        try:
            _write(item, f"{lead}- ", indent + 2, out)
        except _UnwritableError as error:
            error.path.append(index)
            raise
        lead = padding


def _key(key: Any) -> str:
    if not isinstance(key, str):
        raise _UnwritableError(f"the key {key!r} is not a string", "write it as a string; Kubernetes knows no other keys")
    return _text(key)


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        if not -(2**63) <= value < 2**64:
            raise _UnwritableError(f"the integer {value} does not fit into 64 bits", "the API server would round it; write it as a string")
        return int.__repr__(value)
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, dict | list):
        return "{}" if isinstance(value, dict) else "[]"
    raise _UnwritableError(f"a {type(value).__name__} cannot be written as YAML", "use dict, list, str, int, float, bool or None")


def _float(value: float) -> str:
    """Write a float with a point and a signed exponent: YAML 1.1 takes ``1e22`` for a text."""
    text = float.__repr__(value)
    if text in ("nan", "inf", "-inf"):
        raise _UnwritableError(f"{text} cannot be written", "JSON, and so Kubernetes, knows only finite numbers")
    mantissa, exponent, power = text.partition("e")
    return f"{mantissa}{'' if '.' in mantissa else '.0'}{exponent}{power}"


def _text(text: str) -> str:
    if _BARE.fullmatch(text) and not _NUMBER_LIKE.fullmatch(text) and text.lower() not in _WORDS:
        return text
    if _SURROGATE.search(text) is not None:
        raise _UnwritableError("the text holds half a surrogate pair", "decode it properly; it is no valid Unicode text")
    return f'"{_ESCAPED.sub(_escape, text)}"'


def _escape(found: re.Match[str]) -> str:
    char = found[0]
    return _SHORT.get(char) or f"\\u{ord(char):04x}"
