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
_SUFFIXES = tuple(SUFFIXES)

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
    """A search. Paths are texts here: of ten thousand files, making a ``Path`` of each costs more than reading it."""

    def __init__(self, root: Path, aside: Aside | None = None) -> None:
        self.root = root
        self.aside = aside
        self.whole = False
        self.seen: set[str] = set()
        self.prefix = f"{root.as_posix().rstrip('/')}/"

    def read(self, given: Path | str) -> Iterator[Found]:
        if not str(given):
            raise UsageError("a path is empty", "''", "name a file or folder; . is the working folder")
        given = Path(given)
        real = os.path.realpath(given)
        if os.path.isdir(real):  # noqa: PTH112 - see the class
            self.whole = self.aside is not None and self.aside.searches_all(Path(real))
            yield from self.folder(real, inside=(Path(real), self.root))
        elif os.path.exists(real):  # noqa: PTH110 - see the class
            yield from self.once(real, named=True)
        elif given.is_symlink():
            yield self.refused(str(given), *_DANGLING)
        else:
            raise UsageError(
                "there is no such file or folder",
                str(given),
                'name files or folders that exist (. is the whole project), or say in crossgate.toml where manifests are (dist = "…")',
            )

    def folder(self, folder: str, inside: tuple[Path, Path]) -> Iterator[Found]:
        if folder in self.seen:
            return
        self.seen.add(folder)
        try:
            with os.scandir(folder) as found:
                entries = sorted(found, key=_name_of)
        except OSError as error:
            yield self.refused(folder, f"the folder cannot be read: {error.strerror}", _NO_ACCESS)
            return
        for entry in entries:
            if not entry.is_file(follow_symlinks=False):
                yield from self.entry(entry, inside)
            elif _named_so(entry.name) and entry.path not in self.seen:  # nearly every entry
                self.seen.add(entry.path)
                yield self.regular(entry.path)

    def entry(self, entry: os.DirEntry[str], inside: tuple[Path, Path]) -> Iterator[Found]:
        manifest = _named_so(entry.name)
        real = entry.path
        if entry.is_symlink():
            real = os.path.realpath(real)
            there = Path(real)
            if not any(there.is_relative_to(folder) for folder in inside):
                if manifest or there.is_dir():
                    yield self.refused(entry.path, *_LEAVING)
                return
            if manifest and not there.exists():
                yield self.refused(entry.path, *_DANGLING)
                return
        if _is_folder(entry):
            left_out = self.whole and self.aside is not None and self.aside.leaves_out(Path(real))
            if entry.name != ".git" and not left_out:
                yield from self.folder(real, inside)
        elif manifest:
            yield from self.once(real, named=False)

    def once(self, file: str, *, named: bool) -> Iterator[Found]:
        if file not in self.seen:
            self.seen.add(file)
            yield self.file(file, named=named)

    def file(self, file: str, *, named: bool = False) -> Found:
        try:
            mode = os.stat(file).st_mode  # noqa: PTH116 - see the class
        except OSError as error:
            return self.unread(file, error)
        if not stat.S_ISREG(mode):
            # to read a pipe would wait for ever
            return self.refused(file, "this is a device, socket or pipe, not a file", _PIPE if named else "remove it from the folder")
        return self.regular(file)

    def regular(self, file: str) -> Found:
        try:
            data = _content(file)
        except OSError as error:
            return self.unread(file, error)
        return Found(self.name(file), data) if len(data) <= MAX_FILE else self.refused(file, *TOO_LARGE)

    def unread(self, path: str, error: OSError) -> Found:
        return self.refused(path, f"the file cannot be read: {error.strerror}", _NO_ACCESS)

    def refused(self, path: str, what: str, hint: str) -> Found:
        name = self.name(path)
        return Found(name, refused=CouldNotCheck(what, name, hint))

    def name(self, path: str) -> str:
        """Return a path relative to the project, with slashes; outside of it as it is."""
        text = path if os.sep == "/" else path.replace(os.sep, "/")
        return text.removeprefix(self.prefix)


def _content(file: str) -> bytes:
    """Read a file up to one byte more than may be."""
    descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        parts = []
        left = MAX_FILE + 1
        while left > 0 and (part := os.read(descriptor, min(left, _CHUNK))):
            parts.append(part)
            left -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)
    finally:
        os.close(descriptor)


def _name_of(entry: os.DirEntry[str]) -> str:
    return entry.name


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that goes in a circle
        return False


_CHUNK = 1 << 16
"""Bytes of one reading: nearly every file is smaller, and space for more would have to be found first."""


_DANGLING = ("the symbolic link points to nothing", "remove it, or restore the file that it points to")
_LEAVING = (
    "the symbolic link leaves the project",
    "put the file itself here: through a link to the outside the result would depend on the machine",
)
_PIPE = "name a file, or hand manifests over on standard input: crossgate check -"
_NO_ACCESS = "give the user that runs crossgate access to it"


def is_manifest(path: PurePath | str) -> bool:
    """Say whether a file (its path, or its name) is taken for a manifest when it is found in a folder."""
    return _named_so(path if isinstance(path, str) else path.name)


def _named_so(name: str) -> bool:
    return name.lower().endswith(_SUFFIXES)
