"""Show what hides: signs that take no room, turn the direction of a line, or look like a space."""

from __future__ import annotations

import re
import unicodedata

_HIDING = frozenset(["Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs", "Me"])
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0\u034f\u17b4\u17b5") | {
    chr(code) for code in (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
}
"""Letters and marks that Unicode says to draw as nothing (Default_Ignorable_Code_Point), and the blank of Braille."""

_STACKED = re.compile(r"[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{3,}")
"""Marks over one letter; so many reach into the lines around it."""


def visible(text: str) -> str:
    r"""Return one line in which every sign shows: what does not is written as its escape, a line end as ``\n``."""
    if text.isascii() and text.isprintable():
        return text
    text = _STACKED.sub(lambda marks: "".join(map(_escape, marks.group())), text)
    return "".join(sign if sign == " " or not _hides(sign) else _escape(sign) for sign in text)


def _hides(sign: str) -> bool:
    return unicodedata.category(sign) in _HIDING or sign in _BLANK


def _escape(sign: str) -> str:
    named = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}
    return named.get(sign) or (f"\\u{ord(sign):04x}" if ord(sign) < 0x10000 else f"\\U{ord(sign):08x}")


def shown(text: str, longest: int) -> str:
    """Return one line of at most ``longest`` signs, all of which show. What is not shown is not looked at: values may be megabytes."""
    return cut(visible(cut(text, longest)), longest)


def cut(text: str, longest: int) -> str:
    """Return a text of at most ``longest`` signs; of a longer one the start and the end."""
    return text if len(text) <= longest else f"{text[: longest - longest // 3 - 1]}…{text[len(text) - longest // 3 :]}"
