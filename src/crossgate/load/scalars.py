"""Read one scalar out of a YAML text: plain, quoted, or a block (``|`` and ``>``), as go-yaml v2 folds it.

Each function takes the scanner at the scalar's first character, moves it behind the last and returns the text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crossgate.load.scan import Scanner

_BREAKS = "\r\n\x85\u2028\u2029"
_BLANKZ = " \t" + _BREAKS + "\0"
_WHITE = frozenset(" \t" + _BREAKS)

_PLAIN_BLOCK = re.compile(f"(?:[^:{_BLANKZ}]|:(?![{_BLANKZ}]))+")
_PLAIN_FLOW = re.compile(f"(?:[^:,?\\[\\]{{}}{_BLANKZ}]|:(?![{_BLANKZ}]))+")
_SINGLE = re.compile(f"(?:[^'{_BLANKZ}]|'')+")
_DOUBLE = re.compile(f'[^"\\\\{_BLANKZ}]+')
_LINE = re.compile(f"[^{_BREAKS}\0]*")
_BLANKS = re.compile("[ \t]+")
_HEADER = re.compile(f"(?:([-+])([0-9])?|([0-9])([-+])?)?[ \t]*(?:#[^{_BREAKS}\0]*)?")
_HEX = re.compile("[0-9a-fA-F]*")

ESCAPES = dict(zip("0abt\tnvfre \"'\\N_LP", "\0\a\b\t\t\n\v\f\r\x1b \"'\\\x85\xa0\u2028\u2029", strict=True))
_HEX_LENGTH = {"x": 2, "u": 4, "U": 8}


def plain(scanner: Scanner) -> str:
    """Read an unquoted scalar, which may go on over lines that are indented deeper than the block around it."""
    text, indent, flow = scanner.text, scanner.indent + 1, scanner.flow
    run = _PLAIN_FLOW if flow else _PLAIN_BLOCK
    parts: list[str] = []
    white = ""
    crossed = False
    while not scanner.at_document_indicator() and text[scanner.at] != "#":
        found = run.match(text, scanner.at)
        if found is not None:
            parts += (white, found[0])
            white, crossed = "", False
            scanner.at = found.end()
        if text[scanner.at] not in _WHITE:
            break
        white, crossed = _white(scanner, indent)
        if crossed and not flow and scanner.column < indent:
            break
    if crossed:
        scanner.key_allowed = True
    return "".join(parts)


def quoted(scanner: Scanner, quote: str) -> str:
    """Read a scalar in ``'`` or ``"``."""
    text = scanner.text
    start = scanner.at
    scanner.at += 1
    parts: list[str] = []
    while True:
        if scanner.at_document_indicator():
            scanner.fail("a document separator stands inside a quoted text; is its closing quote missing?")
        if text[scanner.at] == "\0":
            scanner.at = start
            scanner.fail(f"the closing {quote} is missing")
        escaped_break = _single(scanner, parts) if quote == "'" else _double(scanner, parts)
        if text[scanner.at] == quote:
            scanner.at += 1
            return "".join(parts)
        if escaped_break or text[scanner.at] in _WHITE:
            parts.append(_white(scanner, 0, joined=escaped_break)[0])


def block(scanner: Scanner, *, literal: bool) -> str:
    """Read a literal (``|``) or folded (``>``) block scalar."""
    text = scanner.text
    scanner.at += 1
    header = _HEADER.match(text, scanner.at)
    scanner.at = header.end()  # type: ignore[union-attr]  # the pattern matches the empty string
    sign, after, before, second = header.groups()  # type: ignore[union-attr]  # the pattern matches the empty string
    digit = after or before
    if digit == "0":
        scanner.fail("the indentation of a block text cannot be 0")
    if text[scanner.at] not in _BREAKS and text[scanner.at] != "\0":
        scanner.fail("only an indentation, '+' or '-' and a comment may follow '|' or '>'")
    if text[scanner.at] != "\0":
        scanner.take_break()
    indent = max(scanner.indent, 0) + int(digit) if digit else 0
    indent, breaks = _block_breaks(scanner, indent)

    parts: list[str] = []
    leading_break = ""
    leading_blank = False
    while scanner.column == indent and text[scanner.at] != "\0":
        blank = text[scanner.at] in " \t"
        if not literal and leading_break == "\n" and not leading_blank and not blank:
            if not breaks:
                parts.append(" ")
        else:
            parts.append(leading_break)
        parts.append(breaks)
        leading_blank = blank
        line = _LINE.match(text, scanner.at)
        parts.append(line[0])  # type: ignore[index]  # the pattern matches the empty string
        scanner.at = line.end()  # type: ignore[union-attr]  # the pattern matches the empty string
        leading_break = _take_break(scanner)
        _, breaks = _block_breaks(scanner, indent)

    chomping = sign or second
    if chomping != "-":
        parts.append(leading_break)
    if chomping == "+":
        parts.append(breaks)
    return "".join(parts)


