"""Read anchors, aliases, tags and directives out of a YAML text, as go-yaml v2 does.

Each function takes the scanner at the first character and moves it behind the last.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crossgate.load.scan import Scanner

_BREAKS = "\r\n\x85\u2028\u2029"
_BLANKZ = frozenset(" \t" + _BREAKS + "\0")
_AFTER_ANCHOR = _BLANKZ | frozenset("?:,]}%@`")

_NAME = re.compile("[0-9A-Za-z_-]*")
_URI = re.compile(r"(?:[0-9A-Za-z_\-;/?:@&=+$,.!~*'()\[\]]|%[0-9A-Fa-f]{2})*")
_OCTETS = re.compile("(?:%[0-9A-Fa-f]{2})+")
_VERSION = re.compile("[0-9]{1,2}\\.[0-9]{1,2}(?![0-9])")
_BLANKS = re.compile("[ \t]*")
_LINE_REST = re.compile(f"[ \t]*(?:#[^{_BREAKS}\0]*)?")


def anchor(scanner: Scanner) -> str:
    """Read ``&name`` or ``*name``; return the name."""
    scanner.at += 1
    name = _take(scanner, _NAME)
    if not name or scanner.text[scanner.at] not in _AFTER_ANCHOR:
        scanner.fail("the name of an anchor or alias is made of letters, digits, '_' and '-'")
    return name


def tag(scanner: Scanner) -> tuple[str, str]:
    """Read a tag; return its handle (empty for ``!<…>`` and ``!``) and its suffix."""
    text = scanner.text
    if text[scanner.at + 1] == "<":
        scanner.at += 2
        handle, suffix = "", _uri(scanner, "")
        if text[scanner.at] != ">":
            scanner.fail("the tag lacks its closing '>'")
        scanner.at += 1
    else:
        handle = _handle(scanner)
        if len(handle) > 1 and handle.endswith("!"):
            suffix = _uri(scanner, "")
        else:
            handle, suffix = "!", _uri(scanner, handle)
            if not suffix:
                handle, suffix = "", "!"
    if text[scanner.at] not in _BLANKZ:
        scanner.fail("a tag must be followed by white space")
    return handle, suffix


def directive(scanner: Scanner) -> tuple[str, str, str]:
    """Read a ``%`` line; return ("YAML", version, "") or ("TAG", handle, prefix)."""
    text = scanner.text
    scanner.at += 1
    name = _take(scanner, _NAME)
    if not name or text[scanner.at] not in _BLANKZ:
        scanner.fail("the name of the directive is missing or holds other characters than letters")
    _take(scanner, _BLANKS)
    value = prefix = ""
    if name == "YAML":
        value = _take(scanner, _VERSION)
        if not value:
            scanner.fail("the version of %YAML is missing")
    elif name == "TAG":
        value, prefix = _tag_directive(scanner)
    else:
        scanner.fail(f"the directive %{name} is not known")
    _take(scanner, _LINE_REST)
    if text[scanner.at] not in _BREAKS and text[scanner.at] != "\0":
        scanner.fail("the line of a directive must end here")
    if text[scanner.at] != "\0":
        scanner.take_break()
    return name, value, prefix


def _tag_directive(scanner: Scanner) -> tuple[str, str]:
    text = scanner.text
    if text[scanner.at] != "!":
        scanner.fail("the handle of %TAG must start with '!'")
    handle = _handle(scanner)
    if handle != "!" and not handle.endswith("!"):
        scanner.fail("the handle of %TAG must end with '!'")
    if text[scanner.at] not in " \t":
        scanner.fail("white space is missing after the handle of %TAG")
    _take(scanner, _BLANKS)
    prefix = _uri(scanner, "")
    if text[scanner.at] not in _BLANKZ:
        scanner.fail("white space is missing after the prefix of %TAG")
    return handle, prefix


def _handle(scanner: Scanner) -> str:
    start = scanner.at
    scanner.at += 1
    _take(scanner, _NAME)
    if scanner.text[scanner.at] == "!":
        scanner.at += 1
    return scanner.text[start : scanner.at]


def _uri(scanner: Scanner, head: str) -> str:
    """Read the rest of a tag. ``head`` is what was taken for its handle; its "!" is not part of the result."""
    uri = _OCTETS.sub(lambda found: _octets(scanner, found[0]), _take(scanner, _URI))
    if scanner.text[scanner.at] == "%":
        scanner.fail("'%' in a tag must be followed by two hexadecimal digits")
    if not head and not uri:
        scanner.fail("the tag is empty")
    return head[1:] + uri


def _octets(scanner: Scanner, escaped: str) -> str:
    try:
        return bytes.fromhex(escaped.replace("%", "")).decode()
    except UnicodeDecodeError:
        scanner.fail(f"{escaped} in a tag is not UTF-8")


def _take(scanner: Scanner, pattern: re.Pattern[str]) -> str:
    found = pattern.match(scanner.text, scanner.at)
    if found is None:
        return ""
    scanner.at = found.end()
    return found[0]
