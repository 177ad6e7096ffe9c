"""The files of a commit, with symbolic links followed inside the tree only."""

from __future__ import annotations

import hashlib
import posixpath
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

SUBMODULE = 0o160000
_LINKS = 16
"""How many links may follow each other; the file system of Linux stops at 40."""


class Entry(NamedTuple):
    """One entry of a commit's tree: git's mode bits and the id of the content."""

    mode: int
    blob: str

    @property
    def regular(self) -> bool:
        """Say whether this is a plain file (not a link, not a submodule)."""
        return stat.S_ISREG(self.mode)

    @property
    def link(self) -> bool:
        """Say whether this is a symbolic link."""
        return stat.S_ISLNK(self.mode)


@dataclass(frozen=True)
class Tree:
    """All files of a commit; paths are relative to the repository, with slashes."""

    entries: Mapping[str, Entry]
    _read: Callable[..., bytes] = field(repr=False)

    @cached_property
    def _folders(self) -> frozenset[str]:
        return frozenset(self._by_folder)

    @cached_property
    def _by_folder(self) -> Mapping[str, list[str]]:
        grouped: dict[str, list[str]] = {"": []}
        for path in self.entries:
            folder = _above(path)
            if folder in grouped:
                grouped[folder].append(path)
                continue
            grouped[folder] = [path]
            while (above := _above(folder)) not in grouped:
                grouped[above] = [folder]
                folder = above
            grouped[above].append(folder)
        for paths in grouped.values():
            paths.sort()
        return grouped

    @cached_property
    def _links(self) -> frozenset[str]:
        return frozenset(path for path, entry in self.entries.items() if entry.link)

    @cached_property
    def _doubtful(self) -> frozenset[str]:
        """The files and folders that may be elsewhere than where their names say: links, and names that git itself would not make."""
        odd = [path for path in self.entries if _is_odd(path)]
        return self._links.union(*(_prefixes(path) for path in odd))

    def real(self, path: str) -> str | None:
        """Return the path that ``path`` is after all links; ``None`` when it leaves the repository, goes in circles or is not there."""
        for _ in range(_LINKS):
            path = posixpath.normpath(path) if path not in ("", ".") else ""
            path = "" if path == "." else path
            if path.startswith(("../", "/")) or path == "..":
                return None
            link = next((part for part in _prefixes(path) if part in self._links), None) if self._links else None
            if link is None:
                return path if path in self.entries or path in self._folders else None
            target = self._read(self.entries[link].blob, 4096).decode("utf-8", errors="surrogateescape")
            rest = path[len(link) :].lstrip("/")
            path = target if target.startswith("/") else posixpath.join(posixpath.dirname(link), target, rest)
        return None

    def files(self, path: str) -> Iterator[tuple[str, str]]:
        """Yield the files at or below ``path`` as (path asked for, real path), depth first in the order of names, each real one once."""
        yield from self._files(path, set())

    def _files(self, path: str, seen: set[str]) -> Iterator[tuple[str, str]]:
        real = self.real(path)
        if real is not None:
            yield from self._below(path, real, seen)

    def _below(self, path: str, real: str, seen: set[str]) -> Iterator[tuple[str, str]]:
        if real in seen:
            return
        seen.add(real)
        entry = self.entries.get(real)
        if entry is not None:
            if entry.regular:
                yield path, real
            return
        for child in self._by_folder.get(real, ()):
            if child in self._doubtful:
                yield from self._files(posixpath.join(path, posixpath.basename(child)), seen)
            else:
                yield from self._below(child if path == real else posixpath.join(path, posixpath.basename(child)), child, seen)

    def read(self, path: str, limit: int = 0) -> bytes | None:
        """Return the content of the file at ``path``, links followed; ``None`` when there is no such file."""
        real = self.real(path)
        entry = self.entries.get(real) if real is not None else None
        return self._read(entry.blob, limit) if entry is not None and entry.regular else None

    def submodules(self, path: str) -> list[str]:
        """Return the submodules at, above or below ``path``: what they hold is not in this repository."""
        return sorted(
            name for name, entry in self.entries.items() if entry.mode == SUBMODULE and (_within(name, path) or _within(path, name))
        )


def blob_id(data: bytes) -> str:
    """Return the id that git gives a file with this content (SHA-1 repositories)."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _prefixes(path: str) -> Iterator[str]:
    parts = path.split("/")
    for count in range(1, len(parts) + 1):
        yield "/".join(parts[:count])


def _above(path: str) -> str:
    folder = path.rpartition("/")[0]
    return posixpath.dirname(path) if folder[-1:] == "/" or path[:1] == "/" else folder


def _is_odd(path: str) -> bool:
    framed = f"/{path}/"
    return "//" in framed or "/./" in framed or "/../" in framed


def _within(path: str, folder: str) -> bool:
    return folder in ("", path) or path.startswith(f"{folder}/")
