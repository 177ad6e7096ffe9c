"""Keep what is printed within the columns of the terminal."""

from __future__ import annotations

import re
import shutil

from crossgate.wrapping import wrapped

_ITEM = re.compile(r"[ ]*(?:[-*]|[0-9]+\.)[ ]+")
_KEPT = re.compile(r"[ ]{4}|#|\||$")
"""How lines of Markdown begin that stand as they are: code, headings, tables, nothing."""


def columns() -> int:
    """Return the columns of the terminal; 80 where there is none."""
    return shutil.get_terminal_size((80, 24)).columns


def row(head: str, text: str, width: int = 0) -> str:
    """Return a row of a table whose last cell goes on below itself.

    Args:
        head: the cells before it, with the space behind them.
        text: the last cell.
        width: in columns; 0 takes the terminal's.
    """
    indent = " " * len(head)
    return "\n".join(_wrapped(text, width or columns(), head, indent)) if text else head.rstrip()


def page(markdown: str, width: int = 0) -> str:
    """Return a page whose paragraphs and items are filled anew; code, headings and tables stand as they are.

    Args:
        markdown: the page.
        width: in columns; 0 takes the terminal's.
    """
    width = width or columns()
    written: list[str] = []
    block: list[str] = []
    fenced = False

    def fill() -> None:
        if block:
            item = _ITEM.match(block[0])
            lead = item[0] if item else ""
            text = " ".join([block[0][len(lead) :].strip(), *(line.strip() for line in block[1:])])
            written.extend(_wrapped(text, width, lead, " " * len(lead)))
            block.clear()

    for line in markdown.splitlines():
        fence = line.lstrip().startswith("```")
        if fenced or fence or _KEPT.match(line):
            fill()
            written.append(line)
            fenced = fenced != fence
            continue
        if _ITEM.match(line):
            fill()
        block.append(line)
    fill()
    return "\n".join(written) + "\n"


def _wrapped(text: str, width: int, first: str, rest: str) -> list[str]:
    return wrapped(text, max(width, len(rest) + 20), first, rest)
