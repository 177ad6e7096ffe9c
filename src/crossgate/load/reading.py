"""Read one text: its documents, and what the gate must know besides their values.

``read`` is the one place where splitting, scanning, composing and constructing come together.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from crossgate.errors import LoadError
from crossgate.load.compose import compose
from crossgate.load.construct import Duplicate, construct
from crossgate.load.places import Source
from crossgate.load.quick import quick
from crossgate.load.scan import ScanError
from crossgate.load.split import Chunk, SplitError, split
from crossgate.model import Document, Identity, Place

MAX_DOCUMENT = 3 * 1024 * 1024
"""Characters of one document: the API server takes requests of at most 3 MiB."""

MAX_DOCUMENTS = 20_000
"""Documents of one file."""

MAX_IGNORED = 20
"""Pieces of ignored text of one file that are told and read."""

_FORBIDDEN = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_MARK = "\ufeff"
_LEAD = re.compile("(?:[ \t]*(?:#.*|---.*)?\n)*")

_RENDER = "this looks like a template: render it first (helm template, kustomize build) and check the result"
_TEXT = "manifests are UTF-8 text; is this a binary file, or was it saved in another encoding?"


@dataclass(slots=True)
class Reading:
    """What one text holds.

    ``duplicates`` are keys written twice, each with the places of both. ``ignored`` are the places of text
    behind the end of a document, which the API server's reader silently leaves out, and ``hidden`` the
    documents that can be read from it. ``fault`` is what stopped the reading, behind ``documents``.
    """

    documents: list[Document] = field(default_factory=list)
    duplicates: list[tuple[Document, Duplicate, Place, Place]] = field(default_factory=list)
    ignored: list[Place] = field(default_factory=list)
    hidden: list[Document] = field(default_factory=list)
    fault: LoadError | None = None


def load_text(text: str | bytes, name: str = "<string>") -> list[Document]:
    """Read the documents of a text as the Kubernetes API server and Argo CD read them.

    That is sigs.k8s.io/yaml (go-yaml v2) behind the document reader of k8s.io/apimachinery; empty documents
    are dropped, as kubectl does. A ``List`` stays one document (``load_paths`` opens it).

    Args:
        text: YAML or JSON; bytes are UTF-8, or UTF-16 with a byte order mark.
        name: the file's name for places and messages.

    Returns:
        The documents in order. ``body`` holds dict, list, str, int, float, bool and None; a number is an
        ``int`` where its JSON text has no point (``1.0`` is 1).

    Raises:
        LoadError: the API server would refuse the text; ``documents`` of the error holds those before the fault.
    """
    reading = read(text, name)
    if reading.fault is not None:
        raise reading.fault
    return reading.documents


def read(text: str | bytes, name: str) -> Reading:
    """Read a text to its end or to its first fault; never raises for what the text holds."""
    reading = Reading()
    characters = text.decode("utf-8", errors="surrogateescape") if isinstance(text, bytes) else text
    try:
        for number, chunk in enumerate(split(characters.replace("\r\n", "\n"))):
            if number == MAX_DOCUMENTS:
                what = f"the file holds more than {MAX_DOCUMENTS:,} documents"
                raise _UnreadableError(what, Place(name, chunk.line + 1, 1), "split it into several files")
            _read_chunk(chunk, name, reading)
    except SplitError as error:
        what = f"{error}{_named(error.trailing)}"
        reading.fault = _fault(what, Place(name, error.line + 1, 1), "start each document on a line of its own", reading)
    except _UnreadableError as error:
        reading.fault = _fault(error.what, error.place, error.hint, reading)
    return reading


def _named(text: str) -> str:
    """Name the object that stands on a separator's line; what else it holds may be secret."""
    documents = read(text, "").documents if text.startswith("{") else []
    return f", not {Identity.of(documents[0].body)}" if documents and isinstance(documents[0].body, dict) else ""


class _UnreadableError(Exception):
    def __init__(self, what: str, place: Place, hint: str) -> None:
        super().__init__(what)
        self.what = what
        self.place = place
        self.hint = hint


def _fault(what: str, place: Place, hint: str, reading: Reading) -> LoadError:
    return LoadError(what, str(place), hint, documents=reading.documents)


