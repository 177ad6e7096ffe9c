from __future__ import annotations

import pytest

from crossgate.errors import PolicyError
from crossgate.policy.remote import Locked, locked_folders, write_lock

FILES = {"a.rego": b"package a", "b/data.json": b"{}"}


def test_what_is_put_is_there_by_its_digest(store):
    digest = store.put(FILES)
    folder = store.get(digest)
    assert (folder / "a.rego").read_bytes() == b"package a"
    assert store.put(FILES) == digest


def test_a_cache_that_somebody_changed_is_not_believed(store):
    digest = store.put(FILES)
    file = store.get(digest) / "a.rego"
    file.write_bytes(b"package b")
    assert store.get(digest) is None
    assert store.get(store.put(FILES)) is not None
    file.with_name("more.rego").write_bytes(b"package c")
    assert store.get(digest) is None
    file.with_name("more.rego").unlink()
    file.unlink()
    file.symlink_to("/etc/hostname")
    assert store.get(digest) is None


def test_a_link_beside_what_is_locked_is_not_believed(store):
    """Rules are read through links: one more in the cache would be one more rule that nobody locked."""
    digest = store.put(FILES)
    (store.get(digest) / "exceptions.rego").symlink_to("/etc/hostname")
    assert store.get(digest) is None
    (store.get(store.put(FILES)) / "more").symlink_to("/etc")
    assert store.get(digest) is None


def test_only_what_is_locked_is_used(store, tmp_path):
    lock = tmp_path / "policies.lock.toml"
    with pytest.raises(PolicyError, match="not locked"):
        locked_folders(["oci://host/a:v1"], lock)
    write_lock(lock, [Locked("oci://host/a:v1", "1" * 40, store.put(FILES))])
    (folder,) = locked_folders(["oci://host/a:v1"], lock)
    assert (folder / "b" / "data.json").is_file()
    with pytest.raises(PolicyError, match="not locked"):
        locked_folders(["oci://host/a:v1"], None)


def test_what_is_locked_and_not_there_is_an_error(store, tmp_path):
    """A check asks nobody: it says what to run."""
    lock = tmp_path / "policies.lock.toml"
    write_lock(lock, [Locked("oci://host/a:v1", "1" * 40, f"sha256:{'2' * 64}")])
    with pytest.raises(PolicyError) as raised:
        locked_folders(["oci://host/a:v1"], lock)
    assert "crossgate policy pull" in raised.value.hint
