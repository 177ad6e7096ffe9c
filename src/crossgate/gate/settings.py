"""The settings of a commit, with what a caller changed on top."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from crossgate.config import Config
from crossgate.git import Commit


def settings_of(commit: Commit, given: Config) -> Config:
    """Return the project's settings as they stand in ``commit``.

    Where ``given`` differs from what the files on disk say, somebody said so on the command line: that stays.
    The project's folder is looked for in the commit too, so that a file added further down cannot move it.

    Raises:
        UsageError: the settings of the commit cannot be read.
    """
    here = Path.cwd().resolve()
    start = here if here.is_relative_to(given.root.resolve()) else given.root.resolve()

    def read(path: Path) -> bytes | None:
        inside = commit.path(path)
        return commit.tree.read(inside) if inside is not None else None

    based = Config.find(start, read=read)
    on_disk = Config.find(given.root)
    changed: dict[str, Any] = {
        field.name: getattr(given, field.name)
        for field in fields(Config)
        if field.name != "root" and getattr(given, field.name) != getattr(on_disk, field.name)
    }
    return replace(based, **changed)
