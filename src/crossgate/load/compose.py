"""Build the tree of one YAML document out of its tokens, by the grammar of go-yaml v2.

Only the first document of a text is read, as ``yaml.Unmarshal`` does: what follows its end is not looked at
(but ``Tree.rest`` says where it starts, so that the gate can refuse it).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from crossgate.load.scan import BREAKS, ScanError, Scanner, T, Token


class Node:
    """One node. ``at`` is the offset where it starts.

    Scalars have ``text``; collections have ``children`` (of a mapping: key, value, key, value …); an alias
    has ``target``.
    """

    __slots__ = ("at", "children", "kind", "plain", "tag", "target", "text")

    def __init__(self, kind: str, at: int, text: str = "", tag: str = "", *, plain: bool = False) -> None:
        self.kind = kind
        self.at = at
        self.text = text
        self.tag = tag
        self.plain = plain
        self.children: list[Node] = []
        self.target: Node | None = None


SCALAR, MAPPING, SEQUENCE, ALIAS = "scalar", "mapping", "sequence", "alias"


@dataclass(frozen=True, slots=True)
class Tree:
    """One document: its root (None when there is nothing), and where text after its end starts (-1: nowhere)."""

    root: Node | None
    rest: int


def compose(text: str) -> Tree:
    """Read the first document of ``text``.

    Raises:
        ScanError: the text is not YAML as go-yaml v2 reads it.
    """
    return _Composer(text).document()


_ENDS_VALUE = frozenset((T.KEY, T.VALUE, T.BLOCK_END))
_ENDS_DOCUMENT = frozenset((T.VERSION, T.TAG_DIRECTIVE, T.DOCUMENT_START, T.DOCUMENT_END, T.STREAM_END))
_NOTHING = re.compile(f"(?:[ \t{BREAKS}\ufeff]|#[^{BREAKS}\0]*|(?<=[{BREAKS}])\\.\\.\\.(?=[ \t{BREAKS}\0]))*")


class _Composer:
    def __init__(self, text: str) -> None:
        self.scanner = Scanner(text)
        self.peek = self.scanner.peek
        self.skip = self.scanner.skip
        self.handles: dict[str, str] = {}
        self.anchors: dict[str, Node] = {}
        self.open: list[tuple[Node, Callable[[], None]]] = []
        """The collections around the current place, each with the step that reads its next entry."""
        self.root: Node | None = None

    def document(self) -> Tree:
        token = self.peek()
        if token.kind == T.STREAM_END:
            return Tree(None, -1)
        explicit = token.kind in (T.VERSION, T.TAG_DIRECTIVE, T.DOCUMENT_START)
        self.directives()
        if explicit:
            if self.peek().kind != T.DOCUMENT_START:
                raise ScanError("a directive must be followed by '---'", self.peek().at)
            self.skip()
        if explicit and self.peek().kind in _ENDS_DOCUMENT:
            self.empty(self.peek().at)
        else:
            self.node(block=True)
        while self.open:
            self.open[-1][1]()
        return Tree(self.root, self.rest())

    def rest(self) -> int:
        token = self.peek()
        if token.kind == T.STREAM_END:
            return -1
        at = max(token.at, self.scanner.last + 1)
        if token.kind == T.DOCUMENT_END:
            at += 3
        text = self.scanner.text
        start = _NOTHING.match(text, at).end()  # type: ignore[union-attr]  # the pattern matches the empty string
        return start if text[start] != "\0" else -1

    def directives(self) -> None:
        versions = 0
        while (token := self.peek()).kind in (T.VERSION, T.TAG_DIRECTIVE):
            if token.kind == T.VERSION:
                versions += 1
                if versions > 1:
                    raise ScanError("there is more than one %YAML directive", token.at)
                if [int(part) for part in token.value.split(".")] != [1, 1]:
                    raise ScanError(f"the document asks for YAML {token.value}; the API server reads 1.1", token.at)
            elif token.value in self.handles:
                raise ScanError(f"there is more than one %TAG directive for {token.value}", token.at)
            else:
                self.handles[token.value] = token.suffix
            self.skip()
        self.handles.setdefault("!", "!")
        self.handles.setdefault("!!", "tag:yaml.org,2002:")

    # Nodes.

    def add(self, node: Node) -> None:
        if self.open:
            self.open[-1][0].children.append(node)
        else:
            self.root = node

    def empty(self, at: int) -> None:
        self.add(Node(SCALAR, at, plain=True))

    def push(self, node: Node, step: Callable[[], None]) -> None:
        self.add(node)
        self.open.append((node, step))

    def become(self, step: Callable[[], None]) -> None:
        self.open[-1] = (self.open[-1][0], step)

    def node(self, *, block: bool, indentless: bool = False) -> None:
        """Read one node; of a collection only its start, the rest is left to the steps in ``open``."""
        token = self.peek()
        kind = token.kind
        if kind == T.SCALAR:
            self.skip()
            self.add(Node(SCALAR, token.at, token.value, plain=token.plain))
            return
        if kind == T.ALIAS:
            self.alias(token)
            return
        start = token.at
        anchor = tag = ""
        if kind in (T.ANCHOR, T.TAG):
            anchor, tag = self.properties()
            token = self.peek()
            kind = token.kind
        if kind == T.SCALAR:
            self.skip()
            made = Node(SCALAR, start, token.value, tag, plain=(token.plain and not tag) or tag == "!")
            self.add(made)
        elif indentless and kind == T.ENTRY:
            made = Node(SEQUENCE, start, tag=tag)
            self.push(made, self.indentless_entry)
        elif kind == T.FLOW_SEQUENCE or (block and kind == T.BLOCK_SEQUENCE):
            self.skip()
            made = Node(SEQUENCE, start, tag=tag)
            self.push(made, self.first_flow_entry if kind == T.FLOW_SEQUENCE else self.block_entry)
        elif kind == T.FLOW_MAPPING or (block and kind == T.BLOCK_MAPPING):
            self.skip()
            made = Node(MAPPING, start, tag=tag)
            self.push(made, self.first_flow_key if kind == T.FLOW_MAPPING else self.block_key)
        elif anchor or tag:
            made = Node(SCALAR, start, tag=tag, plain=not tag)
            self.add(made)
        else:
            raise ScanError("a value is missing here", token.at)
        if anchor:
            self.anchors[anchor] = made

    def alias(self, token: Token) -> None:
        target = self.anchors.get(token.value)
        if target is None:
            # without its name: this may be a password that begins so, and has no quotes
            raise ScanError("the alias (*…) has no anchor above; a text that begins with * needs quotes", token.at)
        self.skip()
        made = Node(ALIAS, token.at, token.value)
        made.target = target
        self.add(made)

    def properties(self) -> tuple[str, str]:
        """Read an anchor and a tag, at most one of each, in any order; return the anchor's name and the full tag."""
        anchor = tag = ""
        seen: set[int] = set()
        while (token := self.peek()).kind in (T.ANCHOR, T.TAG) and token.kind not in seen:
            seen.add(token.kind)
            self.skip()
            if token.kind == T.ANCHOR:
                anchor = token.value
            elif not token.value:
                tag = token.suffix
            else:
                tag = self.handles.get(token.value, "") + token.suffix
                if token.value not in self.handles:
                    raise ScanError(f"the tag handle {token.value} is not defined", token.at)
        return anchor, tag

    # Block collections.

    def block_entry(self) -> None:
        token = self.peek()
        if token.kind == T.BLOCK_END:
            self.skip()
            self.open.pop()
        elif token.kind != T.ENTRY:
            raise ScanError("a list item ('- ') is missing here", token.at)
        else:
            self.entry((T.ENTRY, T.BLOCK_END))

    def indentless_entry(self) -> None:
        if self.peek().kind == T.ENTRY:
            self.entry((T.ENTRY, T.KEY, T.VALUE, T.BLOCK_END))
        else:
            self.open.pop()

    def entry(self, ends: tuple[int, ...]) -> None:
        at = self.peek().at + 1
        self.skip()
        if self.peek().kind in ends:
            self.empty(at)
        else:
            self.node(block=True)

    def block_key(self) -> None:
        token = self.peek()
        if token.kind == T.KEY:
            self.skip()
            self.become(self.block_value)
            self.block_content(token.at)
        elif token.kind == T.BLOCK_END:
            self.skip()
            self.open.pop()
        else:
            raise ScanError("a key is missing here, or the indentation does not fit", token.at)

    def block_value(self) -> None:
        token = self.peek()
        self.become(self.block_key)
        if token.kind == T.VALUE:
            self.skip()
            self.block_content(token.at + 1)
        else:
            self.empty(token.at)

    def block_content(self, at: int) -> None:
        if self.peek().kind in _ENDS_VALUE:
            self.empty(at)
        else:
            self.node(block=True, indentless=True)

    # Flow collections.

    def first_flow_entry(self) -> None:
        self.become(self.flow_entry)
        self.flow_item(self.peek())

    def flow_entry(self) -> None:
        token = self.peek()
        if token.kind == T.FLOW_ENTRY:
            self.skip()
            token = self.peek()
        elif token.kind != T.FLOW_SEQUENCE_END:
            raise ScanError("',' or ']' is missing here", token.at)
        self.flow_item(token)

    def flow_item(self, token: Token) -> None:
        if token.kind == T.FLOW_SEQUENCE_END:
            self.skip()
            self.open.pop()
        elif token.kind == T.KEY:
            self.skip()
            self.push(Node(MAPPING, token.at), self.pair_key)
        else:
            self.node(block=False)

    def pair_key(self) -> None:
        """Read the key of a single pair in a flow sequence, ``[key: value]``."""
        self.become(self.pair_value)
        token = self.peek()
        if token.kind in (T.VALUE, T.FLOW_ENTRY, T.FLOW_SEQUENCE_END):
            self.skip()
            self.empty(token.at)
        else:
            self.node(block=False)

    def pair_value(self) -> None:
        self.become(self.pair_end)
        if self.peek().kind == T.VALUE:
            self.skip()
            if self.peek().kind not in (T.FLOW_ENTRY, T.FLOW_SEQUENCE_END):
                self.node(block=False)
                return
        self.empty(self.peek().at)

    def pair_end(self) -> None:
        self.open.pop()

    def first_flow_key(self) -> None:
        self.become(self.flow_key)
        self.flow_pair(self.peek())

    def flow_key(self) -> None:
        token = self.peek()
        if token.kind == T.FLOW_ENTRY:
            self.skip()
            token = self.peek()
        elif token.kind != T.FLOW_MAPPING_END:
            raise ScanError("',' or '}' is missing here", token.at)
        self.flow_pair(token)

    def flow_pair(self, token: Token) -> None:
        if token.kind == T.FLOW_MAPPING_END:
            self.skip()
            self.open.pop()
        elif token.kind == T.KEY:
            self.skip()
            self.become(self.flow_value)
            if self.peek().kind in (T.VALUE, T.FLOW_ENTRY, T.FLOW_MAPPING_END):
                self.empty(self.peek().at)
            else:
                self.node(block=False)
        else:
            self.become(self.flow_no_value)
            self.node(block=False)

    def flow_value(self) -> None:
        self.become(self.flow_key)
        if self.peek().kind == T.VALUE:
            self.skip()
            if self.peek().kind not in (T.FLOW_ENTRY, T.FLOW_MAPPING_END):
                self.node(block=False)
                return
        self.empty(self.peek().at)

    def flow_no_value(self) -> None:
        self.become(self.flow_key)
        self.empty(self.peek().at)
