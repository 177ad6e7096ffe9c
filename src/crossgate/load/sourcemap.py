"""Lead a document of ``dist/`` back to its author: the Python call, or the claim file, that synth made it from.

Synth writes the map beside its output, as ``dist/.crossgate-sources``: Argo CD takes every .yaml, .yml and .json of a folder for a
manifest, so it is none of these. It is text, one JSON value a line, so that a change of one document is a change of one line: first
the digests of the source files, then one line for each document. Whatever no longer has the digest noted there (output that was edited
by hand, sources that were edited since) is not followed: a wrong line is worse than none.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path as FilePath
from typing import Any

from crossgate.errors import LoadError
from crossgate.load import load_text
from crossgate.model import Document, Identity, Place
from crossgate.paths import Path

NAME = ".crossgate-sources"


@dataclass(frozen=True, slots=True)
class Entry:
    """One document of the output: ``file`` (relative to the output folder) and its SHA-256, and the places of its fields.

    The empty path is the document itself; a field without a place of its own has that of the nearest field above it. ``written_in`` is
    set for a document that somebody wrote in YAML: the file, relative to the project, and the document's number in it.
    """

    file: str
    digest: str
    identity: Identity
    places: tuple[tuple[Path, Place], ...]
    written_in: tuple[str, int] | None = None

    def nearest(self, path: Path) -> Place:
        """Return the place of ``path`` or of the nearest field above it that has one."""
        known = dict(self.places)
        for length in range(len(path), -1, -1):
            if path[:length] in known:
                return known[path[:length]]
        return Place("")


@dataclass(frozen=True)
class SourceMap:
    """What synth wrote: ``sources`` are the digests of the files that it was made from, ``lines`` the entries by output file."""

    sources: Mapping[str, str] = field(default_factory=dict)
    lines: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, entries: Iterable[Entry], project: FilePath) -> SourceMap:
        """Make the map of an output whose sources stand in ``project``."""
        lines: dict[str, tuple[str, ...]] = {}
        files: set[str] = set()
        for entry in entries:
            lines[entry.file] = (*lines.get(entry.file, ()), _line(entry))
            files |= {place.file for _, place in entry.places if place.file}
            files |= {entry.written_in[0]} if entry.written_in else set()
        return cls({file: _digest(project / file) for file in sorted(files)}, lines)

    @classmethod
    def read(cls, folder: FilePath) -> SourceMap:
        """Read the map of an output folder; a folder without one, or with one that is damaged, has an empty map."""
        try:
            return cls.parse((folder / NAME).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return cls()

    @classmethod
    def parse(cls, text: str) -> SourceMap:
        """Read the text of a map; a damaged one is as good as an empty one."""
        try:
            head, *lines = text.splitlines()
            noted = json.loads(head)["sources"]
            sources = {name: digest for name, digest in noted.items() if isinstance(digest, str)}
            grouped: dict[str, tuple[str, ...]] = {}
            for line in lines:
                # the file stands first, so that a large map need not be parsed whole for one document
                file = json.JSONDecoder().raw_decode(line, len('{"file": '))[0]
                grouped[file] = (*grouped.get(file, ()), line)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return cls()
        return cls(sources, grouped)

    @property
    def files(self) -> frozenset[str]:
        """Return the output files that synth wrote, relative to the output folder."""
        return frozenset(self.lines)

    def entries(self, file: str) -> Iterator[Entry]:
        """Return the documents of an output file."""
        return (_entry(body) for line in self.lines.get(file, ()) if (body := _body(line)) is not None)

    def written_in(self, folder: str) -> Iterator[Entry]:
        """Return the documents that somebody wrote in YAML, in files of a folder of the project."""
        return (entry for entry in self.written_below(folder) if entry.written_in and entry.written_in[0].rpartition("/")[0] == folder)

    def written_below(self, folder: str) -> Iterator[Entry]:
        """Return the documents that somebody wrote in YAML, in files anywhere below a folder of the project."""
        return self._with(f'"writtenIn": [{json.dumps(f"{folder}/", ensure_ascii=False)[:-1]}')

    def of_kind(self, api_version: str, kind: str) -> Iterator[Entry]:
        """Return the documents of a kind."""
        return self._with(f'"identity": [{json.dumps(api_version)}, {json.dumps(kind)}, ')

    def _with(self, text: str) -> Iterator[Entry]:
        # a large map need not be parsed for the few lines that are asked for
        lines = (line for lines in self.lines.values() for line in lines if text in line)
        return (_entry(body) for line in lines if (body := _body(line)) is not None)

    def text(self) -> str:
        """Write the map, in an order that depends on nothing but its content."""
        head = json.dumps({"sources": self.sources}, ensure_ascii=False)
        return "\n".join([head, *(line for _, lines in sorted(self.lines.items()) for line in lines), ""])


class Sources:
    """Where output files come from: the places of their authors, and what these depend on besides the files.

    Args:
        root: the folder above the output; names of files are relative to it.
        project: where the sources stand, if not in ``root``.

    Nothing is read before a place is asked for, and each map once.
    """

    def __init__(self, root: FilePath, project: FilePath | None = None) -> None:
        self._root = root
        self._project = project or root
        self._known: dict[FilePath, _Output | None] = {}
        self._folders: dict[str, tuple[_Output | None, str]] = {}
        self._digests: dict[str, str] = {}

    def placed(self, documents: Iterable[Document]) -> tuple[Document, ...]:
        """Give each document that synth wrote a ``locate`` that points at its author's line; the others are returned as they are."""
        return tuple(map(self._placed, documents))

    def _placed(self, document: Document) -> Document:
        output, file = self._found(document.file)
        if output is None:
            return document

        def locate(path: Path) -> Place:
            found = output.author(file, Identity.of(document.body), path)
            return found if found.line else document.locate(path)

        return replace(document, locate=locate)

    def lines(self, name: str) -> tuple[str, ...]:
        """Return the map's lines about a file; none when synth did not write it."""
        output, file = self._found(name)
        return output.map.lines.get(file, ()) if output is not None else ()

    def digests(self, names: Iterable[str]) -> dict[str, str]:
        """Return the digest of each source of some files, as it is now and as the map has it."""
        found: dict[str, str] = {}
        for name in names:
            output, _ = self._found(name)
            for line in self.lines(name):
                for source in _named(_body(line) or {}):
                    noted = output.map.sources.get(source, "") if output is not None else ""
                    found[source] = f"{self._digest(source)} {noted}"
        return found

    def _found(self, name: str) -> tuple[_Output | None, str]:
        """Return the output that a file belongs to, and its name there; of many files of one folder that is looked for once."""
        folder, slash, own = name.rpartition("/")
        if folder + slash not in self._folders:
            above = self._root / (folder + slash)
            output = _output(above, self._root, self._project, self._known)
            inside = above.relative_to(output.folder).as_posix() if output is not None else ""
            self._folders[folder + slash] = output, "" if inside in ("", ".") else f"{inside}/"
        output, before = self._folders[folder + slash]
        return output, before + own

    def _digest(self, source: str) -> str:
        if source not in self._digests:
            file = (self._project / source).resolve()
            self._digests[source] = _digest(file) if file.is_relative_to(self._project.resolve()) else ""
        return self._digests[source]


