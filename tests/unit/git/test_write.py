"""Writing a commit: all of it or nothing, and over nothing that git does not track."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from crossgate.errors import CrossgateError, UsageError
from crossgate.git import Commit, Entry
from crossgate.git.write import Writer


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "a")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "a@example.org")
    repo = tmp_path / "repo"
    (repo / "d").mkdir(parents=True)
    (repo / "d" / "a.yaml").write_text("a: 1\n")
    git(repo, "init", "-q", "-b", "main")
    git(repo, "add", ".")
    git(repo, "commit", "-qm", "one")
    return repo


def git(repo: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=repo, check=True, capture_output=True, text=True).stdout.strip()


def write(repo: Path, *paths: str, gone: tuple[str, ...] = ()) -> str:
    writer = Writer(Commit.find(repo, "HEAD"))
    entry = Entry(0o100644, writer.blob(b"new: 1\n"))
    return writer.commit({**dict.fromkeys(paths, entry), **dict.fromkeys(gone)}, "x")


def test_a_file_in_the_place_of_a_folder_of_files_that_go(repo: Path) -> None:
    write(repo, "d", gone=("d/a.yaml",))
    assert (repo / "d").read_text() == "new: 1\n"
    assert git(repo, "status", "--porcelain") == ""


@pytest.mark.parametrize(
    ("lies", "paths", "gone"),
    [
        ("d/b.yaml", ("d/b.yaml",), ()),
        ("e", ("e/b.yaml",), ()),
        ("d/notes.txt", ("d",), ("d/a.yaml",)),
    ],
)
@pytest.mark.parametrize("link", [False, True])
@pytest.mark.parametrize("ignored", [False, True])
def test_what_git_does_not_track_is_not_written_over(
    repo: Path, tmp_path: Path, lies: str, paths: tuple[str, ...], gone: tuple[str, ...], *, link: bool, ignored: bool
) -> None:
    """git itself does where it ignores that: a file of secrets beside the claims would be lost, or one outside written."""
    (tmp_path / "outside").mkdir()
    if link:
        (repo / lies).symlink_to(tmp_path / "outside")
    else:
        (repo / lies).write_text("precious")
    if ignored:
        (repo / ".git" / "info" / "exclude").write_text(f"{lies}\n")
    before = git(repo, "rev-parse", "HEAD")
    with pytest.raises(UsageError, match="in the way") as refused:
        write(repo, *paths, gone=gone)
    assert refused.value.where == str(repo / lies)
    assert git(repo, "rev-parse", "HEAD") == before
    assert os.path.lexists(repo / lies)
    assert list((tmp_path / "outside").iterdir()) == []


@pytest.mark.parametrize("path", ["d/../../x.yaml", "d/.git/x.yaml", "d//x.yaml"])
def test_a_name_that_git_passes_over_is_refused(repo: Path, path: str) -> None:
    """It would be told as restored, and is not."""
    before = git(repo, "rev-parse", "HEAD")
    with pytest.raises(UsageError):
        write(repo, path)
    assert git(repo, "rev-parse", "HEAD") == before


def test_the_branch_moves_last(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that could not be written (a full disk) are told as such, and there is no commit that nobody has."""
    run = Writer._run

    def full(self: Writer, command: str, *arguments: str, **options: object) -> str:
        if command == "read_tree" and arguments[0] == "-m":
            raise UsageError("git read-tree: No space left on device", "here", "nothing was changed")
        return run(self, command, *arguments, **options)  # type: ignore[arg-type] # handed on as they came

    monkeypatch.setattr(Writer, "_run", full)
    before = git(repo, "rev-parse", "HEAD")
    with pytest.raises(CrossgateError, match="No space left") as refused:
        write(repo, "d/b.yaml")
    assert "git restore" in refused.value.hint
    assert git(repo, "rev-parse", "HEAD") == before


def test_a_commit_by_somebody_else_meanwhile_is_kept(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Writer._run

    def late(self: Writer, command: str, *arguments: str, **options: object) -> str:
        if command == "update_ref":
            git(repo, "update-ref", "refs/heads/main", git(repo, "commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "theirs"))
        return run(self, command, *arguments, **options)  # type: ignore[arg-type] # handed on as they came

    monkeypatch.setattr(Writer, "_run", late)
    with pytest.raises(UsageError, match="update-ref"):
        write(repo, "d/b.yaml")
    assert git(repo, "log", "-1", "--format=%s") == "theirs"
    assert git(repo, "status", "--porcelain") == ""


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signals cannot be put off here")
def test_an_interruption_waits_until_the_commit_is_whole(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the files and the branch nothing may stop: the next rollback would refuse to begin."""
    run = Writer._run

    def interrupted(self: Writer, command: str, *arguments: str, **options: object) -> str:
        if command == "update_ref":
            os.kill(os.getpid(), signal.SIGINT)
        return run(self, command, *arguments, **options)  # type: ignore[arg-type] # handed on as they came

    monkeypatch.setattr(Writer, "_run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(repo, "d/b.yaml")
    assert git(repo, "log", "-1", "--format=%s") == "x"
    assert git(repo, "status", "--porcelain") == ""
