from __future__ import annotations

import errno
import os

import pytest

from crossgate.errors import CrossgateError
from crossgate.forking import forked


def open_files() -> int:
    return len(os.listdir("/dev/fd"))


@pytest.mark.parametrize("what", ["fork", "pipe"])
def test_a_machine_that_starts_no_process_is_named(monkeypatch, what):
    """It is no fault of crossgate itself, and whoever reads it can do something about it."""

    def refuse():
        raise OSError(errno.EAGAIN, "Resource temporarily unavailable")

    before = open_files()
    monkeypatch.setattr(os, what, refuse)
    with pytest.raises(CrossgateError, match="starts no process") as refused:
        forked(lambda _: os._exit(0))
    assert "ulimit -u" in refused.value.hint
    assert open_files() == before
