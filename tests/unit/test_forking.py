from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from crossgate.errors import CrossgateError
from crossgate.forking import forked


def open_files() -> int:
    return sum(1 for _ in Path("/dev/fd").iterdir())


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
