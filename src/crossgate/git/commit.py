"""A commit of the project's repository: found by its name, read from git's objects.

The commands that are run (``rev-parse``, ``ls-tree``, ``cat-file``, ``merge-base``) read objects and references only: no hook, filter,
attribute, file-system monitor or pager is consulted by them. Replacement objects are not followed and nothing is fetched in the
background (a partial clone would start whatever its configuration names as transport). The git folder is always named: a folder of
the tree that looks like a bare repository is not taken for one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from crossgate.errors import CrossgateError, UsageError
from crossgate.git.tree import Entry, Tree

_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_SHA256 = re.compile(r"^\s*objectformat\s*=\s*\"?sha256", re.IGNORECASE | re.MULTILINE)
_HASH = re.compile("[0-9a-f]{7,64}")
_NAME = re.compile(r"(?!.*\.\.)\w[\w./+,=%-]*(?:~\d*|\^\d*)*")
_ANCESTOR = re.compile(r"(?:~(\d*)|\^)")


@dataclass(frozen=True, eq=False)
class Commit:
    """A commit. ``ref`` is the name that it was asked for by, ``top`` the repository's folder."""

    ref: str
    id: str
    top: Path
    _git: Any = field(repr=False)
    _objects: _Objects = field(repr=False)

    @classmethod
    def find(cls, root: Path, ref: str) -> Commit:
        """Find the commit ``ref`` of the repository around ``root``, the project's folder.

        Args:
            root: a folder inside the repository.
            ref: a branch, tag or commit; a branch that is only there as ``origin``'s is found too.

        Raises:
            UsageError: there is no repository, or no such commit in it; the hint is the command that fetches it.
        """
        root = root.resolve()
        top = next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), None)
        if top is None:
            raise UsageError("this is no git repository", str(root), "run crossgate inside a clone, or leave --base out")
        if not ref or ref.startswith(("-", "^")) or not ref.isprintable():
            raise UsageError(f"{ref!r} is no name of a commit", "--base", "name a branch, a tag or a commit")
        git = command_for(top)
        for name in (ref, f"refs/remotes/origin/{ref}"):
            found = _ask(git, "rev_parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
            if found is not None:
                commit = found.decode().strip()
                return cls(ref, commit, top, git, _Objects(git, ref, commit))
        # a command to paste is made of nothing but a name
        hint = f"fetch it: {_fetch(git, ref)}" if _NAME.fullmatch(ref) else "name a branch, a tag or a commit of this clone"
        raise UsageError(f"the commit {ref!r} is not in this clone", "--base", hint)

    @cached_property
    def tree(self) -> Tree:
        """Return the files of this commit, by paths relative to ``top``.

        Raises:
            CrossgateError: objects of the commit are missing (a partial clone).
        """
        listed = _ask(self._git, "ls_tree", "-r", "-z", "--full-tree", self.id)
        if listed is None:
            raise self._objects.missing("its tree")
        entries: dict[str, Entry] = {}
        for line in listed.decode("utf-8", errors="surrogateescape").split("\0"):
            head, tab, path = line.partition("\t")
            if tab:
                mode, _, blob = head.split(" ")
                entries[path] = Entry(int(mode, 8), blob)
        return Tree(entries, self._objects.read)

    def path(self, path: Path) -> str | None:
        """Return the name of a file or folder of the machine within the repository; ``None`` for what is outside of it."""
        at = Path(os.path.normpath(path if path.is_absolute() else Path.cwd() / path))
        if not at.is_relative_to(self.top):
            return None
        inside = at.relative_to(self.top).as_posix()
        return "" if inside == "." else inside

    def __str__(self) -> str:
        return f"{self.ref} ({self.id[:8]})" if not self.id.startswith(self.ref) else self.id[:8]

    def with_tree(self, tree: Tree) -> Commit:
        """Return this commit as if it held ``tree``, whose contents are in the repository already."""
        other = Commit(self.ref, self.id, self.top, self._git, self._objects)
        other.__dict__["tree"] = tree
        return other

    def blob(self, blob: str, limit: int = 0) -> bytes:
        """Return the content of a file as it was committed, without any conversion; of more than ``limit`` bytes only the start.

        Raises:
            CrossgateError: the object is missing (a partial clone).
        """
        return self._objects.read(blob, limit)

    def contained_in_head(self) -> bool:
        """Say whether the checked-out commit contains this one; a shallow clone cannot tell and is believed."""
        if (_ask(self._git, "rev_parse", "--is-shallow-repository") or b"").strip() == b"true":
            return True
        return _ask(self._git, "merge_base", "--is-ancestor", self.id, "HEAD") is not None


@dataclass(frozen=True, slots=True)
class _Objects:
    """One ``git cat-file --batch`` for all contents that this process asks for; it ends with the last user of this.

    A process that was forked starts one of its own: of two that read from the same, each would get the other's answers.
    """

    git: Any
    ref: str
    id: str
    process: int = field(default_factory=os.getpid)
    _own: dict[int, Any] = field(default_factory=dict)

    def read(self, blob: str, limit: int = 0) -> bytes:
        try:
            _, _, size, stream = self._command().stream_object_data(blob)
        except ValueError as error:
            raise self.missing(f"the file content {blob[:12]}") from error
        data: bytes = stream.read(min(size, limit + 1) if limit else size)
        return data

    def _command(self) -> Any:
        process = os.getpid()
        if process != self.process and process not in self._own:
            self._own[process] = copy(self.git)  # which leaves behind what the other has started
        return self._own.get(process, self.git)

    def missing(self, what: str) -> CrossgateError:
        return CrossgateError(
            f"{what} is missing from this clone of {self.ref}",
            self.id[:12],
            f"fetch it: git fetch --refetch --no-filter --depth=1 origin {self.id}",
        )

    def __del__(self) -> None:
        if os.getpid() == self.process:
            self.git.clear_cache()


def command_for(top: Path, settings: Sequence[str] = ()) -> Any:
    """Return the git command for the repository at ``top``; ``settings`` (``name=value``) are in force for it alone.

    Raises:
        UsageError: GitPython is not installed, or ``.git`` names no git folder.
    """
    os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")  # without git the library would raise at its import
    try:
        import git  # noqa: PLC0415 - 120 ms that only a comparison with a commit pays
    except ImportError as error:
        raise UsageError("GitPython is not installed", "--base", "pip install gitpython: the base is read through it") from error

    folder = top / ".git"
    if folder.is_file():
        folder = _linked(folder)
    if _SHA256.search(_text_of(folder / (_text_of(folder / "commondir").strip() or ".") / "config")):
        raise UsageError(
            "this repository names its objects by SHA-256", str(top), "only SHA-1 repositories can be compared; check without --base"
        )
    command = git.Git(str(top))
    command.update_environment(**_ENVIRONMENT)
    command.set_persistent_git_options(git_dir=str(folder), no_replace_objects=True, literal_pathspecs=True, c=list(settings))
    return command


def _text_of(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""


def _linked(file: Path) -> Path:
    """Return the git folder of a linked worktree or a submodule: its ``.git`` is a file that names it."""
    text = file.read_text(encoding="utf-8", errors="surrogateescape").strip()
    if not text.startswith("gitdir: "):
        raise UsageError("the file .git names no git folder", str(file), "run crossgate inside a clone, or leave --base out")
    return file.parent / text.removeprefix("gitdir: ")


def _ask(git: Any, command: str, *arguments: str) -> bytes | None:
    """Run a git command that only reads; ``None`` when it fails."""
    from git.exc import GitCommandError, GitCommandNotFound  # noqa: PLC0415 - see ``command_for``

    try:
        output: bytes = getattr(git, command)(*arguments, stdout_as_string=False, strip_newline_in_stdout=False)
    except GitCommandNotFound as error:
        raise UsageError("git is not installed", "--base", "install git: the base is read from its objects") from error
    except GitCommandError:
        return None
    return output


def _fetch(git: Any, ref: str) -> str:
    """Return the command that would bring ``ref`` into this clone."""
    shallow = (_ask(git, "rev_parse", "--is-shallow-repository") or b"").strip() == b"true"
    if steps := list(_ANCESTOR.finditer(ref)):
        depth = sum(int(step[1] or 1) if step[0].startswith("~") else 1 for step in steps)
        return f"git fetch --deepen={depth}" if shallow else "git fetch"
    remotes = (_ask(git, "remote") or b"").decode().split() or ["origin"]
    remote = next((name for name in remotes if ref.startswith(f"{name}/")), "origin" if "origin" in remotes else remotes[0])
    depth_option = "--depth=1 " if shallow else ""
    if _HASH.fullmatch(ref):
        return f"git fetch {depth_option}{remote} {ref}"
    branch = ref.removeprefix("refs/heads/").removeprefix(f"refs/remotes/{remote}/").removeprefix(f"{remote}/")
    return f"git fetch --no-tags {depth_option}{remote} +refs/heads/{branch}:refs/remotes/{remote}/{branch}"
