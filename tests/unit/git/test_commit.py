"""Reading a commit: by any of its names, from objects alone, and running nothing that the repository brings along."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from crossgate.errors import CrossgateError, UsageError
from crossgate.git import Commit
from crossgate.git.worktree import changed_files, same_on_disk
from crossgate.processes import results

Git = Callable[..., str]


@pytest.fixture
def git(tmp_path: Path) -> Git:
    """Run git in a new repository at tmp_path/repo."""
    repo = tmp_path / "repo"
    repo.mkdir()

    def run(*arguments: str, at: Path = repo) -> str:
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "protocol.file.allow=always", "-c", "commit.gpgsign=false"]
        return subprocess.run(["git", *who, *arguments], cwd=at, check=True, capture_output=True, text=True).stdout.strip()

    run("init", "-q", "-b", "main")
    (repo / "dist").mkdir()
    (repo / "dist" / "a.yaml").write_text("a: 1\n")
    run("add", ".")
    run("commit", "-qm", "one")
    return run


def test_the_commit_is_read_although_the_disk_has_other_content(git: Git, tmp_path: Path) -> None:
    (tmp_path / "repo" / "dist" / "a.yaml").write_text("a: 2\n")
    commit = Commit.find(tmp_path / "repo", "main")
    assert commit.tree.read("dist/a.yaml") == b"a: 1\n"
    assert changed_files(commit, "dist") == {"dist/a.yaml": "changed"}
    assert not same_on_disk(commit, "dist")


def test_processes_that_are_forked_read_what_they_ask_for(git: Git, tmp_path: Path) -> None:
    """They would share one pipe to git: each got the other's answers, or waited for ever."""
    names = [f"{number}.yaml" for number in range(400)]
    for name in names:
        (tmp_path / "repo" / name).write_text(f"{name}\n" * 500)
    git("add", ".")
    git("commit", "-qm", "many")
    commit = Commit.find(tmp_path / "repo", "HEAD")
    blobs = [commit.tree.entries[name].blob for name in names]
    assert commit.blob(blobs[0]).startswith(b"0.yaml")
    signal.alarm(60)
    try:
        read = list(results(lambda some: [commit.blob(blob) for blob in some], blobs))
    finally:
        signal.alarm(0)
    assert [data.split()[0].decode() for data in read] == names
    assert commit.blob(blobs[1]).startswith(b"1.yaml"), "the first process goes on with its own"


