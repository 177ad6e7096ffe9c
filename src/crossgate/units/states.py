"""The states that are judged and compared: the files of the base commit and those on disk, as far as they differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from crossgate.config import Config
from crossgate.gate.documents import files_at, naming
from crossgate.git import Commit
from crossgate.git.tree import blob_id
from crossgate.load import Inventory, inventory_of, sourcemap
from crossgate.load.additions import Additions
from crossgate.load.aside import Aside
from crossgate.load.files import MAX_FILE, TOO_LARGE, Found, find_files
from crossgate.load.platform import KINDS, mentions, mentions_platform
from crossgate.model import CouldNotCheck, Document, Judgement
from crossgate.paths import MISSING, follow


@dataclass
class State:
    """One side. ``ids`` are content ids by file name; a file is read when its documents are asked for, and once.

    ``asked`` are the files that were asked for; the others are there because those may need them. ``refused`` says what is not read at all,
    ``could_not_check`` that too and what could not be read so far. ``additions`` are what synth adds to claims outside of ``dist/``,
    ``behind`` the claims of teams that ``dist/`` does not have as they are now.
    """

    ids: Mapping[str, str]
    asked: tuple[str, ...] = ()
    refused: tuple[CouldNotCheck, ...] = ()
    could_not_check: list[CouldNotCheck] = field(default_factory=list)
    _files: Mapping[str, Found] = field(default_factory=dict)
    _commit: Commit | None = None
    root: Path = Path()
    _parsed: dict[str, Inventory] = field(default_factory=dict)
    _read: dict[str, Inventory] = field(default_factory=dict)
    _known: State | None = None
    _contents: dict[str, bytes] = field(default_factory=dict)
    additions: Additions | None = None
    behind: tuple[str, ...] = ()
    _keys: dict[str, str | None] = field(default_factory=dict)

    def key(self, name: str) -> str | None:
        """Return what a file's objects depend on besides its name; None where there is no such file."""
        if name not in self._keys:
            blob = self.ids.get(name)
            self._keys[name] = blob + self.additions.key(name) if blob is not None and self.additions is not None else blob
        return self._keys[name]

    def doubled(self, name: str) -> bool:
        """Say whether a file of a team is here once more, as synth wrote it into the output."""
        added = self.additions
        return added is not None and added.fresh(name) and self.ids.keys() >= {*added.twins(name)}

    def documents(self, names: Iterable[str]) -> tuple[Document, ...]:
        """Return the objects in the given files, in the order of the names."""
        return tuple(document for name in names for document in self.inventory(name).documents if isinstance(document.body, dict))

    @cached_property
    def platform(self) -> tuple[Document, ...]:
        """Return the XRDs, Compositions, CRDs and EnvironmentConfigs, and everything that a pipeline's steps may ask the cluster for."""
        found = self._definitions
        # steps may require objects of any kind: then each object is one that rendering depends on
        return self.documents(self.ids) if any(map(_requires, found)) else found

    @cached_property
    def _definitions(self) -> tuple[Document, ...]:
        return tuple(document for document in self.documents(self._of_platform) if document.body.get("kind") in KINDS)

    def unread(self, names: Iterable[str]) -> tuple[CouldNotCheck, ...]:
        """Return what could not be read of some files and of those that the platform may stand in, whatever else was read."""
        files = self.ids if any(map(_requires, self._definitions)) else dict.fromkeys((*self._of_platform, *names))
        missing = (item for name in files for item in self.inventory(name).judgement.could_not_check)
        return tuple(dict.fromkeys((*self.refused, *missing)))

    @cached_property
    def _of_platform(self) -> dict[str, None]:
        known = self._known._of_platform if self._known is not None else {}
        return dict.fromkeys(name for name in self.ids if (name in known if self._same(name) else mentions_platform(self.data(name))))

    @cached_property
    def naming_namespaces(self) -> dict[str, None]:
        """Return the files that may hold a Namespace as it is."""
        known = self._known.naming_namespaces if self._known is not None else {}
        return dict.fromkeys(name for name in self.ids if (name in known if self._same(name) else mentions(self.data(name), "Namespace")))

    def inventory(self, name: str) -> Inventory:
        """Return what stands in a file, with what reading it has to say."""
        if name not in self._read:
            inventory = self._written(name)
            documents = self.sources.placed(inventory.documents) if self.sources is not None else inventory.documents
            whole = self.additions.whole(name, documents) if self.additions is not None else documents
            self.could_not_check += inventory.judgement.could_not_check
            self._read[name] = Inventory(whole, inventory.judgement, 1)
        return self._read[name]

    def _written(self, name: str) -> Inventory:
        """Return what stands in a file itself; what both states have is read once."""
        if (other := self._same(name)) is not None:
            return other._written(name)
        if name not in self._parsed:
            data = self.data(name)
            if len(data) > MAX_FILE:
                what, hint = TOO_LARGE
                self._parsed[name] = Inventory(judgement=Judgement(could_not_check=(CouldNotCheck(what, name, hint),)), files=1)
            else:
                self._parsed[name] = inventory_of(data, name)
        return self._parsed[name]

    def holding(self, texts: Sequence[bytes]) -> Iterator[str]:
        """Yield the files whose bytes hold one of some texts."""
        return (name for name in self.ids if any(text in self.data(name) for text in texts))

    def _same(self, name: str) -> State | None:
        """Return the other state if it has a file of this name with the same content."""
        return self._known if self._known is not None and self._known.ids.get(name) == self.ids[name] else None

    @cached_property
    def sources(self) -> sourcemap.Sources | None:
        """Return what leads its documents back to their authors; None for a commit, whose source map would have to be read from there."""
        return sourcemap.Sources(self.root) if self._commit is None else None

    def data(self, name: str) -> bytes:
        """Return the content of a file; it is read once."""
        if name in self._files:
            return self._files[name].data
        if (other := self._same(name)) is not None:
            return other.data(name)  # what both have is read from disk
        if name not in self._contents:
            self._contents[name] = self._commit.blob(self.ids[name], MAX_FILE) if self._commit is not None else b""
        return self._contents[name]


