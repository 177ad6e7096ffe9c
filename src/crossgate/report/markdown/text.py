r"""Put somebody else's words into Markdown so that they stay words.

Names, values and messages come from the pull request. GitHub, GitLab and the like turn ``@name``, ``#1``, ``GH-1``, commit ids, addresses
and ``:emoji:`` into links after Markdown is read, so a backslash does not help. They leave code alone. So every word that is not made of
plain letters stands in a code span, and nothing outside of one can mean anything.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

from crossgate.report.visible import shown

LONGEST = 400
"""Signs of one message or name."""

_PLAIN = re.compile(r"[\"'(]*[A-Za-z]+(?:['-][a-z]+)*[\"')]*[.,;:!?]?|[0-9]{1,6}(?:\.[0-9]{1,2})?|--[a-z]+(?:-[a-z]+)*")
_TRAILING = re.compile(r"(.+?)([.,;:]?)")


def code(text: str, longest: int = LONGEST) -> str:
    """Return a code span; empty for an empty text."""
    text = shown(text, longest)
    if not text.strip():
        return "`(blank)`" if text else ""
    ticks = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
    space = " " if text[0] in "` " or text[-1] in "` " else ""
    return f"{ticks}{space}{text}{space}{ticks}"


def prose(text: str, longest: int = LONGEST) -> str:
    """Return a sentence: plain words as they are, all else in code spans."""
    said: list[str] = []
    strange: list[str] = []
    for word in shown(text, longest).split():
        if _PLAIN.fullmatch(word):
            said += _spans(strange)
            said.append(word)
            strange = []
        else:
            strange.append(word)
            if word.endswith(":"):  # it says what comes before it of what comes after it
                said += _spans(strange)
                strange = []
    return " ".join((*said, *_spans(strange))) or code(text)


def _spans(words: list[str]) -> list[str]:
    if not words:
        return []
    matched = _TRAILING.fullmatch(" ".join(words))
    text, end = matched.groups() if matched else (" ".join(words), "")
    return [code(text, longest=len(text)) + end]


def row(*cells: str) -> str:
    """Return a row of a table. A pipe would end its cell, also within a code span."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def tag(text: str, longest: int = LONGEST) -> str:
    """Return a text for inside an HTML element, as code; Markdown is not read there, but links are made."""
    return f"<code>{html.escape(shown(text, longest))}</code>"


def fence(lines: Iterable[str], language: str) -> str:
    """Return a block of code, in a fence that none of its lines can close."""
    body = "\n".join(lines)
    ticks = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", body)), 0)
    return f"{ticks}{language}\n{body}\n{ticks}"
