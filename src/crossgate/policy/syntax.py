"""Just enough of Rego's syntax to know what a file holds before an engine reads it.

An engine says whether a policy compiles; it does not say which rules decide, which built-ins are called or
where. One pass over the tokens does, in about a millisecond for a whole rule pack (the engine's syntax tree
is a hundred times the size of the source).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

DECIDES = re.compile(r"(?:deny|violation|warn)(?:_[a-zA-Z0-9]+)*\Z")
"""Rule names that decide, as conftest knows them: ``deny``, ``deny_x``, ``violation``, ``violation_x``, ``warn``, ``warn_x``."""

_TOKEN = re.compile(
    r"""
      (?P<newline>\n)
    | (?P<space>[ \t\r]+)
    | (?P<comment>\#[^\n]*)
    | (?P<raw>`[^`]*`)
    | (?P<string>"(?:[^"\\\n]|\\.)*")
    | (?P<word>[A-Za-z_][A-Za-z0-9_]*)
    | (?P<other>.)
    """,
    re.VERBOSE,
)
_KEYWORDS = frozenset(
    ("as", "contains", "default", "else", "every", "false", "if", "import", "in", "not", "null", "package", "some", "true", "with")
)


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a function: its dotted name and the line it stands on."""

    name: str
    line: int


@dataclass(frozen=True, slots=True)
class Outline:
    """What a Rego file holds: its package, what it imports, the rules that it opens and the functions it calls.

    ``rules`` maps each rule's name to the line of its first body, ``functions`` are the rules with arguments,
    ``imported`` are the names that imports bind.
    """

    package: tuple[str, ...]
    package_line: int
    rules: dict[str, int]
    functions: frozenset[str]
    imported: frozenset[str]
    calls: tuple[Call, ...]

    @property
    def deciding(self) -> dict[str, int]:
        """Return the rules whose results are findings."""
        return {name: line for name, line in self.rules.items() if DECIDES.match(name)}


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    line: int
    opens_line: bool
    depth: int
    start: int


def outline(text: str) -> Outline:
    """Read the outline of a Rego file. Text that is no Rego gives an outline without package or rules."""
    tokens = list(_tokens(text))
    package: tuple[str, ...] = ()
    package_line = 0
    rules: dict[str, int] = {}
    functions: set[str] = set()
    imported: set[str] = set()
    calls: list[Call] = []
    for index, token in enumerate(tokens):
        if token.kind != "word":
            continue
        if token.text == "package" and token.opens_line and not package:
            package, package_line = _reference(tokens, index + 1)[0], token.line
        elif token.text == "import" and token.opens_line and token.depth == 0:
            imported.add(_bound_by_import(tokens, index + 1))
        elif token.opens_line and token.depth == 0 and (token.text == "default" or token.text not in _KEYWORDS):
            name = tokens[index + 1] if token.text == "default" and index + 1 < len(tokens) else token
            rules.setdefault(name.text, name.line)
            if _opens(tokens, index + 1):
                functions.add(name.text)
        if _is_start_of_call(tokens, index):
            name_of_call, end = _reference(tokens, index)
            if _opens(tokens, end) and not (token.opens_line and token.depth == 0):
                calls.append(Call(".".join(name_of_call), token.line))
    return Outline(package, package_line, rules, frozenset(functions), frozenset(imported), tuple(calls))


def without_aliases(text: str) -> str:
    """Return the text with imported packages written out where they are used (``lib.x`` as ``data.a.lib.x``).

    The embedded engine takes an alias for the whole package, and works out all its rules to answer for one of
    them. Lines stay where they are.
    """
    tokens = list(_tokens(text))
    aliases: dict[str, str] = {}
    for index, token in enumerate(tokens):
        if token.text == "import" and token.opens_line and token.depth == 0:
            parts, _ = _reference(tokens, index + 1)
            if parts[:1] == ("data",) and len(parts) > 1 and all(part.isidentifier() for part in parts):
                aliases[_bound_by_import(tokens, index + 1)] = ".".join(parts)
    if not aliases:
        return text
    written: list[str] = []
    end = 0
    for index, token in enumerate(tokens[:-1]):
        used = token.kind == "word" and token.text in aliases and tokens[index + 1].text in (".", "[")
        if used and (index == 0 or tokens[index - 1].text not in (".", "import", "as")):
            written += [text[end : token.start], aliases[token.text]]
            end = token.start + len(token.text)
    return "".join([*written, text[end:]])


def _tokens(text: str) -> Iterator[_Token]:
    line, depth, opens_line = 1, 0, True
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "other"
        if kind == "newline":
            line, opens_line = line + 1, True
            continue
        if kind in ("space", "comment"):
            continue
        value = match.group()
        if value in (")", "]", "}"):
            depth = max(depth - 1, 0)
        yield _Token(kind, value, line, opens_line, depth, match.start())
        if kind == "other" and value in ("(", "[", "{"):
            depth += 1
        opens_line = False
        line += value.count("\n")


def _reference(tokens: list[_Token], index: int) -> tuple[tuple[str, ...], int]:
    """Return the parts of the dotted reference at ``index`` and the index after it."""
    parts: list[str] = []
    while index < len(tokens):
        token = tokens[index]
        if token.kind == "word" and (not parts or tokens[index - 1].text == "."):
            parts.append(token.text)
            index += 1
        elif parts and token.text == "." and index + 1 < len(tokens) and tokens[index + 1].kind == "word":
            index += 1
        elif (
            parts and token.text == "[" and index + 2 < len(tokens) and tokens[index + 1].kind == "string" and tokens[index + 2].text == "]"
        ):
            parts.append(tokens[index + 1].text[1:-1])
            index += 3
        else:
            break
    return tuple(parts), index


def _bound_by_import(tokens: list[_Token], index: int) -> str:
    parts, end = _reference(tokens, index)
    if end + 1 < len(tokens) and tokens[end].text == "as":
        return tokens[end + 1].text
    return parts[-1] if parts else ""


def _is_start_of_call(tokens: list[_Token], index: int) -> bool:
    return (tokens[index].text not in _KEYWORDS or tokens[index].text == "contains") and (index == 0 or tokens[index - 1].text != ".")


def _opens(tokens: list[_Token], index: int) -> bool:
    return index < len(tokens) and tokens[index].text == "("
