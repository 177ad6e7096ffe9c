"""Find the manifests under the given paths and read them, each file once."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from crossgate.errors import UsageError
from crossgate.load.aside import Aside
from crossgate.load.inventory import Inventory, inventory_of
from crossgate.model import CouldNotCheck, Judgement

SUFFIXES = frozenset((".yaml", ".yml", ".json"))
"""What Argo CD takes for manifests in a folder; here in any letter case."""

MAX_FILE = 10 * 1024 * 1024
"""Bytes of one file; a larger one is refused without being read."""
TOO_LARGE = (f"the file is larger than {MAX_FILE // 1024 // 1024} MiB", "split it into one file an object")
"""What is said of such a file, and the way out."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file under a given path: its name, relative to the project, and its content, or why that is not read."""

    name: str
    data: bytes = b""
    refused: CouldNotCheck | None = None

    def inventory(self) -> Inventory:
        """Read the documents."""
        return (
            inventory_of(self.data, self.name)
            if self.refused is None
            else Inventory(judgement=Judgement(could_not_check=(self.refused,)), files=1)
        )


def find_files(paths: Sequence[Path | str], *, root: Path, aside: Aside | None = None) -> Iterator[Found]:
    """Yield every manifest under ``paths`` with its content, unread; the rules are those of ``load_paths``.

    ``aside`` says what a search of the whole project leaves out; without it, nothing is.
    """
    walk = _Walk(root.resolve(), aside)
    for path in paths:
        yield from walk.read(path)


def load_paths(paths: Sequence[Path | str], *, root: Path) -> Inventory:
    """Read every manifest under ``paths``.

    Folders are searched for .yaml, .yml and .json files in any letter case, hidden ones too (but not
    ``.git``); a file that is named itself is read whatever its suffix. Symbolic links are followed where
    they stay inside ``root`` or the given folder, and every file is read once, under its real name. The
    order is that of the paths, and of the names within a folder.

    Args:
        paths: files and folders.
        root: the project's folder; the files of ``documents`` are relative to it where they are inside.

    Returns:
        The inventory. A file that cannot be read is "could not check" and the others are still read;
        ``files`` counts what was opened: 0 means that there was nothing to check.

    Raises:
        UsageError: a path does not exist.
    """
    inventories = [found.inventory() for found in find_files(paths, root=root)]
    return Inventory(
        documents=tuple(document for inventory in inventories for document in inventory.documents),
        judgement=Judgement(
            findings=tuple(finding for inventory in inventories for finding in inventory.judgement.findings),
            could_not_check=tuple(item for inventory in inventories for item in inventory.judgement.could_not_check),
        ),
        files=sum(inventory.files for inventory in inventories),
    )


class _Walk:
    def __init__(self, root: Path, aside: Aside | None = None) -> None:
        self.root = root
        self.aside = aside
        self.whole = False
        self.seen: set[Path] = set()

    def read(self, given: Path | str) -> Iterator[Found]:
        if not str(given):
            raise UsageError("a path is empty", "''", "name a file or folder; . is the working folder")
        given = Path(given)
        real = _real(given)
        if real.is_dir():
            self.whole = self.aside is not None and self.aside.searches_all(real)
            yield from self.folder(real, inside=(real, self.root))
        elif real.exists():
            yield from self.file(real, named=True)
        elif given.is_symlink():
            yield self.refused(given, *_DANGLING)
        else:
            raise UsageError(
                "there is no such file or folder",
                str(given),
                "name a file or folder that exists, or say in crossgate.toml where manifests are (dist)",
            )

    def folder(self, folder: Path, inside: tuple[Path, Path]) -> Iterator[Found]:
        if folder in self.seen:
            return
        self.seen.add(folder)
        try:
            entries = sorted(folder.iterdir(), key=lambda entry: entry.name)
        except OSError as error:
            yield self.refused(folder, f"the folder cannot be read: {error.strerror}", _NO_ACCESS)
            return
        for entry in entries:
            yield from self.entry(entry, inside)

    def entry(self, entry: Path, inside: tuple[Path, Path]) -> Iterator[Found]:
        manifest = is_manifest(entry)
        real = entry
        if entry.is_symlink():
            real = _real(entry)
            if not any(real.is_relative_to(folder) for folder in inside):
                if manifest or real.is_dir():
                    yield self.refused(entry, *_LEAVING)
                return
            if manifest and not real.exists():
                yield self.refused(entry, *_DANGLING)
                return
        if real.is_dir():
            left_out = self.whole and self.aside is not None and self.aside.leaves_out(real)
            if entry.name != ".git" and not left_out:
                yield from self.folder(real, inside)
        elif manifest:
            yield from self.file(real, named=False)

    def file(self, file: Path, *, named: bool) -> Iterator[Found]:
        if file in self.seen:
            return
        self.seen.add(file)
        try:
            status = file.stat()
            if not stat.S_ISREG(status.st_mode):
                # to read a pipe would wait for ever
                yield self.refused(file, "this is a device, socket or pipe, not a file", _PIPE if named else "remove it from the folder")
                return
            data = b""
            if status.st_size <= MAX_FILE:
                with file.open("rb") as stream:
                    data = stream.read(MAX_FILE + 1)
        except OSError as error:
            yield self.refused(file, f"the file cannot be read: {error.strerror}", _NO_ACCESS)
            return
        if max(status.st_size, len(data)) > MAX_FILE:
            yield self.refused(file, *TOO_LARGE)
            return
        yield Found(self.name(file), data)

    def refused(self, path: Path, what: str, hint: str) -> Found:
        name = self.name(path)
        return Found(name, refused=CouldNotCheck(what, name, hint))

    def name(self, path: Path) -> str:
        """Return a path relative to the project, with slashes; outside of it as it is."""
        text, root = path.as_posix(), f"{self.root.as_posix().rstrip('/')}/"
        return text[len(root) :] if text.startswith(root) else text


def _real(path: Path) -> Path:
    """Follow symbolic links; unlike ``Path.resolve`` it leaves those that go in a circle as they are."""
    return Path(os.path.realpath(path))


_DANGLING = ("the symbolic link points to nothing", "remove it, or restore the file that it points to")
_LEAVING = (
    "the symbolic link leaves the project",
    "put the file itself here: through a link to the outside the result would depend on the machine",
)
_PIPE = "name a file, or hand manifests over on standard input: crossgate check -"
_NO_ACCESS = "give the user that runs crossgate access to it"


def is_manifest(path: PurePath) -> bool:
    """Say whether a file is taken for a manifest when it is found in a folder."""
    return path.suffix.lower() in SUFFIXES or path.name.lower() in SUFFIXES