def test_files_that_came_and_went_are_told(git: Git, tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    commit = Commit.find(repo, "main")
    assert same_on_disk(commit, "dist")
    (repo / "dist" / "a.yaml").rename(repo / "dist" / "b.yaml")
    assert changed_files(commit, "dist") == {"dist/a.yaml": "removed", "dist/b.yaml": "added"}


@pytest.mark.parametrize(
    ("ref", "command"),
    [
        ("origin/main2", "git fetch --no-tags --depth=1 origin +refs/heads/main2:refs/remotes/origin/main2"),
        ("release/1", "git fetch --no-tags --depth=1 origin +refs/heads/release/1:refs/remotes/origin/release/1"),
        ("HEAD~3", "git fetch --deepen=3"),
        ("0123456789abcdef", "git fetch --depth=1 origin 0123456789abcdef"),
    ],
)
def test_a_shallow_clone_without_the_commit_says_what_to_fetch(git: Git, tmp_path: Path, ref: str, command: str) -> None:
    """CI clones with depth 1: the way out must be a command that can be pasted."""
    git("commit", "-q", "--allow-empty", "-m", "two")
    git("clone", "-q", "--depth=1", (tmp_path / "repo").as_uri(), str(tmp_path / "clone"), at=tmp_path)
    with pytest.raises(UsageError) as caught:
        Commit.find(tmp_path / "clone", ref)
    assert command in caught.value.hint


def test_the_command_that_is_named_brings_the_commit(git: Git, tmp_path: Path) -> None:
    git("branch", "base")
    git("commit", "-q", "--allow-empty", "-m", "two")
    clone = tmp_path / "clone"
    git("clone", "-q", "--depth=1", "--single-branch", (tmp_path / "repo").as_uri(), str(clone), at=tmp_path)
    with pytest.raises(UsageError) as caught:
        Commit.find(clone, "base")
    git(*caught.value.hint.removeprefix("fetch it: git ").split(), at=clone)
    assert Commit.find(clone, "base").tree.read("dist/a.yaml") == b"a: 1\n"


def test_missing_objects_are_named_and_not_fetched_behind_the_back(git: Git, tmp_path: Path) -> None:
    """A partial clone fetches what is missing by the transport that its configuration names: that must not be started."""
    git("config", "uploadpack.allowFilter", "true")
    (tmp_path / "repo" / "dist" / "a.yaml").write_text("a: 2\n")
    git("commit", "-qam", "two")
    clone = tmp_path / "clone"
    git("clone", "-q", "--filter=blob:none", (tmp_path / "repo").as_uri(), str(clone), at=tmp_path)
    ran = tmp_path / "ran"
    git("config", "remote.origin.uploadpack", f"touch {ran}; git-upload-pack", at=clone)
    with pytest.raises(CrossgateError) as caught:
        Commit.find(clone, "HEAD~1").tree.read("dist/a.yaml")
    assert "git fetch --refetch" in caught.value.hint
    assert not ran.exists()


@pytest.mark.parametrize("ref", ["--output=x", "", "a\nb", "-h"])
def test_a_name_that_is_an_option_is_refused(git: Git, tmp_path: Path, ref: str) -> None:
    with pytest.raises(UsageError):
        Commit.find(tmp_path / "repo", ref)


def test_outside_of_a_repository(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no git repository"):
        Commit.find(tmp_path, "main")


def test_a_folder_that_looks_like_a_bare_repository_is_not_taken_for_one(git: Git, tmp_path: Path) -> None:
    """HEAD, objects/ and refs/ can be committed: a reader that searched for a git folder would read its base from the pull request."""
    repo = tmp_path / "repo"
    git("init", "-q", "--bare", str(tmp_path / "evil"))
    for name in ("objects", "refs"):
        (tmp_path / "evil" / name).rename(repo / name)
    (repo / "HEAD").write_text("ref: refs/heads/main\n")
    assert Commit.find(repo, "main").tree.read("dist/a.yaml") == b"a: 1\n"


def test_links_stay_inside_the_commit(git: Git, tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    (repo / "dist" / "in.yaml").symlink_to("a.yaml")
    (repo / "dist" / "out.yaml").symlink_to("../../secret.yaml")
    (repo / "dist" / "whole.yaml").symlink_to("/etc/hostname")
    (repo / "dist" / "ring.yaml").symlink_to("ring.yaml")
    (repo / "again").symlink_to("dist")
    git("add", ".")
    git("commit", "-qm", "links")
    tree = Commit.find(repo, "main").tree
    assert tree.read("dist/in.yaml") == b"a: 1\n"
    assert tree.read("again/in.yaml") == b"a: 1\n"
    assert [tree.read(f"dist/{name}.yaml") for name in ("out", "whole", "ring")] == [None, None, None]
    assert [real for _, real in tree.files("dist")] == ["dist/a.yaml"]
    assert not same_on_disk(Commit.find(repo, "main"), "again")


def test_replacement_objects_do_not_change_the_base(git: Git, tmp_path: Path) -> None:
    """`git replace` lets a clone show other content under the same name."""
    one = git("rev-parse", "main:dist/a.yaml")
    (tmp_path / "repo" / "dist" / "a.yaml").write_text("a: 2\n")
    two = git("hash-object", "-w", "dist/a.yaml")
    git("replace", one, two)
    assert Commit.find(tmp_path / "repo", "main").tree.read("dist/a.yaml") == b"a: 1\n"


def test_a_linked_worktree_and_a_project_below_the_repository(git: Git, tmp_path: Path) -> None:
    git("worktree", "add", "-q", str(tmp_path / "linked"), "-b", "other")
    commit = Commit.find(tmp_path / "linked" / "dist", "main")
    assert (commit.top, commit.path(tmp_path / "linked" / "dist" / "a.yaml")) == (tmp_path / "linked", "dist/a.yaml")
    assert commit.tree.read("dist/a.yaml") == b"a: 1\n"
    assert commit.path(tmp_path) is None


def test_filters_and_conversions_are_not_applied(git: Git, tmp_path: Path) -> None:
    """A filter of .gitattributes and the configuration would run at each read of a file through git's working-tree code."""
    ran = tmp_path / "ran"
    git("config", "filter.evil.smudge", f"touch {ran}; cat")
    git("config", "filter.evil.clean", f"touch {ran}; cat")
    git("config", "core.fsmonitor", f"touch {ran}")
    git("config", "diff.evil.textconv", f"touch {ran}; cat")
    (tmp_path / "repo" / ".gitattributes").write_text("*.yaml filter=evil diff=evil text eol=crlf working-tree-encoding=UTF-16\n")
    commit = Commit.find(tmp_path / "repo", "main")
    assert commit.tree.read("dist/a.yaml") == b"a: 1\n"
    assert same_on_disk(commit, "dist")
    assert commit.contained_in_head()
    assert not ran.exists()


@pytest.mark.parametrize("linked", [False, True], ids=["clone", "worktree"])
def test_a_repository_of_sha_256_says_that_it_cannot_be_compared(tmp_path: Path, linked: bool) -> None:
    """What stands on disk is compared by SHA-1: there it would all be taken for changed."""
    repo = tmp_path / "new"
    subprocess.run(["git", "init", "-q", "--object-format=sha256", str(repo)], check=True)
    if linked:
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *who, "commit", "-q", "--allow-empty", "-m", "x"], cwd=repo, check=True)
        subprocess.run(["git", "worktree", "add", "-q", str(tmp_path / "tree")], cwd=repo, check=True, capture_output=True)
    with pytest.raises(UsageError, match="SHA-256"):
        Commit.find(tmp_path / "tree" if linked else repo, "HEAD")


@pytest.mark.parametrize("ref", ["^HEAD", "--all", "-x", "", "a\nb"])
def test_what_git_would_take_for_something_else_is_no_name(git: Git, tmp_path: Path, ref: str) -> None:
    """``^HEAD`` leads git to everything but a commit."""
    with pytest.raises(UsageError, match="is no name of a commit"):
        Commit.find(tmp_path / "repo", ref)


@pytest.mark.parametrize("ref", ["x;touch y", "$(touch y)", "a b", "main..HEAD", "@{-1}", "HEAD:dist", "`x`"])
def test_no_command_is_made_of_what_is_no_name(git: Git, tmp_path: Path, ref: str) -> None:
    """The hint is there to be pasted into a shell."""
    with pytest.raises(UsageError, match="is not in this clone") as refused:
        Commit.find(tmp_path / "repo", ref)
    assert "git fetch" not in refused.value.hint
