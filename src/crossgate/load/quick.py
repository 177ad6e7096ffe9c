"""Read the YAML that most manifests are written in, many times as fast as the exact reader.

This is the subset that people and tools write: block mappings and lists with one entry a line, scalars, flow
collections on one line, literal texts, comments; and JSON. ``quick`` answers only where its answer is that of
``compose`` and ``construct`` (a property test holds the two together) and otherwise gives up, so that everything
unusual, faulty or doubtful (anchors, tags, duplicate keys, tabs, odd indentation) is read by the exact reader.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

from crossgate.load.quick_values import READERS, GiveUpError, block, continued, json_document, key_name, quoted
from crossgate.load.scan import ScanError

MAX_DEPTH = 60
"""Deeper nesting is left to the exact reader, and its limit."""

_ODD = re.compile("[\0-\t\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
"""Tabs, marks, line breaks other than LF, and what may not stand in YAML at all."""

_WORD = r"(?:[^\s:]++|:(?=\S))++"
_PLAIN = rf"(?:[^\s\-?:,\[\]{{}}\#&*!|>'\"%@`]|-(?=\S))(?:{_WORD})?(?:\ ++(?!\#){_WORD})*+"
_QUOTED = r"""\"(?:[^"\\\n]++|\\.)*+\"|'(?:[^'\n]++|'')*+'"""
_LINE = re.compile(
    rf"""
    (\ *+)
    ((?:-\ ++)*+)
    (?: ([A-Za-z0-9_./][\w./-]{{0,200}}+(?:\ [\w./-]{{1,50}}+){{0,9}}+ | "[\w./\ -]{{0,200}}+" | '[\w./\ -]{{0,200}}+') :(?:\ ++|(?=\n)) )?+
    (?: ({_PLAIN} | {_QUOTED} | [\[{{][^\#\n]*[\]}}] | [|>][-+]?) | ([\"'].*+) )?+
    \ *+ (?:(?<![^\ \n])\#.*+)?+ \n
    | (.++)\n
    """,
    re.VERBOSE,
)
"""One line: indentation, dashes, key, value; or a quoted text that goes on in the next line; or a line of no such form."""

_START = re.compile(r"---(?: +#.*| *)\n")


def quick(text: str) -> tuple[Any, int] | None:
    """Return the value of a document and the index of the line where it starts, or None to give up."""
    if _ODD.search(text) is not None:
        return None
    try:
        return (json_document(text), 0) if text[0] == "{" else _lines(text)
    except (GiveUpError, ScanError):
        return None


def _lines(text: str) -> tuple[Any, int] | None:  # noqa: PLR0915  # a call for each line would take half as long again
    """Read a block mapping or list line by line.

    ``box`` is the innermost collection and ``column`` where its entries start; those around it are on ``boxes``
    and ``columns``. ``slot`` is the last key or index in ``box``; it is ``awaiting`` its value on the next lines,
    or holds the plain text ``raw`` of line ``raw_index``, which may go on there.
    """
    start = 0
    if text.startswith("---"):
        found = _START.match(text)
        if found is None:
            return None
        start = found.end()
    lines: list[str] = []
    first = -1
    root: list[Any] = [None]
    box: Any = root
    slot: Any = 0
    column = -1
    boxes: list[Any] = []
    columns: list[int] = []
    awaiting = True
    raw = ""
    raw_index = 0
    numbered = enumerate(_LINE.findall(text, start), 1 if start else 0)
    for index, (indent, dashes, key, value, open_quote, other) in numbered:
        at = len(indent)
        if not key and not value:
            if other:
                at = len(other) - len(other.lstrip(" "))
            elif not dashes and not open_quote:
                continue
        if at > column and raw:
            lines = lines or text.split("\n")
            box[slot], count = continued(raw, lines, raw_index, index, column)
            next(islice(numbered, count - 1, count - 1), None)
            raw = ""
            continue
        raw = ""
        if other:
            return None
        if awaiting:
            awaiting = False
            if at > column or (dashes and at == column and type(box) is dict):
                if first < 0:
                    first = index
                if (not key and not dashes) or len(boxes) > MAX_DEPTH:
                    return None
                boxes.append(box)
                columns.append(column)
                box[slot] = box = [] if dashes else {}
                column = at
        while at < column:
            box = boxes.pop()
            column = columns.pop()
        if at != column:
            return None
        if dashes:
            if type(box) is not list or len(dashes) > MAX_DEPTH:
                return None
            if len(dashes) > 2:
                for offset in [offset for offset, char in enumerate(dashes) if char == "-"][1:]:
                    boxes.append(box)
                    columns.append(column)
                    inner: list[Any] = []
                    box.append(inner)
                    box = inner
                    column = at + offset
            if key:
                boxes.append(box)
                columns.append(column)
                made: dict[str, Any] = {}
                box.append(made)
                box = made
                column = at + len(dashes)
        elif type(box) is list:
            box = boxes.pop()
            if columns.pop() != column or type(box) is not dict:
                return None
        if key:
            slot = key_name(key)
            if slot in box:
                return None
        elif dashes and (value or open_quote):
            slot = len(box)
            box.append(None)
        else:
            return None
        if open_quote:
            lines = lines or text.split("\n")
            box[slot], count = quoted(lines, index, open_quote)
            next(islice(numbered, count, count), None)
            continue
        if not value:
            box[slot] = None
            awaiting = True
            continue
        reader = READERS.get(value[0])
        if reader is not None:
            box[slot] = reader(value)
            if value[0] not in "\"'[{":
                raw = value
                raw_index = index
        elif value[0] in "|>":
            lines = lines or text.split("\n")
            box[slot], count = block(value, lines, index + 1, column)
            next(islice(numbered, count, count), None)
        else:
            raw = box[slot] = value
            raw_index = index
    return root[0], first
