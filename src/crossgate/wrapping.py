"""Break a line where it is too wide."""

from __future__ import annotations

import textwrap


def wrapped(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    """Return the lines of a text, whose names (of files, hosts, rules) are never broken; none of an empty one.

    Args:
        text: one line.
        width: in columns, with what each line begins with.
        first: what the first line begins with.
        rest: what those after it begin with.
    """
    return textwrap.wrap(text, width, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False)
