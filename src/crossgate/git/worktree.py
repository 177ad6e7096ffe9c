"""Compare what stands on disk with what a commit holds."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from crossgate.git.commit import Commit
from crossgate.git.tree import blob_id

OTHER = "other"
"""Stands for the id of what is no plain file (a link, a pipe) and of what cannot be read."""


def files_on_disk(folder: Path, top: Path) -> dict[str, str]:
    """Return the ids of the files at or below ``folder``, by paths relative to ``top``; links are not followed."""
    name = folder.relative_to(top).as_posix()
    if folder.is_symlink() or not folder.is_dir():
        return {name: OTHER if folder.is_symlink() or not folder.is_file() else _id(folder)} if os.path.lexists(folder) else {}
    return dict(_below(str(folder), "" if name == "." else f"{name}/"))


def _below(folder: str, prefix: str) -> Iterator[tuple[str, str]]:
    """Yield files and their ids. What may not be listed has none: that is another folder than the commit's."""
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            yield from _below(entry.path, f"{prefix}{entry.name}/")
        else:
            yield f"{prefix}{entry.name}", _id(entry) if entry.is_file(follow_symlinks=False) else OTHER


def changed_files(commit: Commit, path: str) -> dict[str, str]:
    """Return what differs at or below ``path`` between ``commit`` and the disk: ``added``, ``changed`` or ``removed``, by path."""
    before = {real: commit.tree.entries[real].blob for _, real in commit.tree.files(path)}
    after = files_on_disk(commit.top / path, commit.top)
    said = {name: "removed" if name not in after else "changed" for name, blob in before.items() if after.get(name) != blob}
    said |= {name: "added" for name in after if name not in before}
    return dict(sorted(said.items()))


def same_on_disk(commit: Commit, path: str) -> bool:
    """Say whether ``path`` holds on disk exactly what it holds in ``commit``, in plain files and folders all the way."""
    parts = Path(path).parts
    if any((commit.top / Path(*parts[:count])).is_symlink() for count in range(1, len(parts) + 1)):
        return False
    below = f"{path}/"
    inside = [entry for name, entry in commit.tree.entries.items() if name == path or name.startswith(below)]
    return bool(inside) and all(entry.regular for entry in inside) and not changed_files(commit, path)


def _id(file: Path | os.DirEntry[str]) -> str:
    try:
        with open(file, "rb") as content:  # noqa: PTH123 - a Path for each of thousands of files would cost more than reading it
            return blob_id(content.read())
    except OSError:
        return OTHER
