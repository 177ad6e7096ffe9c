"""Turn the tree of a document into the value that the API server works with.

This is go-yaml v2's decoder followed by the conversion of sigs.k8s.io/yaml: merge keys, aliases with the guard
against excessive aliasing, duplicate keys (the last one wins), keys turned into strings, numbers as JSON has them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from crossgate.load.compose import ALIAS, MAPPING, SCALAR, SEQUENCE, Node
from crossgate.load.resolve import MERGE, SUSPECT, ScalarError, json_number, key_text, plain, tagged
from crossgate.load.scan import ScanError
from crossgate.paths import Path

MAX_DUPLICATES = 100
"""How many duplicate keys of one document are told; they are all the same mistake."""

MAX_DEPTH = 300
"""How deep collections may be nested. The API server takes 10,000; no real object comes near, and every later stage walks them."""


@dataclass(frozen=True, slots=True)
class Duplicate:
    """One key that stands twice in one mapping.

    ``path`` is the mapping, ``first`` and ``second`` the offsets of the two keys in the text. ``kind`` is
    "same" for two entries of the mapping, "merge" where one of them came in through a merge key (``<<``),
    and "text" for two keys that become the same only as strings (``1`` and ``"1"``): the API server's
    reader then keeps one of them at random.
    """

    path: Path
    key: str
    first: int
    second: int
    kind: str


@dataclass(frozen=True, slots=True)
class Constructed:
    """The value of a document and the duplicate keys in it."""

    body: Any
    duplicates: tuple[Duplicate, ...] = ()


def construct(root: Node | None) -> Constructed:
    """Return the value of a document (None for an empty one).

    Raises:
        ScanError: the API server would refuse the document (an unusable key, infinity, a wrong tag, an
            alias bomb), or it is nested more than ``MAX_DEPTH`` deep.
    """
    if root is None:
        return Constructed(None)
    work = _Constructor()
    body = work.value(root)
    if type(body) is _Refused:
        raise ScanError(body.what, body.at)
    return Constructed(body, tuple(work.duplicates.values()))


@dataclass(frozen=True, slots=True)
class _Refused:
    """Stands for a value that JSON cannot hold. It is a fault only where no later duplicate key overwrites it."""

    what: str
    at: int


class _Constructor:
    def __init__(self) -> None:
        self.duplicates: dict[tuple[int, int], Duplicate] = {}
        self.path: list[str | int] = []
        self.depth = 0
        self.any_refused = False
        self.decoded = 1
        self.aliased = 0
        self.alias_depth = 0
        self.open_aliases: set[int] = set()

    def value(self, node: Node) -> Any:
        """Return a node's value, or a ``_Refused``. Calls itself once a level, so that ``MAX_DEPTH`` levels fit Python's stack."""
        alias = node if node.kind == ALIAS else None
        if alias is not None:
            node = self.enter(alias)
        if node.kind == SCALAR:
            value = self.scalar(node)
            if type(value) is float:
                value = self.as_json(value, node)
        else:
            self.count(node)
            self.deeper(node)
            if node.kind == SEQUENCE:
                items: list[Any] = []
                for child in node.children:
                    self.path.append(len(items))
                    items.append(self.value(child))
                    self.path.pop()
                value = self.unless_refused(items, items)
            else:
                entries: dict[Any, _Entry] = {}
                for key_node, value_node, merged in self.pairs(node, merged=False):
                    key, identity = self.key(key_node)
                    text = _shown(key, key_node)
                    self.path.append(text)
                    entry = _Entry(key, key_node, self.value(value_node), merged)
                    self.path.pop()
                    if (before := entries.get(identity)) is not None:
                        self.note(text, before, entry, "merge" if merged or before.merged else "same")
                    entries[identity] = entry
                value = self.with_text_keys(entries)
            self.depth -= 1
        if alias is not None:
            self.leave(alias)
        return value

    def with_text_keys(self, entries: dict[Any, _Entry]) -> Any:
        body: dict[str, Any] = {}
        seen: dict[str, _Entry] = {}
        refused = None
        for entry in entries.values():
            try:
                text = key_text(entry.key)
            except ScalarError as error:
                refused = self.refuse(str(error), entry.node)
                continue
            if text in body:
                self.note(text, seen[text], entry, "text")
            seen[text] = entry
            body[text] = entry.value
        return refused or self.unless_refused(body, [entry.value for entry in entries.values()])

    def unless_refused(self, value: Any, parts: list[Any]) -> Any:
        if self.any_refused:
            return next((part for part in parts if type(part) is _Refused), value)
        return value

    def scalar(self, node: Node) -> Any:
        self.count(node)
        try:
            return scalar_value(node)
        except ScalarError as error:
            raise ScanError(str(error), node.at) from None

    def as_json(self, value: float, node: Node) -> Any:
        try:
            return json_number(value)
        except ScalarError as error:
            return self.refuse(str(error), node)

    def refuse(self, what: str, node: Node) -> _Refused:
        self.any_refused = True
        return _Refused(what, node.at)

    def deeper(self, node: Node) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ScanError(f"collections are nested more than {MAX_DEPTH} deep", node.at)

    def enter(self, node: Node) -> Node:
        self.count(node)
        if id(node) in self.open_aliases:
            raise ScanError(f"the anchor &{node.text} contains itself", node.at)
        self.open_aliases.add(id(node))
        self.alias_depth += 1
        assert node.target is not None  # noqa: S101  # the composer makes no alias without a target
        return node.target

    def leave(self, node: Node) -> None:
        self.alias_depth -= 1
        self.open_aliases.discard(id(node))

    def pairs(self, node: Node, *, merged: bool) -> Iterator[tuple[Node, Node, bool]]:
        """Yield a mapping's entries in the order in which go-yaml sets them, with those that its merge keys bring.

        A later one overwrites: so a merge key wins over the keys before it, and the first mapping of a merged list over the others.
        """
        children = iter(node.children)
        for key_node in children:
            value_node = next(children)
            if is_merge(key_node):
                many = value_node.kind == SEQUENCE
                for source in reversed(value_node.children) if many else (value_node,):
                    yield from self.merged(source)
            else:
                yield key_node, value_node, merged

    def merged(self, node: Node) -> Iterator[tuple[Node, Node, bool]]:
        source = node.target if node.kind == ALIAS else node
        if source is None or source.kind != MAPPING:
            raise ScanError("a merge key (<<) takes a mapping or a list of mappings", node.at)
        if source is not node:
            self.enter(node)
        self.count(source)
        self.deeper(source)
        yield from self.pairs(source, merged=True)
        self.depth -= 1
        if source is not node:
            self.leave(node)

    def key(self, node: Node) -> tuple[Any, Any]:
        """Return a key's value and what tells it from others: in Go ``1`` and ``"1"`` are two keys, ``.nan`` equals nothing."""
        if node.kind == ALIAS:
            target = self.enter(node)
            found = self.key(target)
            self.leave(node)
            return found
        if node.kind != SCALAR:
            raise ScanError("a mapping or a list cannot be a key", node.at)
        key = self.scalar(node)
        if isinstance(key, str):
            return key, key
        return key, object() if isinstance(key, float) and math.isnan(key) else (type(key), key)

    def note(self, key: str, before: _Entry, after: _Entry, kind: str) -> None:
        first, second = before.node.at, after.node.at
        if len(self.duplicates) < MAX_DUPLICATES:
            self.duplicates.setdefault((first, second), Duplicate(tuple(self.path), key, first, second, kind))

    def count(self, node: Node) -> None:
        """Count one decoding step; refuse a document that is mostly aliases, by go-yaml's formula."""
        self.decoded += 1
        if self.alias_depth:
            self.aliased += 1
        if self.aliased > 100 and self.decoded > 1000 and self.aliased / self.decoded > _allowed(self.decoded):
            raise ScanError("the document consists of aliases almost only; the API server refuses that", node.at)


def scalar_value(node: Node) -> Any:
    """Return what a scalar node resolves to (a float is not yet turned into JSON).

    Raises:
        ScalarError: the text is not of the type that its tag says.
    """
    text = node.text
    if node.tag:
        return tagged(node.tag, text)
    return plain(text) if node.plain and (not text or text[0] in SUSPECT) else text


def _shown(key: Any, node: Node) -> str:
    try:
        return key_text(key)
    except ScalarError:
        return node.text


def is_merge(key: Node) -> bool:
    """Tell whether a key is a merge key: an unquoted ``<<``."""
    return key.kind == SCALAR and key.text == "<<" and (key.plain or key.tag == MERGE)


@dataclass(frozen=True, slots=True)
class _Entry:
    key: Any
    node: Node
    value: Any
    merged: bool


def _allowed(decoded: int) -> float:
    """Return the share of decoding steps that may come from aliases: 99 % up to 400,000 steps, 10 % from 4,000,000 on."""
    if decoded <= 400_000:
        return 0.99
    if decoded >= 4_000_000:
        return 0.10
    return 0.99 - 0.89 * ((decoded - 400_000) / 3_600_000)
