"""Cut a file into documents as the Kubernetes YAML reader does (k8s.io/apimachinery, util/yaml).

It works on lines, before any YAML is parsed: a line that starts with ``---`` ends a document wherever it
stands, and only white space and a comment may follow on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_SEPARATOR = re.compile("^---(.*)", re.MULTILINE)
_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))


@dataclass(frozen=True, slots=True)
class Chunk:
    """The text of one document and the number of lines of the file before it."""

    text: str
    line: int


class SplitError(Exception):
    """A separator line that the API server's reader refuses, and what follows on it; ``line`` counts from 0."""

    def __init__(self, what: str, line: int, trailing: str) -> None:
        super().__init__(what)
        self.line = line
        self.trailing = trailing


def split(text: str) -> Iterator[Chunk]:
    """Yield the documents of a file whose CR LF were replaced by LF.

    A separator at the start of a document stays part of it. Each document ends with a line break, as the reader adds one.

    Raises:
        SplitError: text follows ``---`` on its line. The document before it is lost, as in the real reader.
    """
    start = line = 0
    for found in _SEPARATOR.finditer(text):
        trailing = found[1].strip(_SPACE)
        at = found.start()
        lines = text.count("\n", start, at)
        if trailing and not trailing.startswith("#"):
            raise SplitError("only a comment may follow '---' on its line", line + lines, trailing)
        if at > start:
            yield Chunk(text[start:at], line)
            start, line = min(found.end() + 1, len(text)), line + lines + 1
    if start < len(text):
        yield Chunk(text[start:] if text.endswith("\n") else text[start:] + "\n", line)
