"""Policies in a real git repository on this machine."""

from __future__ import annotations

import socket
import subprocess
import time
from dataclasses import replace

import pytest

from crossgate.errors import PolicyError
from crossgate.policy.remote import lock, pull
from crossgate.policy.remote.repository import fetch_repository
from crossgate.policy.remote.source import Source


def files(source: str, resolved: str = ""):
    return fetch_repository(Source.parse(source), resolved)


def test_a_branch_a_tag_and_a_commit_lead_to_files_of_a_folder(repository):
    first = repository.git("rev-parse", "HEAD")
    repository.git("tag", "-a", "v1", "-m", "v1")
    repository.write("policy/more/data.yaml", "a: 1\n")
    repository.write("other/a.rego", "package other")
    second = repository.commit()
    assert files(repository.source("v1")) == files(repository.source(first))
    commit, found = files(repository.source("main"))
    assert commit == second
    assert sorted(found) == ["main.rego", "more/data.yaml"]
    assert "other/a.rego" in files(repository.source(folder=""))[1]


def test_a_lock_holds_while_the_branch_moves(repository, store):
    """What is merged elsewhere judges nothing here until somebody locks it."""
    (entry,) = lock([repository.source()], {}, store)
    repository.write("policy/main.rego", "package main")
    repository.commit()
    assert lock([repository.source()], {entry.source: entry}, store) == [entry]
    assert pull([entry], store) == []
    store.get(entry.digest).rename(store.folder / "gone")
    assert pull([entry], store) == [entry]
    assert b"deny contains" in (store.get(entry.digest) / "main.rego").read_bytes()
    (moved,) = lock([repository.source()], {entry.source: entry}, store, update=True)
    assert moved.digest != entry.digest


def test_nothing_of_the_repository_is_run(repository, tmp_path):
    """No hook, no filter, no submodule: files are read from git's objects and never checked out."""
    ran = tmp_path / "ran"
    hooks = repository.folder / ".git" / "hooks"
    for name in ("post-checkout", "post-merge", "reference-transaction", "pre-auto-gc"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {ran}\n")
        (hooks / name).chmod(0o755)
    ran.unlink(missing_ok=True)
    repository.write(".gitattributes", "*.rego filter=run\n")
    repository.write(".gitmodules", '[submodule "s"]\n\tpath = s\n\turl = ext::sh -c "touch ran"\n')
    repository.git("config", "filter.run.smudge", f"touch {ran}")
    repository.git("-c", "core.hooksPath=/dev/null", "add", "-A")
    repository.git("-c", "core.hooksPath=/dev/null", "commit", "-qm", "x")
    assert "main.rego" in files(repository.source())[1]
    assert not ran.exists()


@pytest.mark.parametrize(("name", "target"), [("link.rego", "/etc/hostname"), ("more", "../rules"), ("more", "/nowhere")])
def test_a_link_among_the_policies_is_refused(repository, name, target):
    """Also one to a folder: a rule that is passed over could be the one that refuses."""
    repository.write("rules/more.rego", "package more")
    (repository.folder / "policy" / name).symlink_to(target)
    repository.commit()
    with pytest.raises(PolicyError, match="is a link"):
        files(repository.source())


def test_a_link_to_a_file_that_is_no_policy_is_passed_over(repository):
    repository.write("policy/LICENSE", "…")
    (repository.folder / "policy" / "COPYING").symlink_to("LICENSE")
    repository.commit()
    assert sorted(files(repository.source())[1]) == ["main.rego"]


def test_a_submodule_among_the_policies_is_refused(repository):
    """Its rules are not in the repository, and would be missed by nobody."""
    repository.git("update-index", "--add", "--cacheinfo", f"160000,{repository.git('rev-parse', 'HEAD')},policy/more")
    repository.git("commit", "-qm", "a submodule")
    with pytest.raises(PolicyError, match="submodule"):
        files(repository.source())


@pytest.mark.parametrize(
    ("ref", "folder", "what"), [("no-such", "policy", "git cannot fetch"), ("0" * 40, "policy", "is not in the repository")]
)
def test_what_is_not_there_is_an_error(repository, ref, folder, what):
    with pytest.raises(PolicyError, match=what):
        files(repository.source(ref, folder))


def test_a_folder_without_policies_is_an_error(repository, store):
    """Zero rules are never a pass."""
    with pytest.raises(PolicyError, match="there are no policies"):
        lock([repository.source(folder="docs")], {}, store)


def test_another_content_under_the_locked_commit_is_refused(repository, store):
    (entry,) = lock([repository.source()], {}, store)
    with pytest.raises(PolicyError, match="not what is locked"):
        pull([replace(entry, digest=f"sha256:{'0' * 64}")], store)


def test_what_git_tells_its_hooks_leads_nowhere_else(repository, monkeypatch, tmp_path):
    """crossgate runs in hooks too; there the variables name the repository that is committed to."""
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "nowhere" / "index"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path))
    assert "main.rego" in files(f"git+file://{repository.folder}@main#policy")[1]


def test_a_server_that_says_nothing_leaves_no_process_behind(monkeypatch):
    """git ends at once; what it has started to speak HTTPS would wait on, hours after the job."""
    monkeypatch.setattr("crossgate.policy.remote.repository._SECONDS", 1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(PolicyError, match="has not answered"):
            files(f"git+https://{address}/x@main")
        left = "left"
        for _ in range(50):  # the system needs a moment
            left = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
            if address not in left:
                break
            time.sleep(0.1)
        assert address not in left