def _read_chunk(chunk: Chunk, name: str, reading: Reading) -> None:
    text = chunk.text
    if len(text) <= MAX_DOCUMENT and (found := quick(text)) is not None:
        body, line = found
        if body is not None:
            reading.documents.append(Document(body, name, chunk.line + line + 1, Source(text, name, chunk.line).locate))
        return
    source = Source(_characters(chunk, name), name, chunk.line)
    try:
        rest = _read_document(source, reading, reading.documents)
    except ScanError as error:
        hint = _RENDER if "{{" in source.text else _HINTS.get(error.what, "")
        raise _UnreadableError(error.what, source.place(error.at), hint) from None
    while rest is not None and len(reading.ignored) < MAX_IGNORED:
        reading.ignored.append(rest.start)
        try:
            rest = _read_document(rest, reading, reading.hidden)
        except ScanError:
            rest = None  # what cannot be read is reported as ignored all the same


def _read_document(source: Source, reading: Reading, documents: list[Document]) -> Source | None:
    """Read the first document of ``source`` into ``documents``; return the text behind its end, if there is any."""
    tree = compose(source.text)
    made = construct(tree.root)
    document = Document(made.body, source.file, _first_line(source), source.locate)
    if made.body is not None:
        documents.append(document)
    if made.duplicates:
        source.root = tree.root  # the findings will ask for places
    for duplicate in made.duplicates:
        reading.duplicates.append((document, duplicate, source.place(duplicate.first), source.place(duplicate.second)))
    return source.behind(tree.rest) if tree.rest >= 0 else None


_HINTS = {
    "a tab cannot indent": "indent with spaces",
}


def _first_line(source: Source) -> int:
    """Return the line of the document's first content, behind separators, comments and empty lines."""
    lead = _LEAD.match(source.text)
    end = lead.end() if lead is not None else 0
    return source.line + (source.text.count("\n", 0, end) if end < len(source.text) else 0) + 1


def _characters(chunk: Chunk, name: str) -> str:
    """Return a document's characters without its byte order mark, or refuse those that go-yaml refuses."""
    text = chunk.text
    if text.startswith(("\udcfe\udcff", "\udcff\udcfe")):
        text = _from_utf16(chunk, name)
    text = text.removeprefix(_MARK)
    source = Source(text, name, chunk.line)
    if len(text) > MAX_DOCUMENT:
        what = f"the document is larger than {MAX_DOCUMENT // 1024 // 1024} MiB"
        raise _UnreadableError(what, Place(name, chunk.line + 1, 1), "the API server takes no object of that size")
    if (found := _FORBIDDEN.search(text)) is not None:
        char = found[0]
        broken = "\ud800" <= char <= "\udfff"
        what = "the text is not valid UTF-8" if broken else f"the control character U+{ord(char):04X} is not allowed"
        raise _UnreadableError(
            what, source.place(found.start()), _TEXT if broken or char == "\0" else "write it as an escape in double quotes"
        )
    if _MARK in text and (at := _stray_mark(text, len(chunk.text) - len(text))) >= 0:
        hint = "remove it: the API server's reader takes other characters out in its place"
        raise _UnreadableError("a byte order mark stands inside the document", source.place(at), hint)
    return text


def _stray_mark(text: str, before: int) -> int:
    """Return the offset of a byte order mark that makes go-yaml skip a character, or -1.

    go-yaml v2 looks for the mark at the start of its buffer instead of at the current character. The buffer
    starts anew up to three characters before the end of each 512 bytes; anywhere else the mark is text.
    """
    if text.startswith(_MARK):
        return 0
    data = text.encode()
    end = 512 - 3 * before
    while True:
        while end < len(data) and data[end] & 0xC0 == 0x80:
            end -= 1
        offset = len(data[:end].decode())
        if (at := text.find(_MARK, max(0, offset - 3), offset + 1)) >= 0:
            return at
        if end >= len(data):
            return -1
        end += 512


def _from_utf16(chunk: Chunk, name: str) -> str:
    data = chunk.text.encode("utf-8", errors="surrogateescape")
    try:
        return data[2:].decode("utf-16-be" if data.startswith(b"\xfe") else "utf-16-le")
    except UnicodeDecodeError:
        raise _UnreadableError("the text is not valid UTF-16", Place(name, chunk.line + 1, 1), "save the file as UTF-8") from None
