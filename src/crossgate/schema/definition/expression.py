"""The text of a CEL rule as a tree: the grammar of the CEL specification, with macros left as calls."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

_TOKEN = re.compile(
    r"""(?P<space>[\t\n\f\r\ ]+|//[^\n]*)
    |(?P<string>(?:[bB]?[rR]|[rR][bB]?)(?:\"{3}.*?\"{3}|'{3}.*?'{3}|"[^"\n\r]*"|'[^'\n\r]*')
      |[bB]?(?:\"{3}(?:\\.|[^\\])*?\"{3}|'{3}(?:\\.|[^\\])*?'{3}|"(?:\\.|[^"\\\n\r])*"|'(?:\\.|[^'\\\n\r])*'))
    |(?P<number>0x[0-9a-fA-F]+[uU]?|(?:[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?)|[0-9]+[uU]?)
    |(?P<name>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<other>==|!=|<=|>=|&&|\|\||\[\?|\.\?|\{\?|[-+*/%<>!?:.,()\[\]{}])""",
    re.VERBOSE | re.DOTALL,
)
RESERVED = frozenset(
    (
        *("as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop"),
        *("package", "namespace", "return", "var", "void", "while"),
    )
)
"""Words that are no names in an expression."""
_LEVELS = (("||",), ("&&",), ("<", "<=", ">=", ">", "==", "!=", "in"), ("+", "-"), ("*", "/", "%"))
_DEEPEST = 250
"""Levels of nesting that the API server's parser takes."""


class ExpressionError(ValueError):
    """The text is no CEL."""


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A part of a rule. ``kind`` is literal, name, select, has, call, list, map or object; ``value`` the literal, name or function."""

    kind: str
    value: Any = None
    parts: tuple[Node, ...] = ()
    target: Node | None = None
    of: str = ""
    """The type of a literal, and ``?`` for a selection that may find nothing."""


def parse(text: str) -> Node:
    """Read a rule. Raises ExpressionError."""
    reader = _Reader(_tokens(text))
    try:
        node = reader.ternary()
    except RecursionError:
        raise ExpressionError("it is nested too deeply") from None
    if reader.word:
        raise ExpressionError(f"unexpected {reader.word!r}")
    return node


def _tokens(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise ExpressionError(f"unexpected {text[at : at + 10]!r}")
        at = match.end()
        if match.lastgroup != "space":
            found.append((match.lastgroup or "", match.group()))
    return found


class _Reader:
    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self.tokens = [*tokens, ("end", "")]
        self.at = 0
        self.depth = 0

    @property
    def word(self) -> str:
        return self.tokens[self.at][1] if self.tokens[self.at][0] != "string" else "a string"

    def take(self, *words: str) -> str:
        kind, word = self.tokens[self.at]
        if kind != "string" and word in words:
            self.at += 1
            return word
        return ""

    def expect(self, word: str) -> None:
        if not self.take(word):
            raise ExpressionError(f"expected {word!r} before {self.word or 'the end'!r}")

    def ternary(self) -> Node:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise ExpressionError("it is nested too deeply")
        node = self.binary(0)
        if self.take("?"):
            yes = self.binary(0)
            self.expect(":")
            node = Node("call", "_?_:_", (node, yes, self.ternary()))
        self.depth -= 1
        return node

    def binary(self, level: int) -> Node:
        if level == len(_LEVELS):
            return self.unary()
        node = self.binary(level + 1)
        while word := self.take(*_LEVELS[level]):
            node = Node("call", f"_{word}_", (node, self.binary(level + 1)))
        return node

    def unary(self) -> Node:
        for sign, name in (("!", "!_"), ("-", "-_")):
            times = 0
            while self.take(sign):
                times += 1
            if times:
                inner = self.member()
                if sign == "-" and inner.kind == "literal" and inner.of in ("int", "double") and times % 2:
                    return Node("literal", -inner.value, of=inner.of)
                _fits(inner)
                return Node("call", name, (inner,)) if times % 2 else inner
        node = self.member()
        _fits(node)
        return node

    def member(self) -> Node:
        node = self.primary()
        while True:
            if word := self.take(".", ".?"):
                node = self.selected(node, "?" if word == ".?" else "")
            elif word := self.take("[", "[?"):
                node = Node("call", "_[_]" if word == "[" else "_[?_]", (node, self.ternary()))
                self.expect("]")
            elif self.tokens[self.at] == ("other", "{") and node.kind in ("name", "select"):
                self.at += 1
                node = Node("object", _dotted(node), tuple(self.entries("}", fields=True)))
            else:
                return node

    def selected(self, node: Node, optional: str) -> Node:
        kind, name = self.tokens[self.at]
        if kind != "name" or name in ("in", "true", "false", "null"):
            raise ExpressionError(f"expected a field before {self.word or 'the end'!r}")
        self.at += 1
        if self.take("("):
            return Node("call", name, self.arguments(")"), target=node)
        return Node("select", name, target=node, of=optional)

    def primary(self) -> Node:
        kind, word = self.tokens[self.at]
        self.at += 1
        if kind == "number":
            return _number(word)
        if kind == "string":
            return _string(word)
        if kind == "name" and word in ("true", "false", "null"):
            return Node("literal", {"true": True, "false": False}.get(word), of="null" if word == "null" else "bool")
        if word == "." and kind == "other":
            kind, word = self.tokens[self.at]
            self.at += 1
        if kind == "name" and word != "in":
            if word in RESERVED:
                raise ExpressionError(f"{word} is a reserved word")
            return Node("call", word, self.arguments(")")) if self.take("(") else Node("name", word)
        if kind == "other" and word == "(":
            node = self.ternary()
            self.expect(")")
            return node
        if kind == "other" and word == "[":
            return Node("list", parts=self.arguments("]", optional=True))
        if kind == "other" and word == "{":
            return Node("map", parts=tuple(self.entries("}", fields=False)))
        raise ExpressionError(f"unexpected {word or 'end'!r}")

    def arguments(self, end: str, *, optional: bool = False) -> tuple[Node, ...]:
        found: list[Node] = []
        while not self.take(end):
            if optional:
                self.take("?")
            found.append(self.ternary())
            if not self.take(","):
                self.expect(end)
                break
            if end == ")" and self.tokens[self.at] == ("other", ")"):
                raise ExpressionError("unexpected ')' after ','")
        return tuple(found)

    def entries(self, end: str, *, fields: bool) -> list[Node]:
        found: list[Node] = []
        while not self.take(end):
            self.take("?")
            if fields:
                found.append(Node("literal", self.word, of="string"))
                self.at += 1
            else:
                found.append(self.ternary())
            self.expect(":")
            found.append(self.ternary())
            if not self.take(","):
                self.expect(end)
                break
        return found


def _fits(node: Node) -> None:
    """Refuse the one number that fits with a minus sign only."""
    if node.kind == "literal" and node.of == "int" and node.value == 2**63:
        raise ExpressionError(f"{node.value} does not fit into int")


def _dotted(node: Node) -> str:
    return str(node.value) if node.target is None else f"{_dotted(node.target)}.{node.value}"


def _number(word: str) -> Node:
    if word[-1] in "uU":
        value = int(word[:-1], 0) if word.lower().startswith("0x") else int(word[:-1])
        if value >= 2**64:
            raise ExpressionError(f"{word} does not fit into uint")
        return Node("literal", value, of="uint")
    if word.startswith("0x") or word.isdigit():
        number = int(word, 16) if word.startswith("0x") else int(word)
        if number > 2**63:
            raise ExpressionError(f"{word} does not fit into int")
        return Node("literal", number, of="int")
    return Node("literal", float(word), of="double")


_ESCAPE = re.compile(
    r"""\\(?:[abfnrtv"'`?\\]|x[0-9a-fA-F]{2}|X[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2}|(.?))""", re.DOTALL
)
_NAMED = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def _string(word: str) -> Node:
    start = re.match("[bBrR]*", word)
    prefix = start.group().lower() if start else ""
    body = word[len(prefix) :]
    size = 3 if body[:3] in ('"""', "'''") and len(body) >= 6 else 1
    inner = body[size:-size]
    return Node("literal", inner if "r" in prefix else _ESCAPE.sub(_unescaped, inner), of="bytes" if "b" in prefix else "string")


def _unescaped(match: re.Match[str]) -> str:
    if match[1] is not None:
        raise ExpressionError(f"\\{match[1]} is no escape sequence; a pattern may be written as r'…'")
    what = match.group()[1:]
    if what[0] in "xXuU":
        return chr(int(what[1:], 16))
    if what[0].isdigit():
        return chr(int(what, 8))
    return _NAMED.get(what, what)
