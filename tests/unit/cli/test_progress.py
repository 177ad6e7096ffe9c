"""Who waits at a terminal sees what is being done; logs and fast runs see nothing."""

from __future__ import annotations

import io
import os
import threading
import time

import pytest

from crossgate.cli.progress import progress
from crossgate.progress import doing


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("TERM", "xterm")


def shown(delay: float, lasting: float) -> str:
    """Return what a terminal is sent while something is being done."""
    master, slave = os.openpty()
    with os.fdopen(slave, "w") as stream, progress(stream, delay=delay):
        doing("rendering")
        time.sleep(lasting)
    return read(master)


def read(master: int) -> str:
    """Return all that was sent; the other end is closed."""
    text = b""
    try:
        while part := os.read(master, 65536):
            text += part
    except OSError:
        pass  # how Linux says that nothing comes any more
    os.close(master)
    return text.decode()


def test_a_line_that_is_cleared_at_the_end() -> None:
    text = shown(delay=0.01, lasting=0.1)
    assert "rendering …  0 s" in text
    assert text.endswith("\r\x1b[2K"), "nothing of it stays"
    assert "\n" not in text


def test_what_is_fast_says_nothing() -> None:
    assert shown(delay=60, lasting=0) == ""


@pytest.mark.parametrize("variable", [("CI", "true"), ("TERM", "dumb")])
def test_nothing_in_a_log(monkeypatch: pytest.MonkeyPatch, variable: tuple[str, str]) -> None:
    monkeypatch.setenv(*variable)
    assert shown(delay=0, lasting=0.05) == ""


def test_a_pipe_gets_nothing_and_no_thread_is_started() -> None:
    out, threads = io.StringIO(), threading.active_count()
    with progress(out, delay=0):
        assert threading.active_count() == threads
        doing("rendering")
    assert out.getvalue() == ""


def test_it_ends_with_an_error() -> None:
    master, slave = os.openpty()
    with os.fdopen(slave, "w") as stream, pytest.raises(ValueError, match="x"), progress(stream, delay=0.01):
        time.sleep(0.05)
        raise ValueError("x")
    assert read(master).endswith("\r\x1b[2K")