def _body(line: str) -> dict[str, Any] | None:
    """Read a line of the map; one that synth has not written so is as good as none, for a pull request may bring any map."""
    try:
        body = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) and _is_entry(body) else None


def _is_entry(body: Mapping[str, Any]) -> bool:
    files, places, written = body.get("in", []), body.get("places", []), body.get("writtenIn", [])
    identity = body.get("identity")
    return (
        isinstance(body.get("digest"), str)
        and (isinstance(identity, list) and len(identity) == 4 and all(isinstance(part, str) for part in identity))
        and (isinstance(files, list) and all(map(_is_name, files)))
        and (isinstance(places, list) and all(_is_place(place, len(files)) for place in places))
        and ("writtenIn" not in body or (_is_list(written, 2) and _is_name(written[0]) and _is_count(written[1])))
    )


def _is_place(place: Any, files: int) -> bool:
    if not _is_list(place, 3) or not isinstance(place[0], list) or not all(isinstance(step, (str, int)) for step in place[0]):
        return False
    return _is_count(place[1]) and place[1] < files and _is_count(place[2])


def _is_list(value: Any, length: int) -> bool:
    return isinstance(value, list) and len(value) == length


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and value >= 0


def _is_name(value: Any) -> bool:
    """Say whether a value can be the name of a file; the system is asked only about those."""
    try:
        return isinstance(value, str) and "\0" not in value and bool(os.fsencode(value))
    except UnicodeEncodeError:
        return False