def aside_of(config: Config) -> Aside:
    """Return what a search of the whole project leaves out."""
    root = config.root.resolve()
    # those of a base commit stand elsewhere while it judges; the project's own are left out all the same
    own = (*config.policies, *config.schemas, root / "policies", root / "schemas")
    return Aside(root, tuple(path.resolve() for path in own), config.dist.resolve())


def on_disk(
    paths: Sequence[Path], config: Config, *, besides: Sequence[Path] = (), must_exist: bool = False, judge: Commit | None = None
) -> State:
    """Return what stands on disk.

    Args:
        paths: files and folders that are asked for. One that does not exist holds nothing: that is what deleting it means.
        config: the project.
        besides: further files and folders.
        must_exist: refuse a path that does not exist.
        judge: the commit that judges it, if one does.

    Raises:
        UsageError: a path does not exist and must.
    """
    files: dict[str, Found] = {}
    refused: list[CouldNotCheck] = []
    asked: tuple[str, ...] | None = None
    for folders in (paths, [*paths, *besides]) if besides else (paths,):
        there = [path for path in folders if path.exists() or path.is_symlink() or (must_exist and path in paths)]
        for found in find_files(there, root=config.root, aside=aside_of(config)):
            if found.name in files:
                continue
            if found.refused is None:
                files[found.name] = found
            elif found.refused not in refused:
                refused.append(found.refused)
        asked = tuple(files) if asked is None else asked
    added = Additions.of(config.root, config.dist, since=_additions_at(judge, config) if judge is not None else None)
    return State(
        {name: blob_id(found.data) for name, found in files.items()},
        added.once(asked or ()) if added is not None else asked or (),
        tuple(refused),
        refused,
        files,
        root=config.root.resolve(),
        additions=added,
        behind=tuple(name for name in asked or () if added is not None and added.expected(name) and not added.fresh(name)),
    )


def at_commit(commit: Commit, paths: Sequence[Path], config: Config, head: State, *, besides: Sequence[Path] = ()) -> State:
    """Return what stands in ``commit``; the content of files that ``head`` has too is taken from there."""
    root = config.root.resolve()
    aside = aside_of(config)
    name_of = naming(commit, root)
    ids = {name_of(path): blob for path, blob in files_at(commit, paths, aside)}
    more = {name_of(path): blob for path, blob in files_at(commit, [*paths, *besides], aside)} if besides else {}
    added = _additions_at(commit, config)
    asked = added.once(ids) if added is not None else tuple(ids)
    return State({**ids, **more}, asked, _commit=commit, root=root, _known=head, additions=added)


def _additions_at(commit: Commit, config: Config) -> Additions | None:
    root = config.root.resolve()
    return Additions.of(root, config.dist, lambda name: _committed(commit, root, name))


def _committed(commit: Commit, root: Path, name: str) -> bytes | None:
    entry = commit.tree.entries.get(commit.path(root / name) or "")
    return commit.blob(entry.blob) if entry is not None else None


def differing(before: State, after: State) -> Iterator[str]:
    """Yield the files that are not the same on both sides; what a team wrote, only where synth has not written it since."""
    for name in dict.fromkeys((*before.ids, *after.ids)):
        if before.key(name) != after.key(name) and not (after if name in after.ids else before).doubled(name):
            yield name


def _requires(document: Document) -> bool:
    pipeline = follow(document.body, ("spec", "pipeline"))
    steps = [step for step in pipeline if isinstance(step, dict)] if isinstance(pipeline, list) else []
    return any(follow(step, ("requirements", "requiredResources")) is not MISSING for step in steps)
