"""The values of the quick reader: scalars and flow collections on one line, block texts, and JSON.

Each function answers only where its answer is that of the exact reader, and otherwise raises ``GiveUpError``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from crossgate.load import scalars
from crossgate.load.resolve import SUSPECT, ScalarError, json_number, key_text, plain
from crossgate.load.scan import Scanner

_MAX_KEY = 1000
"""go-yaml takes keys of 1,024 characters; in JSON one may be written with six times as many as it has."""

_MAX_DEPTH = 60

_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))")
_FLOW_WORD = r"(?:[^\s:,?\[\]{}\#]++|:(?=[^\s,?\[\]{}]))++"
_FLOW_TOKEN = re.compile(
    rf"""
    \ *+ (?:
        ([\[\]{{}},])
      | ( "(?:[^"\\\n]++|\\.)*+" | '(?:[^'\n]++|'')*+' ) \ *+ (:)?+
      | ( (?:[\w./$(~+=]|-(?=[^\s:,?\[\]{{}}])) (?:{_FLOW_WORD})?+ (?:\ ++{_FLOW_WORD})*+ ) \ *+ (:(?=\ ))?+
    )
    """,
    re.VERBOSE,
)
_LINE_END = re.compile(r" *(?:(?<= )#.*)?\n")
_WINDOW = 64
_JSON_ONLY = re.compile(r"(?<!\\)(?:\\\\)*\\(?:/|u[dD][89abAB])|\n\s*:|\s{99}")
"""JSON that YAML reads otherwise or not at all: two escapes, and a colon far from its key."""


class GiveUpError(Exception):
    """The exact reader must look at this document."""


@lru_cache(maxsize=20_000)
def key_name(key: str) -> str:
    """Return the text of a key as it is written, quotes and all."""
    if key[0] in "\"'":
        return _unquote(key)
    if key.startswith("..."):
        raise GiveUpError
    if key[0] not in SUSPECT:
        return key
    try:
        return key_text(plain(key))
    except ScalarError:
        raise GiveUpError from None


@lru_cache(maxsize=20_000)
def _resolved(text: str) -> Any:
    value = plain(text)
    if type(value) is not float:
        return value
    try:
        return json_number(value)
    except ScalarError:
        raise GiveUpError from None


def _unquote(text: str) -> str:
    inside = text[1:-1]
    if text[0] == "'":
        return inside.replace("''", "'") if "'" in inside else inside
    return _ESCAPE.sub(_unescape, inside) if "\\" in inside else inside


def _unescape(found: re.Match[str]) -> str:
    if found[4] is not None:
        if found[4] not in scalars.ESCAPES:
            raise GiveUpError
        return scalars.ESCAPES[found[4]]
    code = int(found[1] or found[2] or found[3], 16)
    if 0xD800 <= code <= 0xDFFF or code > 0x10FFFF:
        raise GiveUpError
    return chr(code)


def _flow(text: str) -> Any:
    """Read a flow collection on one line."""
    if text == "{}":
        return {}
    if text == "[]":
        return []
    if "{{" in text:
        raise GiveUpError
    value, at = _flow_node(text, 0, 0)
    if at != len(text):
        raise GiveUpError
    return value


def _flow_node(text: str, at: int, depth: int) -> tuple[Any, int]:
    mark, scalar, colon, at = _flow_token(text, at)
    if scalar and not colon:
        reader = READERS.get(scalar[0])
        return (scalar if reader is None else reader(scalar)), at
    if colon or mark not in ("[", "{") or depth > _MAX_DEPTH:
        raise GiveUpError
    found: Any = [] if mark == "[" else {}
    closing = "]" if mark == "[" else "}"
    while True:
        mark, scalar, colon, after = _flow_token(text, at)
        if mark == closing and not found:
            return found, after
        if closing == "]":
            value, at = _flow_node(text, at, depth + 1)
            found.append(value)
        else:
            if not colon:
                raise GiveUpError
            name = key_name(scalar)
            if name in found:
                raise GiveUpError
            found[name], at = _flow_node(text, after, depth + 1)
        mark, scalar, colon, at = _flow_token(text, at)
        if mark == closing:
            return found, at
        if mark != ",":
            raise GiveUpError


def _flow_token(text: str, at: int) -> tuple[str, str, str, int]:
    found = _FLOW_TOKEN.match(text, at)
    if found is None or (found.end() - at > _MAX_KEY and (found[3] or found[5])):
        raise GiveUpError
    return found[1] or "", found[2] or found[4] or "", found[3] or found[5] or "", found.end()


READERS: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys(SUSPECT, _resolved),
    **dict.fromkeys("\"'", _unquote),
    **dict.fromkeys("[{", _flow),
}
"""What reads a value, by its first character; a plain one that starts with any other is the text itself."""


def block(header: str, lines: list[str], start: int, column: int) -> tuple[str, int]:
    """Read a block text whose lines begin at ``start``; return it and the number of its lines."""
    end = start
    last = len(lines) - 1
    while end < last and (not (bare := lines[end].lstrip(" ")) or len(lines[end]) - len(bare) > column):
        end += 1
    first = lines[start] if start < end else ""
    indent = len(first) - len(first.lstrip(" "))
    if indent == len(first):
        raise GiveUpError
    texts: list[str] = []
    for line in lines[start:end]:
        text = line[indent:]
        if len(line) - len(line.lstrip(" ")) < indent and line.strip(" "):
            raise GiveUpError
        texts.append(text)
    content = len(texts)
    while not texts[content - 1]:
        content -= 1
    joined = "\n".join(texts[:content]) if header[0] == "|" else _folded(texts[:content])
    ending = {"-": 0, "+": len(texts) - content + 1}.get(header[1:], 1)
    return joined + "\n" * ending, end - start


def _folded(texts: list[str]) -> str:
    parts: list[str] = []
    breaks = -1
    for text in texts:
        if text.startswith(" "):
            raise GiveUpError
        if not text:
            breaks += 1
            continue
        parts += ("" if not parts else "\n" * breaks or " ", text)
        breaks = 0
    return "".join(parts)


def continued(raw: str, lines: list[str], start: int, index: int, column: int) -> tuple[str, int]:
    """Read a plain text that starts with ``raw`` at the end of line ``start`` and goes on in line ``index``.

    Returns it and the number of lines from ``index`` on that belong to it.
    """
    line = lines[start].rstrip(" ")
    commented = not line.endswith(raw) or "#" in line[: -len(raw)]
    if commented or any(between.strip(" ") for between in lines[start + 1 : index]):
        raise GiveUpError
    scanner = _scanner(lines, start, len(line) - len(raw), column)
    text = scalars.plain(scanner)
    cut = scanner.text[scanner.at] == "\0" and start + _WINDOW < len(lines)
    if cut or scanner.text[scanner.line_start : scanner.at].strip(" ") or scanner.line <= index - start:
        raise GiveUpError
    return text, scanner.line - (index - start)


def quoted(lines: list[str], index: int, start: str) -> tuple[str, int]:
    """Read a quoted text that begins with ``start`` at the end of line ``index``; return it and how many lines it goes on."""
    scanner = _scanner(lines, index, len(lines[index]) - len(start), 0)
    text = scalars.quoted(scanner, scanner.text[scanner.at])
    if not _LINE_END.match(scanner.text, scanner.at):
        raise GiveUpError
    return text, scanner.line


def _scanner(lines: list[str], index: int, at: int, indent: int) -> Scanner:
    """Return a scanner that stands in line ``index``. It sees no more than the lines that such a text is likely to have."""
    scanner = Scanner("\n".join(lines[index : index + _WINDOW]) + "\n")
    scanner.at = at
    scanner.indent = indent
    return scanner


def json_document(text: str) -> Any:
    """Read a document that is JSON."""
    if _JSON_ONLY.search(text) is not None:
        raise GiveUpError
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        raise GiveUpError from None


def _json_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs) or any(len(key) > _MAX_KEY // 6 for key in found):
        raise GiveUpError
    return found


def _json_constant(name: str) -> Any:
    raise GiveUpError


_DECODER = json.JSONDecoder(object_pairs_hook=_json_object, parse_int=_resolved, parse_float=_resolved, parse_constant=_json_constant)
