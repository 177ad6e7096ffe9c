"""Find the line and column of a field again, from the text of its document.

Nothing but the text is kept: the tree with its offsets is built when the first finding asks.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property

from crossgate.load.compose import ALIAS, MAPPING, SEQUENCE, Node, compose
from crossgate.load.construct import is_merge, scalar_value
from crossgate.load.resolve import ScalarError, key_text
from crossgate.model import Place
from crossgate.paths import Path

_LINE_END = re.compile("\r\n?|\n")


class Source:
    """The text of one document: ``file`` and the number of lines before it say where it stands."""

    def __init__(self, text: str, file: str, line: int, start: Place | None = None) -> None:
        self.text = text
        self.file = file
        self.line = line
        self.start = start or Place(file, line + 1, 1)

    def place(self, offset: int) -> Place:
        """Return the place of a character of the text."""
        line = bisect_right(self._line_starts, offset) - 1
        return Place(self.file, self.line + line + 1, offset - self._line_starts[line] + 1)

    def behind(self, offset: int) -> Source:
        """Return the source from ``offset`` on; its places stay those of the file."""
        place = self.place(offset)
        return Source(" " * (place.column - 1) + self.text[offset:], self.file, place.line - 1, place)

    def locate(self, path: Path) -> Place:
        """Return the place of the field at ``path``, or of the nearest field above it that exists.

        A field of a mapping stands where its key stands, an item of a list where its value starts. A value
        that came through an alias or a merge key stands where it is written: at the anchor.
        """
        node = self.root
        if node is None:
            return self.start
        at = node.at
        for step in path:
            node = node.target if node.kind == ALIAS and node.target is not None else node
            if node.kind == SEQUENCE and isinstance(step, int) and 0 <= step < len(node.children):
                node = node.children[step]
                at = node.at
            elif node.kind == MAPPING and (found := self._entries(node).get(step)) is not None:
                at, node = found[0].at, found[1]
            else:
                break
        return self.place(at)

    def _entries(self, node: Node) -> dict[str | int, tuple[Node, Node]]:
        """Return the entries of a mapping by key: the last that is set wins, as in ``construct``."""
        found = self._known.get(id(node))
        if found is None:
            found = self._known[id(node)] = {}
            for key_node, value_node in _entries(node):
                try:
                    found[key_text(scalar_value(key_node.target or key_node))] = key_node, value_node
                except ScalarError:
                    continue
        return found

    @cached_property
    def _known(self) -> dict[int, dict[str | int, tuple[Node, Node]]]:
        return {}

    @cached_property
    def root(self) -> Node | None:
        """The tree of the text; None when it is empty."""
        return compose(self.text).root

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(found.end() for found in _LINE_END.finditer(self.text))]


def _entries(node: Node) -> Iterator[tuple[Node, Node]]:
    children = iter(node.children)
    for key_node in children:
        value_node = next(children)
        if not is_merge(key_node):
            yield key_node, value_node
            continue
        for source in reversed(value_node.children) if value_node.kind == SEQUENCE else (value_node,):
            if (target := source.target if source.kind == ALIAS else source) is not None:
                yield from _entries(target)
