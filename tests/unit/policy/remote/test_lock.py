from __future__ import annotations

import pytest

from crossgate.config import POLICY_LOCK as LOCK
from crossgate.errors import PolicyError
from crossgate.policy.remote import Locked, read_lock, write_lock

ENTRY = Locked("oci://host/a:v1", f"sha256:{'1' * 64}", f"sha256:{'2' * 64}")
GIT = Locked('git+file:///a"b\\c@main', "3" * 40, f"sha256:{'4' * 64}")


def test_what_is_written_is_read_back_in_the_order_of_the_sources(tmp_path):
    file = tmp_path / LOCK
    write_lock(file, [ENTRY, GIT])
    assert list(read_lock(file).values()) == [GIT, ENTRY]
    before = file.read_bytes()
    write_lock(file, [GIT, ENTRY])
    assert file.read_bytes() == before


def test_without_a_file_nothing_is_locked(tmp_path):
    assert read_lock(tmp_path / LOCK) == {}


@pytest.mark.parametrize(
    "text",
    [
        "bundle = 1",
        "[[bundle]]\nsource = 'a'\n",
        "[[bundle]]\nsource = 1\nresolved = 'a'\ndigest = 'b'\n",
        f"[[bundle]]\nsource = 'a'\nresolved = '{'1' * 40}'\ndigest = 'sha256:../../x'\n",
        f"[[bundle]]\nsource = 'a'\nresolved = '--option'\ndigest = 'sha256:{'2' * 64}'\n",
        f"[[bundle]]\nsource = 'a'\nresolved = '{'1' * 40}'\ndigest = 'sha256:{'2' * 64}'\n" * 2,
        "not toml",
        "a = " + "[" * 50_000,
        "a = " + "1" * 5000,
    ],
)
def test_a_lock_that_is_not_in_form_is_an_error(tmp_path, text):
    """A digest names a folder of the cache, a commit is handed to git."""
    (tmp_path / LOCK).write_text(text)
    with pytest.raises(PolicyError):
        read_lock(tmp_path / LOCK)
