"""The way back: which files restore claims to an earlier commit, and the commit that does it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from crossgate.config import Config
from crossgate.errors import CrossgateError, UsageError
from crossgate.gate.entry import entered
from crossgate.git import Commit, Entry, Tree
from crossgate.git.write import Writer
from crossgate.load import inventory_of
from crossgate.load.files import MAX_FILE, is_manifest
from crossgate.load.sourcemap import NAME, SourceMap
from crossgate.model import Document, Identity
from crossgate.plan.make import planned
from crossgate.plan.model import Plan
from crossgate.render.apis import Apis
from crossgate.schema import Schemas
from crossgate.teams import team_of

CLAIMS = "apps/claims"
"""Where teams write their claims; each has a folder of its own."""

_LISTED = 50
"""Files that the message of the commit names."""


@dataclass(frozen=True)
class Rollback:
    """What restores claims. ``files`` are paths in the repository with the entry of ``target`` (``None``: it was not there then).

    ``left`` says what is not restored although it differs, and why.
    """

    head: Commit
    target: Commit
    files: Mapping[str, Entry | None]
    left: tuple[str, ...] = ()
    _config: Config = field(default_factory=Config.find)

    @property
    def project(self) -> Path:
        """Return the project's folder."""
        return self._config.root

    def plan(self) -> Plan:
        """Say what the rollback would change, against the commit that is checked out.

        Raises:
            CrossgateError: something cannot be read.
        """
        entries = {path: entry for path, entry in self.head.tree.entries.items() if path not in self.files}
        entries |= {path: entry for path, entry in self.files.items() if entry is not None}
        restored = self.head.with_tree(Tree(entries, self.target.blob))
        with entered(self._config, base="HEAD") as entry:
            made: Plan = entry.told(planned(None, entry, Schemas.load(entry.config.schemas), instead=restored))
            return made

    def write(self, reason: str, *, branch: str = "") -> str:
        """Write the commit, on a new ``branch`` or on the one that is checked out, and return its id.

        Raises:
            UsageError: the reason is none, or the repository does not let it (``Writer.commit``).
        """
        writer = Writer(self.head)
        files = dict(self.files)
        dist = self.head.path(self._config.dist)
        if dist is not None and (text := _source_map(self, dist)) is not None:
            files[_joined(dist, NAME)] = Entry(0o100644, writer.blob(text.encode("utf-8", errors="surrogateescape")))
        return writer.commit(files, self.message(reason), branch=branch)

    def message(self, reason: str) -> str:
        """Return the commit's message: the same for the same rollback and reason.

        Raises:
            UsageError: the reason is empty or holds control characters.
        """
        if not reason.strip() or not all(character.isprintable() or character == "\n" for character in reason):
            raise UsageError("a rollback needs a reason", "--reason", "say in a sentence why")
        names = [f"- {path if path.isprintable() else ascii(path)}" for path in sorted(self.files)]
        more = [f"- and {len(names) - _LISTED} more"] if len(names) > _LISTED else []
        title = f"Roll back {len(names)} file{'' if len(names) == 1 else 's'} of claims to {self.target.id[:12]}"
        return "\n".join([title, "", reason.strip(), "", f"Restored from {self.target.id}:", *names[:_LISTED], *more, ""])


def prepare(to: str, *, claims: Sequence[Path] = (), team: str = "", config: Config | None = None) -> Rollback:
    """Find the files that restore claims to the commit ``to``.

    Args:
        to: the commit to go back to.
        claims: files of claims (as teams write them, or in ``dist/``); one that is gone is named as it was. Without any, and
            without ``team``, all claims are restored.
        team: restore the claims of one team.
        config: the project.

    Raises:
        UsageError: the working tree has changes, there is no such commit in this clone (the hint is the command that fetches it), a file is
            outside of the claims, or holds other things too.
        CrossgateError: contents are missing from this clone.
    """
    config = config or Config.find()
    head = Commit.find(config.root, "HEAD")
    Writer(head).clean()
    try:
        target = Commit.find(config.root, to)
    except UsageError as error:
        raise UsageError(error.what, "--to", error.hint) from error
    found = _Files(head, target, config)
    files, left = found.of_claims([found.inside(path) for path in claims], team)
    return Rollback(head, target, files, left, config)


