"""Policies in a git repository: fetched into an empty repository and read from git's objects.

Nothing is checked out, so nothing of the repository is run: no hook, filter or attribute, no submodule. Only the transport that the
name says may be used.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
from pathlib import Path, PurePosixPath

from crossgate.errors import CrossgateError, PolicyError
from crossgate.git import Commit
from crossgate.policy.remote.files import KEPT, MOST_BYTES, Gathered
from crossgate.policy.remote.source import Source

_COMMIT = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")
_SECONDS = 300
"""How long a fetch may take."""


_PLACES = frozenset(
    (
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_INDEX_FILE",
        "GIT_NAMESPACE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_PREFIX",
        "GIT_WORK_TREE",
    )
)
"""What git tells its hooks about another repository: crossgate may be run by one."""


def fetch_repository(source: Source, resolved: str = "") -> tuple[str, dict[str, bytes]]:
    """Return the commit that a name leads to and the files of its policies.

    Args:
        source: the name.
        resolved: the commit to read, wherever the branch or tag leads now.

    Raises:
        PolicyError: git is missing, the repository or commit cannot be fetched, the folder is not there, or a file is refused.
    """
    with tempfile.TemporaryDirectory(prefix="crossgate-") as folder:
        top = Path(folder)
        _git(top, source, "init", "--quiet", "--template=", ".")
        wanted = resolved or source.ref
        if not _fetched(top, source, wanted):
            # a server that gives single commits to nobody gives all of its branches and tags
            _git(top, source, "fetch", *_QUIET, source.place, "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
        name = "FETCH_HEAD" if not _COMMIT.fullmatch(wanted) and _known(top, source, "FETCH_HEAD") else wanted
        try:
            commit = Commit.find(top, name)
            return commit.id, _files(commit, source)
        except CrossgateError as error:
            if isinstance(error, PolicyError):
                raise
            raise PolicyError(f"the commit {wanted} is not in the repository", source.text, "check the branch, tag or commit") from error


_QUIET = ("--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-commit-graph", "--no-auto-maintenance")


def _fetched(top: Path, source: Source, wanted: str) -> bool:
    try:
        _git(top, source, "fetch", *_QUIET, "--depth=1", source.place, wanted)
    except PolicyError:
        if _COMMIT.fullmatch(wanted):
            return False
        raise
    return True


def _known(top: Path, source: Source, name: str) -> bool:
    try:
        _git(top, source, "rev-parse", "--verify", "--quiet", name)
    except PolicyError:
        return False
    return True


def _files(commit: Commit, source: Source) -> dict[str, bytes]:
    gathered = Gathered(source.text)
    inside = f"{source.folder}/" if source.folder else ""
    for path, entry in sorted(commit.tree.entries.items()):
        name = path.removeprefix(inside)
        kept = PurePosixPath(name).suffix in KEPT
        if not path.startswith(inside):
            continue
        if not entry.regular and (kept or not _leads_to_file(commit, path)):
            raise PolicyError(f"the bundle is refused: {path!r} is a link or a submodule", source.text, "put the files themselves there")
        if kept:
            gathered.add(name, commit.blob(entry.blob, MOST_BYTES))
    return gathered.files


def _leads_to_file(commit: Commit, path: str) -> bool:
    """Say whether a link leads to a file of the repository; of a folder's files the rule that refuses could be lost."""
    real = commit.tree.real(path) if commit.tree.entries[path].link else None
    return real is not None and real in commit.tree.entries and commit.tree.entries[real].regular


def _git(top: Path, source: Source, *arguments: str) -> None:
    scheme = source.place.partition(":")[0]
    environment = {
        **{name: value for name, value in os.environ.items() if name not in _PLACES},
        "GIT_ALLOW_PROTOCOL": scheme,
        "GIT_ASKPASS": "true",
        "GIT_DIR": str(top / ".git"),
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }
    command = ["git", "-c", f"core.hooksPath={os.devnull}", "-c", "protocol.allow=never", "-c", f"protocol.{scheme}.allow=always"]
    try:
        with subprocess.Popen(
            [*command, *arguments],
            cwd=top,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        ) as git:
            try:
                stderr = git.communicate(timeout=_SECONDS)[1]
            except BaseException:
                _end(git)
                raise
    except FileNotFoundError as error:
        raise PolicyError("git is not installed", source.text, "install git: the policies stand in a git repository") from error
    except subprocess.TimeoutExpired as error:
        raise PolicyError(f"git has not answered in {_SECONDS} seconds", source.text, "try again, or use a mirror") from error
    if git.returncode != 0:
        said = [line for line in stderr.splitlines() if line.strip()]
        raise PolicyError(
            f"git cannot fetch the policies: {said[-1] if said else git.returncode}", source.text, "check the address and REF"
        )


def _end(git: subprocess.Popen[str]) -> None:
    """End git and what it has started to speak for it, which would wait on for a server that says nothing."""
    if hasattr(os, "killpg"):
        os.killpg(git.pid, signal.SIGKILL)
    else:
        git.kill()
