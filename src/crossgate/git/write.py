"""Write a commit into the repository, with nothing run that a repository brings along: no hook, no file-system monitor."""

from __future__ import annotations

import io
import os
import signal
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from crossgate.errors import CrossgateError, UsageError
from crossgate.git.commit import Commit, command_for
from crossgate.git.tree import Entry

_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP) if hasattr(signal, "pthread_sigmask") else ()
_QUIET = ["core.hooksPath=/dev/null", "core.fsmonitor=false"]
_UNFINISHED = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD")
_NONE = "0" * 40


class Writer:
    """Writes into the repository of ``head``, the commit that is checked out."""

    def __init__(self, head: Commit) -> None:
        self._head = head
        self._git = command_for(head.top, _QUIET)

    def branch(self) -> str:
        """Return the branch that is checked out, "" for none."""
        found = self._ask("symbolic_ref", "--quiet", "HEAD")
        return found.decode().strip().removeprefix("refs/heads/") if found is not None else ""

    def clean(self) -> None:
        """Refuse to go on unless all tracked files are as in the commit that is checked out, and nothing is half done.

        Raises:
            UsageError: something is changed, or a merge, rebase or the like is not finished.
        """
        for name in _UNFINISHED:
            if self._ask("rev_parse", "--verify", "--quiet", name) is not None:
                raise UsageError(f"something is half done in this repository ({name})", str(self._head.top), "finish or abort it first")
        listed = self._raw("status", "--porcelain", "-z", "--untracked-files=no")
        changed = [line[3:] for line in listed.split(b"\0") if line]
        if changed:
            names = ", ".join(name.decode(errors="replace") for name in changed[:3])
            more = f" and {len(changed) - 3} more" if len(changed) > 3 else ""
            hint = "commit or take back what you changed first"
            raise UsageError(f"the working tree has changes: {names}{more}", str(self._head.top), hint)

    def blob(self, data: bytes) -> str:
        """Keep a file's content, and return its id."""
        return self._run("hash_object", "-w", "--stdin", "--no-filters", istream=data)

    def commit(self, files: Mapping[str, Entry | None], message: str, *, branch: str = "") -> str:
        """Commit other contents for some files on top of the commit that is checked out.

        Args:
            files: the entry of each path in the repository, ``None`` for one that goes.
            message: the commit's message.
            branch: a new branch for the commit; nothing else changes then. Without one the branch that is checked out moves on, and the
                files on disk with it.

        Returns:
            The commit's id.

        Raises:
            UsageError: no branch is checked out, the new branch exists or has no proper name, git does not know who commits, or a file that
                git does not track is in the way.
            CrossgateError: the files could not be written half way.
        """
        current = self.branch()
        if not branch and not current:
            raise UsageError("no branch is checked out", str(self._head.top), "name a new one: --branch NAME")
        if branch and self._ask("check_ref_format", "--branch", branch) is None:
            raise UsageError(f"{branch!r} is no name for a branch", "--branch", "see git help check-ref-format")
        with tempfile.TemporaryDirectory(prefix="crossgate-") as folder:
            index = {"GIT_INDEX_FILE": str(Path(folder, "index"))}
            self._run("read_tree", self._head.id, env=index)
            lines = [f"{entry.mode:06o} {entry.blob}" if entry else f"0 {_NONE[: len(self._head.id)]}" for entry in files.values()]
            listed = b"".join(line.encode() + b"\t" + os.fsencode(path) + b"\0" for path, line in zip(files, lines, strict=True))
            self._run("update_index", "-z", "--index-info", istream=listed, env=index)
            tree = self._run("write_tree", env=index)
            self._refuse_left_out(files, tree)
        made = self._run("commit_tree", tree, "-p", self._head.id, "-F", "-", istream=message.encode())
        if branch:
            self._run("update_ref", f"refs/heads/{branch}", made, _NONE[: len(made)])
            return made
        self._refuse_in_the_way(files)
        self._ask("update_index", "-q", "--refresh")
        self._run("read_tree", "-n", "-m", "-u", self._head.id, made)
        with _undisturbed():
            self._move(current, made)
        return made

    def _refuse_left_out(self, files: Mapping[str, Entry | None], tree: str) -> None:
        """Refuse names that git passes over without a word: those of folders above, and of its own files."""
        made = {line.partition(b"\t")[2] for line in self._raw("ls_tree", "-r", "-z", "--full-tree", tree).split(b"\0")}
        for path, entry in files.items():
            if (os.fsencode(path) in made) != (entry is not None):
                raise UsageError("git does not take a file of this name", ascii(path), "take it back by git revert, without this file")

    def _refuse_in_the_way(self, files: Mapping[str, Entry | None]) -> None:
        """Refuse to write over what git does not track: git itself does where it ignores that."""
        known = self._head.tree.entries
        for path in (path for path, entry in files.items() if entry is not None and path not in known):
            place, steps = self._head.top / path, [self._head.top / step for step in [*PurePosixPath(path).parents][-2::-1]]
            taken = [step for step in steps if step.is_symlink() or step.is_file()]
            taken += place.rglob("*") if place.is_dir() and not place.is_symlink() else [place] if os.path.lexists(place) else []
            for file in taken:
                plain_folder = file.is_dir() and not file.is_symlink()
                if not plain_folder and file.relative_to(self._head.top).as_posix() not in known:
                    raise UsageError("a file that git does not track is in the way", str(file), "move it away first")

    def _move(self, branch: str, made: str) -> None:
        """Bring the files on disk, the index and the branch to a commit: the branch last, so that what is left half way is no commit."""
        try:
            self._run("read_tree", "-m", "-u", self._head.id, made)
        except UsageError as error:
            hint = "some files may have been written: see git status; git restore --staged --worktree . takes them back"
            raise CrossgateError(error.what, error.where, hint) from error
        try:
            self._run("update_ref", "-m", "crossgate rollback", f"refs/heads/{branch}", made, self._head.id)
        except UsageError:  # somebody else has committed
            self._run("read_tree", "-m", "-u", made, self._head.id)
            raise

    def _ask(self, command: str, *arguments: str) -> bytes | None:
        try:
            return self._raw(command, *arguments)
        except UsageError:
            return None

    def _run(self, command: str, *arguments: str, istream: bytes | None = None, env: Mapping[str, str] | None = None) -> str:
        return self._raw(command, *arguments, istream=istream, env=env).decode().strip()

    def _raw(self, command: str, *arguments: str, istream: bytes | None = None, env: Mapping[str, str] | None = None) -> bytes:
        from git.exc import GitCommandError, GitCommandNotFound  # noqa: PLC0415 - only who writes pays for the import

        options: dict[str, Any] = {"stdout_as_string": False, "strip_newline_in_stdout": False, "env": dict(env or {})}
        try:
            with tempfile.TemporaryFile() as given:
                if istream is not None:
                    given.write(istream)
                    given.seek(io.SEEK_SET)
                    options["istream"] = given
                output: bytes = getattr(self._git, command)(*arguments, **options)
        except GitCommandNotFound as error:
            raise CrossgateError("git is not installed", str(self._head.top), "install git") from error
        except GitCommandError as error:
            said = " ".join(str(error.stderr).replace("stderr:", "").strip().strip("'").split())
            hint = "nothing was changed; mend that first"
            raise UsageError(f"git {command.replace('_', '-')}: {said}", str(self._head.top), hint) from error
        return output


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Put off the end of this process, and of those that it starts, until what has begun is done: it takes milliseconds."""
    if not _STOPPING:
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _STOPPING)  # git's own processes inherit it
    came: list[int] = []
    handlers = {}
    if threading.current_thread() is threading.main_thread():  # another thread of a program that uses this one may take the signal
        handlers = {number: handler for number in _STOPPING if (handler := signal.getsignal(number)) is not None}
        for number in handlers:
            signal.signal(number, lambda number, _: came.append(number))
    try:
        yield
    finally:
        for stopping, handler in handlers.items():
            signal.signal(stopping, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for each in came:
            signal.raise_signal(each)
