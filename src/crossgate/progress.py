"""What is being done right now, for somebody who waits at a terminal; nobody listens in a pipeline or a program."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_listener: ContextVar[Callable[[str], None] | None] = ContextVar("listener", default=None)


def doing(what: str) -> None:
    """Say what begins now, in a few words ("rendering")."""
    if (listener := _listener.get()) is not None:
        listener(what)


@contextmanager
def heard(listener: Callable[[str], None]) -> Iterator[None]:
    """Let ``listener`` hear what begins while the context lasts."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