def _named(body: Mapping[str, Any]) -> Iterator[str]:
    if "writtenIn" in body:
        yield body["writtenIn"][0]
    yield from body.get("in", ())


def _output(folder: FilePath, root: FilePath, project: FilePath, known: dict[FilePath, _Output | None]) -> _Output | None:
    """Find the output that ``folder`` belongs to: the nearest folder upwards with a map, within ``root``."""
    if folder not in known:
        if (folder / NAME).is_file():
            known[folder] = _Output(folder, project)
        elif folder == root or not folder.is_relative_to(root):
            known[folder] = None
        else:
            known[folder] = _output(folder.parent, root, project, known)
    return known[folder]


@dataclass(frozen=True)
class _Output:
    folder: FilePath
    project: FilePath
    _documents: dict[str, list[Document]] = field(default_factory=dict)
    _fresh: dict[tuple[FilePath, str], bool] = field(default_factory=dict)

    @cached_property
    def map(self) -> SourceMap:
        return SourceMap.read(self.folder)

    def author(self, file: str, identity: Identity, path: Path) -> Place:
        """Return the author's place of a field, or an empty one."""
        entry = next((entry for entry in self.map.entries(file) if entry.identity == identity), None)
        if entry is None or not self._unchanged(self.folder / file, entry.digest):
            return Place("")
        if entry.written_in:
            source, number = entry.written_in
            if not self._followed(source):
                return Place("")
            documents = self._read(source)
            return documents[number].place(path) if number < len(documents) else Place("")
        place = entry.nearest(path)
        return place if self._followed(place.file) else Place("")

    def _followed(self, source: str) -> bool:
        # a pull request may bring any map: it must not make anything outside the project be opened or named
        inside = (self.project / source).resolve().is_relative_to(self.project.resolve())
        return inside and source in self.map.sources and self._unchanged(self.project / source, self.map.sources[source])

    def _unchanged(self, file: FilePath, digest: str) -> bool:
        if (file, digest) not in self._fresh:
            self._fresh[file, digest] = _digest(file) == digest
        return self._fresh[file, digest]

    def _read(self, source: str) -> list[Document]:
        if source not in self._documents:
            try:
                self._documents[source] = load_text((self.project / source).read_bytes(), source)
            except (OSError, LoadError):
                self._documents[source] = []
        return self._documents[source]


def _digest(file: FilePath) -> str:
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        return ""


def _line(entry: Entry) -> str:
    files = list(dict.fromkeys(place.file for _, place in entry.places))
    body: dict[str, Any] = {
        "file": entry.file,
        "digest": entry.digest,
        "identity": [entry.identity.api_version, entry.identity.kind, entry.identity.namespace, entry.identity.name],
    }
    if entry.written_in:
        body["writtenIn"] = list(entry.written_in)
    else:
        body["in"] = files
        body["places"] = [[list(path), files.index(place.file), place.line] for path, place in entry.places]
    return json.dumps(body, ensure_ascii=False)


def _entry(body: dict[str, Any]) -> Entry:
    return Entry(
        file=body["file"],
        digest=body["digest"],
        identity=Identity(*body["identity"]),
        places=tuple((tuple(path), Place(body["in"][file], line)) for path, file, line in body.get("places", ())),
        written_in=(body["writtenIn"][0], body["writtenIn"][1]) if "writtenIn" in body else None,
    )
