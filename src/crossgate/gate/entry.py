"""Enter a check through the base: its settings, and its policies, waivers and schemas in place of the pull request's."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from crossgate.config import Config
from crossgate.gate.changes import changes
from crossgate.gate.settings import settings_of
from crossgate.git import Commit
from crossgate.git.worktree import same_on_disk
from crossgate.model import CouldNotCheck, Judgement

T = TypeVar("T")

_OWN = ("root", "dist")
"""Folders of the settings that are judged, not judges."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What judges, and from which commit it comes.

    ``config`` are the settings of ``judge``; its folders hold what that commit has in them. ``base`` is the commit that is compared
    with, if any, ``head`` the one that is checked out (but what stands on disk is judged). ``judgement`` says what of
    the gate itself the pull request changes.
    """

    config: Config
    judge: Commit
    base: Commit | None
    head: Commit
    judgement: Judgement
    _written: str

    def told(self, value: T) -> T:
        """Return a report (or anything in it) in which files that were written out of the commit have their names of the project."""
        told: T = _without(value, self._written) if self._written else value
        return told

    @property
    def versions(self) -> dict[str, str]:
        """Return the commits for the report."""
        return {**({"base": self.base.id} if self.base else {}), "policiesFrom": self.judge.id}


@contextmanager
def entered(config: Config, *, base: str = "", policies_from: str = "") -> Iterator[Entry]:
    """Let the commit ``policies_from`` (default: ``base``) judge.

    What the project keeps to judge by is used where it stands when it is on disk exactly as in that commit; anything else is written to
    a temporary folder from git's objects, for as long as the context lasts. What stands outside of the repository is used as it is.

    Raises:
        UsageError: there is no repository or no such commit, or the settings of the commit cannot be read.
    """
    judge = Commit.find(config.root, policies_from or base)
    compared = judge if base and base == (policies_from or base) else Commit.find(config.root, base) if base else None
    settings = settings_of(judge, config)
    with tempfile.TemporaryDirectory(prefix="crossgate-") as written:
        missing: list[CouldNotCheck] = []
        folder = Path(written).resolve()
        replaced = {
            field.name: _placed(getattr(settings, field.name), field.name, judge, folder, missing)
            for field in fields(Config)
            if field.name not in _OWN
        }
        said = Judgement(changes(judge, settings, given=config), tuple(missing))
        yield Entry(
            replace(settings, **replaced),
            judge,
            compared,
            Commit.find(config.root, "HEAD"),
            said,
            f"{folder}/" if any(folder.iterdir()) else "",
        )


def _placed(value: Any, name: str, commit: Commit, folder: Path, missing: list[CouldNotCheck]) -> Any:
    """Return a setting in which each path leads to what ``commit`` has there."""
    if isinstance(value, tuple):
        placed = (_placed(item, name, commit, folder, missing) for item in value)
        return tuple(item for item in placed if item is not None)
    inside = commit.path(value) if isinstance(value, Path) else None
    if inside is None or same_on_disk(commit, inside):
        return value
    if commit.tree.real(inside) is None:
        hint = "merge them first, or name a commit that has them: --policies-from REF"
        missing.append(CouldNotCheck(f"there are no {name} in the base", f"{inside} at {commit}", hint))
        return None
    for path, real in commit.tree.files(inside):
        target = folder / path
        if ".." in Path(path).parts or not target.is_relative_to(folder):
            continue  # no repository that git made holds such a name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(commit.blob(commit.tree.entries[real].blob))
    return folder / inside


def _without(value: Any, written: str) -> Any:
    """Take the temporary folder out of every text of a value."""
    if isinstance(value, str) and not hasattr(value, "rank"):
        return value.replace(written, "") if written in value else value
    if isinstance(value, tuple):
        made = tuple(_without(item, written) for item in value)
        return value if all(new is old for new, old in zip(made, value, strict=True)) else made
    if is_dataclass(value) and not isinstance(value, type):
        changed = {field.name: _without(getattr(value, field.name), written) for field in fields(value)}
        changed = {name: new for name, new in changed.items() if new is not getattr(value, name)}
        return replace(value, **changed) if changed else value
    return value