@dataclass(frozen=True)
class _Files:
    """The files of both commits that may be claims."""

    head: Commit
    target: Commit
    config: Config

    def inside(self, path: Path) -> str:
        """Return a named file as a path in the repository."""
        inside = self.head.path(path)
        folders = [folder for folder in (self._claims, self._dist) if folder is not None]
        if inside is None or not any(inside.startswith(f"{folder}/") for folder in folders):
            raise UsageError("this is no file of a claim", str(path), f"name one in {' or '.join(folders)}")
        if not any(inside in side.tree.entries for side in (self.head, self.target)):
            raise UsageError("there is no such file", str(path), f"it is neither in HEAD nor in {self.target}")
        return inside

    def of_claims(self, named: Sequence[str], team: str) -> tuple[dict[str, Entry | None], tuple[str, ...]]:
        """Return what to restore, and what is left as it is and why."""
        root = self.head.path(self.config.root) or ""
        origin = {**_origins(self._map(self.head), root), **_origins(self._map(self.target), root)}
        wanted = set(named) | {file for file, source in origin.items() if source in named}
        wanted |= {source for file in named if (source := origin.get(file))}
        left: list[str] = []
        files: dict[str, Entry | None] = {}
        for path in self._differing():
            if named and path not in wanted:
                continue
            written = self._claims is not None and path.startswith(f"{self._claims}/")
            if not self._about(path, team, written=written, asked=path in named):
                continue
            if not written and origin.get(path) == "":
                left.append(f"{path} is made by the app's own code: take that back by git revert, and run crossgate synth")
                continue
            files[path] = self._restorable(path)
        self._refuse_lost(files)
        return files, tuple(left)

    def _refuse_lost(self, files: Mapping[str, Entry | None]) -> None:
        """Refuse to restore a file in the place of what is no claim: a folder with other files, a file or link where its folder was."""
        kept = [path for path in self.head.tree.entries if path not in files]
        folders = {str(parent): path for path in kept for parent in PurePosixPath(path).parents}
        for path in (path for path, entry in files.items() if entry is not None):
            above = next((str(parent) for parent in PurePosixPath(path).parents if str(parent) in self.head.tree.entries), "")
            lost = folders.get(path) or (above if above not in files else "")
            if lost:
                raise UsageError(f"it cannot be restored without removing {lost}, which is no claim", path, "take that back by git revert")

    def _differing(self) -> Iterator[str]:
        one, other = self.head.tree.entries, self.target.tree.entries
        folders = tuple(f"{folder}/" for folder in (self._claims, self._dist) if folder is not None)
        for path in sorted({*one, *other}):
            if path.startswith(folders) and is_manifest(PurePosixPath(path)) and one.get(path) != other.get(path):
                yield path

    def _about(self, path: str, team: str, *, written: bool, asked: bool) -> bool:
        """Say whether a file holds claims (of the team), and nothing else."""
        if written:
            folder = path.removeprefix(f"{self._claims}/").partition("/")[0]
            return not team or folder == team
        documents = [document for side in (self.head, self.target) for document in self._documents(side, path)]
        ours = [document for document in documents if self._is_claim(document) and (not team or team_of(document.body) == team)]
        if not ours and not asked:
            return False
        if len(ours) != len(documents) or not documents:
            other = next((str(Identity.of(document.body)) for document in documents if document not in ours), "no claim")
            hint = "one file for each claim can be restored by itself; take this one back by git revert"
            raise UsageError(f"the file holds other things too: {other}", path, hint)
        return True

    def _is_claim(self, document: Document) -> bool:
        identity = Identity.of(document.body)
        return (identity.group, identity.kind) in self._kinds

    @property
    def _kinds(self) -> set[tuple[str, str]]:
        if "kinds" not in self.__dict__:
            known = [Apis.of(self._platform(side)) for side in (self.head, self.target)]
            self.__dict__["kinds"] = {kind for apis in known for kind in (*apis.claims, *apis.composites)}
        kinds: set[tuple[str, str]] = self.__dict__["kinds"]
        return kinds

    def _platform(self, side: Commit) -> Iterable[Document]:
        from crossgate.gate.documents import platform_at  # noqa: PLC0415 - named files of claims may need no platform

        return platform_at(side, self.config.dist, self.config.root)

    def _documents(self, side: Commit, path: str) -> list[Document]:
        entry = side.tree.entries.get(path)
        if entry is None or not entry.regular:
            return []
        inventory = inventory_of(side.blob(entry.blob, MAX_FILE), path)
        for fault in inventory.judgement.could_not_check:
            raise CrossgateError(f"a file of {side} cannot be read: {fault.what}", fault.where, "take it back by git revert")
        return [document for document in inventory.documents if document.body is not None]

    def _restorable(self, path: str) -> Entry | None:
        entry = self.target.tree.entries.get(path)
        if entry is not None and not entry.regular:
            raise UsageError(f"in {self.target} this is no plain file", path, "take it back by git revert")
        if entry is not None:
            self.target.blob(entry.blob, 1)  # what is missing from this clone is said now and not half-way
        return entry

    def _map(self, side: Commit) -> Mapping[str, tuple[Any, ...]]:
        """Return the entries of the source map by paths in the repository."""
        if self._dist is None:
            return {}
        found = read_map(side, self._dist)
        return {_joined(self._dist, file): tuple(found.entries(file)) for file in found.files}

    @property
    def _claims(self) -> str | None:
        return self.head.path(self.config.root / CLAIMS)

    @property
    def _dist(self) -> str | None:
        return self.head.path(self.config.dist)


def read_map(side: Commit, dist: str) -> SourceMap:
    """Read the source map of a commit's ``dist/``; without one, or with a damaged one, it is empty."""
    data = side.tree.read(_joined(dist, NAME))
    with tempfile.TemporaryDirectory(prefix="crossgate-") as folder:
        Path(folder, NAME).write_bytes(data or b"")
        return SourceMap.read(Path(folder))


def _origins(found: Mapping[str, tuple[Any, ...]], root: str) -> dict[str, str]:
    """Return the claim file that each file of ``dist/`` was made from; "" for one that code has made."""
    return {file: _joined(root, entries[0].written_in[0]) if entries[0].written_in else "" for file, entries in found.items() if entries}


def _joined(folder: str, path: str) -> str:
    return f"{folder}/{path}" if folder else path


def _source_map(rollback: Rollback, dist: str) -> str | None:
    """Return the source map of the restored ``dist/``: the lines of restored files are those of the target."""
    before, after = (read_map(side, dist) for side in (rollback.target, rollback.head))
    if not after.lines and not before.lines:
        return None
    prefix = _joined(dist, "")
    restored = {path.removeprefix(prefix): entry for path, entry in rollback.files.items() if path.startswith(prefix)}
    root = rollback.head.path(rollback.project) or ""
    lines = {file: line for file, line in after.lines.items() if file not in restored}
    lines |= {file: before.lines[file] for file, entry in restored.items() if entry is not None and file in before.lines}
    sources = {file: digest for file, digest in after.sources.items() if _joined(root, file) not in rollback.files}
    sources |= {file: digest for file, digest in before.sources.items() if rollback.files.get(_joined(root, file)) is not None}
    return SourceMap(dict(sorted(sources.items())), lines).text()
