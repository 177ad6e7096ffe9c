"""The two states that a plan compares: the files of the base commit and those on disk, as far as they differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from crossgate.config import Config
from crossgate.gate.documents import files_at, name_of
from crossgate.git import Commit
from crossgate.git.tree import blob_id
from crossgate.load import Inventory, inventory_of, sourcemap
from crossgate.load.files import MAX_FILE, Found, find_files
from crossgate.load.platform import KINDS, mentions_platform
from crossgate.model import CouldNotCheck, Document
from crossgate.paths import MISSING, follow


@dataclass
class State:
    """One side. ``ids`` are content ids by file name; a file is read when its documents are asked for, and once."""

    ids: Mapping[str, str]
    could_not_check: list[CouldNotCheck] = field(default_factory=list)
    _files: Mapping[str, Found] = field(default_factory=dict)
    _commit: Commit | None = None
    _root: Path = Path()
    _read: dict[str, Inventory] = field(default_factory=dict)
    _known: State | None = None

    def documents(self, names: Iterable[str]) -> tuple[Document, ...]:
        """Return the objects in the given files, in the order of the names."""
        return tuple(document for name in names for document in self._inventory(name).documents if isinstance(document.body, dict))

    @cached_property
    def platform(self) -> tuple[Document, ...]:
        """Return the XRDs, Compositions, CRDs and EnvironmentConfigs, and everything that a pipeline's steps may ask the cluster for."""
        documents = self.documents(name for name in self.ids if mentions_platform(self._data(name)))
        found = tuple(document for document in documents if document.body.get("kind") in KINDS)
        # steps may require objects of any kind: then each object is one that rendering depends on
        return self.documents(self.ids) if any(map(_requires, found)) else found

    def _inventory(self, name: str) -> Inventory:
        if name not in self._read:
            inventory = inventory_of(self._data(name), name)
            if self._commit is None:
                inventory = Inventory(sourcemap.apply(inventory.documents, self._root), inventory.judgement, 1)
            self.could_not_check += inventory.judgement.could_not_check
            self._read[name] = inventory
        return self._read[name]

    def holding(self, texts: Sequence[bytes]) -> Iterator[str]:
        """Yield the files whose bytes hold one of some texts."""
        return (name for name in self.ids if any(text in self._data(name) for text in texts))

    def _data(self, name: str) -> bytes:
        if name in self._files:
            return self._files[name].data
        if self._known is not None and self._known.ids.get(name) == self.ids[name]:
            return self._known._data(name)  # what both have is read from disk
        return self._commit.blob(self.ids[name], MAX_FILE) if self._commit is not None else b""


def on_disk(paths: Sequence[Path], config: Config) -> State:
    """Return what stands on disk. A path that does not exist holds nothing: that is what deleting it means."""
    files: dict[str, Found] = {}
    refused: list[CouldNotCheck] = []
    for found in find_files([path for path in paths if path.exists()], root=config.root):
        if found.refused is not None:
            refused.append(found.refused)
        else:
            files[found.name] = found
    return State({name: blob_id(found.data) for name, found in files.items()}, refused, files, _root=config.root.resolve())


def at_commit(commit: Commit, paths: Sequence[Path], config: Config, head: State) -> State:
    """Return what stands in ``commit``; the content of files that ``head`` has too is taken from there."""
    root = config.root.resolve()
    ids = {name_of(commit, path, root): blob for path, blob in files_at(commit, paths)}
    return State(ids, _commit=commit, _root=root, _known=head)


def differing(before: State, after: State) -> Iterator[str]:
    """Yield the files that are not the same on both sides."""
    return (name for name in dict.fromkeys((*before.ids, *after.ids)) if before.ids.get(name) != after.ids.get(name))


def _requires(document: Document) -> bool:
    pipeline = follow(document.body, ("spec", "pipeline"))
    steps = [step for step in pipeline if isinstance(step, dict)] if isinstance(pipeline, list) else []
    return any(follow(step, ("requirements", "requiredResources")) is not MISSING for step in steps)
