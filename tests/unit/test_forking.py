from __future__ import annotations

import errno
import os
import signal
import sys
import time
from pathlib import Path
from typing import NoReturn

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


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a process end with its parent")
def test_a_process_ends_with_the_one_that_started_it():
    """One that evaluates an endless rule would go on for as long as the rule may, after the check was killed."""

    def inner(writer: int) -> NoReturn:
        os.write(writer, b"here")
        while True:
            pass

    def outer(writer: int) -> NoReturn:
        reader, child = forked(inner)
        os.read(reader, 4)
        os.write(writer, str(child).encode())
        while True:
            time.sleep(1)

    reader, child = forked(outer)
    grandchild = int(os.read(reader, 20))
    os.close(reader)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    for _ in range(100):
        status = Path(f"/proc/{grandchild}/stat")
        if not status.exists() or status.read_text().rpartition(")")[2].split()[0] == "Z":
            return
        time.sleep(0.05)
    os.kill(grandchild, signal.SIGKILL)
    pytest.fail("it goes on")
