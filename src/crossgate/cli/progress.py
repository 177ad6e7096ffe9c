"""One line on a terminal that says what is being done, when it takes long; none in logs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from crossgate.progress import heard

DELAY = 0.7
"""Seconds after which somebody wonders; what is done by then says nothing."""

_EVERY = 0.25


@contextmanager
def progress(stream: TextIO | None = None, *, delay: float = DELAY) -> Iterator[None]:
    """Show on standard error (or ``stream``) what is being done and for how long, and take it away at the end.

    Only on a terminal that can clear a line, and not in CI, where the log would keep every state of the line.
    """
    out = stream or sys.stderr
    if not out.isatty() or os.environ.get("CI") or os.environ.get("TERM", "") in ("", "dumb"):
        yield
        return
    import threading  # noqa: PLC0415 - only who waits at a terminal needs a second thread
    import time  # noqa: PLC0415 - likewise

    now = ["reading"]
    begun = time.monotonic()
    done = threading.Event()

    def draw() -> None:
        wait = delay
        while not done.wait(wait):
            wait = _EVERY
            out.write(f"\r\x1b[2K  {now[0]} …  {time.monotonic() - begun:.0f} s")
            out.flush()
        if wait != delay:
            out.write("\r\x1b[2K")
            out.flush()

    thread = threading.Thread(target=draw, daemon=True)
    thread.start()
    try:
        with heard(lambda what: now.__setitem__(0, what)):
            yield
    finally:
        done.set()
        thread.join()