def _white(scanner: Scanner, indent: int, *, joined: bool = False) -> tuple[str, bool]:
    """Step over blanks and line breaks; return the text that they fold to, and whether a line break was among them.

    ``joined`` says that an escaped line break came before: then blanks are dropped and the first break counts.
    """
    text = scanner.text
    blanks = ""
    first = "" if joined else None
    more: list[str] = []
    while text[scanner.at] in _WHITE:
        found = _BLANKS.match(text, scanner.at)
        if found is None:
            taken = _take_break(scanner)
            if first is None:
                first = taken
            else:
                more.append(taken)
            continue
        if first is None:
            blanks = found[0]
        elif "\t" in found[0] and scanner.column + found[0].index("\t") < indent:
            scanner.fail("a tab cannot indent")
        scanner.at = found.end()
    if first is None:
        return blanks, False
    if first == "\n":
        return "".join(more) or " ", True
    return first + "".join(more), True


def _take_break(scanner: Scanner) -> str:
    """Step over a line break, if one is here, and return what it reads as: LF, except for LS and PS."""
    char = scanner.text[scanner.at]
    if char not in _BREAKS:
        return ""
    scanner.take_break()
    return char if char in "\u2028\u2029" else "\n"


def _single(scanner: Scanner, parts: list[str]) -> bool:
    found = _SINGLE.match(scanner.text, scanner.at)
    if found is not None:
        parts.append(found[0].replace("''", "'"))
        scanner.at = found.end()
    return False


def _double(scanner: Scanner, parts: list[str]) -> bool:
    """Read up to white space or the closing quote; True when an escaped line break ended the run."""
    text = scanner.text
    while True:
        found = _DOUBLE.match(text, scanner.at)
        if found is not None:
            parts.append(found[0])
            scanner.at = found.end()
        if text[scanner.at] != "\\":
            return False
        char = text[scanner.at + 1]
        if char in _BREAKS:
            scanner.at += 1
            scanner.take_break()
            return True
        if char in ESCAPES:
            parts.append(ESCAPES[char])
            scanner.at += 2
        else:
            parts.append(_escaped_code(scanner, char))


def _escaped_code(scanner: Scanner, char: str) -> str:
    length = _HEX_LENGTH.get(char)
    if length is None:
        scanner.fail(f"\\{char} is not an escape that YAML 1.1 knows" if char != "\0" else "the closing quote is missing")
    digits = _HEX.match(scanner.text, scanner.at + 2, scanner.at + 2 + length)
    if len(digits[0]) < length:  # type: ignore[index]  # the pattern matches the empty string
        scanner.fail(f"\\{char} must be followed by {length} hexadecimal digits")
    code = int(digits[0], 16)  # type: ignore[index]  # the pattern matches the empty string
    if 0xD800 <= code <= 0xDFFF or code > 0x10FFFF:
        scanner.fail(f"\\{char}{code:0{length}x} is not a character of Unicode")
    scanner.at += 2 + length
    return chr(code)


def _block_breaks(scanner: Scanner, indent: int) -> tuple[int, str]:
    """Step over the indentation and empty lines; return the indentation (found out when 0) and the line breaks."""
    text = scanner.text
    deepest = 0
    breaks: list[str] = []
    while True:
        at = scanner.at
        limit = scanner.line_start + indent if indent else len(text)
        while at < limit and text[at] == " ":
            at += 1
        scanner.at = at
        deepest = max(deepest, scanner.column)
        if text[at] == "\t" and (not indent or scanner.column < indent):
            scanner.fail("a tab cannot indent")
        if text[at] not in _BREAKS:
            break
        breaks.append(_take_break(scanner))
    return indent or max(deepest, scanner.indent + 1, 1), "".join(breaks)
