"""Fit the parts of a comment into what GitHub takes: whole blocks only, the rest counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from crossgate.report import inert

LIMIT = 65_000
"""Bytes of a comment.

GitHub refuses a longer body with "maximum is 65536 characters". What it counts differs by place (measured by others: 262,144 bytes in a
comment, 65,536 code points in a description), so we stay under the number in bytes, which is the least in every reading.
"""


@dataclass(frozen=True, slots=True)
class Section:
    """One part. ``blocks`` are never cut; of what is left it may take ``share`` parts against the shares of those that follow.

    ``head`` is its title (and a table's head), ``noun`` names what its blocks are, in the plural. A ``folded`` one is closed at first.
    """

    head: str
    blocks: Sequence[str]
    noun: str
    share: int
    between: str = "\n"
    folded: bool = False


def fitted(start: str, sections: Sequence[Section], end: str, whole: str) -> str:
    """Join the parts, the most important first. Where blocks are left out, a line says how many, and that ``whole`` shows them."""
    left = LIMIT - _size(start) - _size(end)
    wanted = [section for section in sections if section.blocks]
    parts = [start]
    for index, section in enumerate(wanted):
        shares = sum(later.share for later in wanted[index:])
        text = _filled(section, left * section.share // shares, whole)
        left -= _size(text)
        parts.append(text)
    return "\n\n".join((*parts, end)) + "\n"


def _filled(section: Section, room: int, whole: str) -> str:
    before, after = (f"<details><summary>{section.head}</summary>\n\n", "\n\n</details>") if section.folded else (f"{section.head}\n", "")
    count = len(section.blocks)
    room -= sum(map(_size, (before, _left_out(count, section.noun, whole), after)))
    kept = []
    for block in section.blocks:
        size = _size(block) + len(section.between)
        if size <= room:
            kept.append(block)
            room -= size
    text = before + section.between.join(kept)
    return text + (f"\n\n{_left_out(count - len(kept), section.noun, whole)}" if len(kept) < count else "") + after


def _left_out(count: int, noun: str, whole: str) -> str:
    return f"**{count}** {noun} left out here to fit into a comment: {whole} shows all."


def _size(text: str) -> int:
    """Return the bytes that a text takes once it is written."""
    return len(inert(text).encode()) + 2
