"""What a search of a whole project leaves out: folders that nobody means when they say ``crossgate check .``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

MODULES = "node_modules"
ENVIRONMENT = "pyvenv.cfg"
"""The file that makes a folder a virtual environment of Python."""


@dataclass(frozen=True, slots=True)
class Aside:
    """The folders of a project that hold no manifests of its own: hidden ones, packages, and ``own``, its rules and schemas.

    They are left out only where the whole project is searched, never below ``keep`` (the folder that Argo CD syncs, hidden folders and
    all) and never when they are named. All paths are real.
    """

    root: Path
    own: tuple[Path, ...]
    keep: Path

    def searches_all(self, given: Path) -> bool:
        """Say whether a search of ``given`` is one of the whole project."""
        return self.root.is_relative_to(given)

    def leaves_out(self, folder: Path) -> bool:
        """Say whether a search of the whole project leaves out a folder on disk."""
        return self._named_so(folder) or (not self._kept(folder) and (folder / ENVIRONMENT).is_file())

    def leaves_out_file(self, file: Path) -> bool:
        """Say by the names alone whether a file stands in a folder that is left out: of a commit there is nothing else."""
        return any(self._named_so(folder) for folder in file.parents if folder != self.root and folder.is_relative_to(self.root))

    def _named_so(self, folder: Path) -> bool:
        return not self._kept(folder) and (folder.name.startswith(".") or folder.name == MODULES or folder in self.own)

    def _kept(self, folder: Path) -> bool:
        return folder.is_relative_to(self.keep) or self.keep.is_relative_to(folder)


def left_out(paths: Iterable[Path], aside: Aside) -> Iterator[Path]:
    """Yield the folders below ``paths`` that are left out, each once; folders within them are not looked for."""
    whole = [real for path in paths if (real := Path(os.path.realpath(path))).is_dir() and aside.searches_all(real)]
    for top in dict.fromkeys(whole):
        for here, folders, _ in os.walk(top):
            out = [folder for folder in folders if folder == ".git" or aside.leaves_out(Path(here, folder))]
            yield from (Path(here, folder) for folder in sorted(out) if folder != ".git")
            folders[:] = sorted(set(folders) - set(out))
