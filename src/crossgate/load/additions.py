"""What synth adds to the claims that teams write: they are judged with it where they stand, as they will be in ``dist/``.

A team's claim has neither namespace nor labels; synth writes those of the team into ``dist/``, with Argo CD's annotations. Judged without
them it would be somebody else's claim. The source map says which document of ``dist/`` a claim became; a claim that is new gets what its
neighbours of the same folder got, and the first of a team what the team's Namespace says.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from crossgate.load.files import MAX_FILE
from crossgate.load.inventory import inventory_of
from crossgate.load.sourcemap import NAME, Entry, SourceMap
from crossgate.model import Document, Identity

_MAPS = ("labels", "annotations")

_LOOKED_AT = 8
"""Neighbours that say which labels claims of a folder have; all of a team have the same."""


@dataclass(frozen=True)
class Additions:
    """What synth added to documents of one state of the project.

    Args:
        folder: the output folder, relative to the project.
        read: returns the content of a file by its name relative to the project; None where it is not there, or outside.
        since: those of the commit that judges: of folders that synth does not read there, a pull request's own map says nothing.
    """

    folder: str
    read: Callable[[str], bytes | None]
    since: Additions | None = None
    _near: dict[str, _Folder] = field(default_factory=dict)
    _keys: dict[str, str] = field(default_factory=dict)
    _read_by_synth: dict[str, bool] = field(default_factory=dict)
    _objects: dict[str, tuple[Document, ...]] = field(default_factory=dict)
    _digests: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls, root: Path, dist: Path, read: Callable[[str], bytes | None] | None = None, since: Additions | None = None
    ) -> Additions | None:
        """Return those of a project (default: as it is on disk); None when its output is not a folder inside of it."""
        root, dist = root.resolve(), dist.resolve()
        if dist == root or not dist.is_relative_to(root):
            return None
        return cls(dist.relative_to(root).as_posix(), read or partial(_on_disk, root), since)

    @cached_property
    def _map(self) -> SourceMap:
        return SourceMap.parse(self._text.decode("utf-8", errors="replace"))

    @cached_property
    def _text(self) -> bytes:
        return self.read(f"{self.folder}/{NAME}") or b""

    @cached_property
    def _namespaces(self) -> str:
        """Return a digest of the Namespaces of the output: they say what a claim gets that no neighbour tells of."""
        files = dict.fromkeys(self._output(entry) for entry in self._map.of_kind("v1", "Namespace"))
        return _digest("\n".join(map(self._digest_of, files)).encode())

    def twins(self, name: str) -> tuple[str, ...]:
        """Return the files of the output that a file became."""
        return tuple(dict.fromkeys(self._output(entry) for entry in self._neighbours(name).of(name)))

    def key(self, name: str) -> str:
        """Return a digest of everything that the additions to a file depend on; empty when there are none."""
        if name.startswith(f"{self.folder}/"):
            return ""
        folder = name.rpartition("/")[0]
        if folder not in self._keys:
            files = dict.fromkeys(part for entry in self._neighbours(name).entries for part in (self._output(entry), _source(entry)))
            parts = [f"{file} {self._digest_of(file)} {self._map.sources.get(file, '')}" for file in files]
            teams = self._namespaces if self.since is None else ""
            found = "\n".join([_digest(self._text), teams, *parts]).encode(errors="surrogateescape")
            self._keys[folder] = _digest(found) if parts or self.expected(name) else ""
        return self._keys[folder]

    def fresh(self, name: str) -> bool:
        """Say whether the output is what synth made of a file as it is now."""
        own = self._neighbours(name).of(name)
        return bool(own) and self._current(name) and all(map(self._unedited, own))

    def expected(self, name: str) -> bool:
        """Say whether a file belongs into the output: it stands where claims stand that synth reads, of its team or of another."""
        if name.startswith(f"{self.folder}/"):
            return False
        above = name.rpartition("/")[0].rpartition("/")[0]
        if above not in self._read_by_synth:
            self._read_by_synth[above] = any(True for _ in self._map.written_below(above))
        return self._read_by_synth[above]

    def whole(self, name: str, documents: Iterable[Document]) -> tuple[Document, ...]:
        """Return the documents of a file as they are in the output, at the lines of their author."""
        near = self._neighbours(name).sound(self._unedited)
        concerned = near or (self.since is None and self.expected(name))
        return tuple(self._whole(name, document, near) for document in documents) if concerned else tuple(documents)

    def once(self, names: Iterable[str]) -> tuple[str, ...]:
        """Leave out the files of which all output is among the names as well."""
        given = tuple(names)
        known = frozenset(given)
        written = f"{self.folder}/"  # nearly all are the output's own
        return tuple(name for name in given if name.startswith(written) or not ((twins := self.twins(name)) and known.issuperset(twins)))

    def _whole(self, name: str, document: Document, near: Sequence[Entry]) -> Document:
        identity = Identity.of(document.body)
        if not identity.name:
            return document
        kind = (identity.group, identity.kind)
        own = filter(self._unedited, self._neighbours(name).of(name))
        twins = (each for each in own if (*_kind(each), each.identity.name) == (*kind, identity.name))
        if (twin := next(twins, None)) is not None:
            added = self._metadata(self._output(twin), twin.identity)
        else:
            # what is new in the folder gets what its neighbours got, those of its kind first
            added = self._first(near, kind)
            if self.since is None:
                added = self._filled(added, near, name, kind) if added else self._of_team(name, kind)
        if identity.namespace not in ("", added.get("namespace")):
            return document  # synth refuses a claim for another team's namespace: it is judged as it stands
        metadata = document.body["metadata"]
        maps = {key: {**added[key], **given} for key in _MAPS if key in added and isinstance(given := metadata.get(key) or {}, dict)}
        body = {**document.body, "metadata": {**metadata, **{key: added[key] for key in added if key not in _MAPS}, **maps}}
        return replace(document, body=body)

    def _first(self, entries: Iterable[Entry], kind: tuple[str, str]) -> dict[str, Any]:
        ordered = sorted(entries, key=lambda each: _kind(each) != kind)
        return next((found for each in ordered if self._unedited(each) and (found := self._added(each))), {})

    def _filled(self, added: dict[str, Any], near: Sequence[Entry], name: str, kind: tuple[str, str]) -> dict[str, Any]:
        """Add the team's labels that a neighbour has of its author's own hand: to it synth had none of them to add."""
        outputs = (self._metadata(self._output(each), each.identity) for each in near[:_LOOKED_AT])
        missing = {key for made in outputs for key in made.get("labels", {})} - added.get("labels", {}).keys()
        if not missing:
            return added
        labels = self._of_team(name, kind).get("labels", {})
        return {**added, "labels": {**{key: labels[key] for key in labels if key in missing}, **added.get("labels", {})}}

    def _of_team(self, name: str, kind: tuple[str, str]) -> dict[str, Any]:
        """Return what a team's first claim gets: the name and labels of its Namespace, and the annotations of other teams' claims."""
        above, _, team = name.rpartition("/")[0].rpartition("/")
        for entry in self._map.of_kind("v1", "Namespace"):
            labels = self._metadata(self._output(entry), entry.identity).get("labels", {}) if self._unedited(entry) else {}
            if labels.get("team") == team:
                own = {key: text for key, text in labels.items() if "/" not in key}
                annotations = self._first(self._map.written_below(above), kind).get("annotations", {})
                return {"namespace": entry.identity.name, "labels": own, "annotations": annotations}
        return {}

    def _added(self, entry: Entry) -> dict[str, Any]:
        """Return what a document has in its output and not in its source; nothing when it is not made from that as it is now."""
        if not self._current(_source(entry)):
            return {}
        number = entry.written_in[1] if entry.written_in else 0
        written = self._read(_source(entry))
        own = written[number] if number < len(written) else None
        if own is None or not entry.identity.name or Identity.of(own.body).name != entry.identity.name:
            return {}
        made = self._metadata(self._output(entry), entry.identity)
        source = own.body["metadata"]
        return {
            key: {name: text for name, text in value.items() if name not in (source.get(key) or {})} if key in _MAPS else value
            for key, value in made.items()
        }

    def _metadata(self, file: str, identity: Identity) -> dict[str, Any]:
        """Return the namespace, labels and annotations of a document of the output."""
        found: Any = next((each.body["metadata"] for each in self._read(file) if Identity.of(each.body) == identity), {})
        maps = {key: found[key] for key in _MAPS if isinstance(found.get(key), dict)}
        return {"namespace": found["namespace"], **maps} if isinstance(found.get("namespace"), str) else maps

    def _read(self, file: str) -> tuple[Document, ...]:
        if file not in self._objects:
            data = self.read(file) or b""
            self._objects[file] = inventory_of(data, file).documents if len(data) <= MAX_FILE else ()
        return self._objects[file]

    def _neighbours(self, name: str) -> _Folder:
        folder = name.rpartition("/")[0]
        if name.startswith(f"{self.folder}/"):
            return _NOTHING
        if folder not in self._near:
            known = self.since is None or self.since._neighbours(name).entries
            self._near[folder] = _Folder(tuple(self._map.written_in(folder))) if known else _NOTHING
        return self._near[folder]

    def _output(self, entry: Entry) -> str:
        return f"{self.folder}/{entry.file}"

    def _current(self, source: str) -> bool:
        return self._digest_of(source) == self._map.sources.get(source)

    def _unedited(self, entry: Entry) -> bool:
        return self._digest_of(self._output(entry)) == entry.digest

    def _digest_of(self, file: str) -> str:
        """Digest a file once: each claim of a folder asks after all its neighbours."""
        if file not in self._digests:
            self._digests[file] = _digest(self.read(file))
        return self._digests[file]


@dataclass(frozen=True)
class _Folder:
    """The documents of the output that come from one folder: each of its files asks after its own, and after all."""

    entries: tuple[Entry, ...]
    _sound: list[tuple[Entry, ...]] = field(default_factory=list)

    @cached_property
    def _by_source(self) -> dict[str, list[Entry]]:
        found: dict[str, list[Entry]] = {}
        for entry in self.entries:
            found.setdefault(_source(entry), []).append(entry)
        return found

    def of(self, name: str) -> Sequence[Entry]:
        """Return those that come from a file."""
        return self._by_source.get(name, ())

    def sound(self, unedited: Callable[[Entry], bool]) -> tuple[Entry, ...]:
        """Return those that are as synth wrote them."""
        if not self._sound:
            self._sound.append(tuple(filter(unedited, self.entries)))
        return self._sound[0]


_NOTHING = _Folder(())


def whole(documents: Iterable[Document], root: Path, dist: Path) -> tuple[Document, ...]:
    """Return the documents of some files as they are in the project's output, each once; those that synth does not make as they are."""
    files: dict[str, list[Document]] = {}
    for document in documents:
        files.setdefault(document.file, []).append(document)
    added = Additions.of(root, dist)
    if added is None:
        return tuple(document for given in files.values() for document in given)
    return tuple(document for name in added.once(files) for document in added.whole(name, files[name]))


def _on_disk(root: Path, name: str) -> bytes | None:
    """Read a file of the project; a pull request may make any name be asked for, and none leads out of it."""
    try:
        file = (root / name).resolve()
        return file.read_bytes() if file.is_relative_to(root) and file.is_file() else None
    except (OSError, ValueError):
        return None


def _source(entry: Entry) -> str:
    return entry.written_in[0] if entry.written_in else ""


def _kind(entry: Entry) -> tuple[str, str]:
    return entry.identity.group, entry.identity.kind


def _digest(data: bytes | None) -> str:
    return hashlib.sha256(data).hexdigest() if data is not None else ""
