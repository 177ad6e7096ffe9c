"""One watch over all requests instead of a timer for each: asyncio.timeout costs about a tenth of a whole small prediction."""

from __future__ import annotations

import asyncio
import time
from typing import Any, Protocol


class Expired(BaseException):
    """The request took longer than it may."""


class Timed(Protocol):
    """What has a deadline."""

    def expire(self) -> None:
        """The time is over; called at most once, in the event loop."""


class Deadlines:
    """Every request has the same time, so the oldest is always the first in the dictionary.

    Args:
        seconds: the time of a request.
    """

    RESOLUTION = 0.05

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._open: dict[Timed, float] = {}

    def begin(self, timed: Timed, now: float) -> None:
        """Start the clock; `now` is time.monotonic()."""
        self._open[timed] = now + self._seconds

    def end(self, timed: Timed) -> None:
        """Stop it."""
        self._open.pop(timed, None)

    async def watch(self) -> None:
        """End what is late; runs as long as the server."""
        while True:
            await asyncio.sleep(min(self.RESOLUTION, self._seconds / 4))
            now = time.monotonic()
            while self._open:
                timed, at = next(iter(self._open.items()))
                if at > now:
                    break
                del self._open[timed]
                timed.expire()


class TaskDeadline:
    """The current task's deadline, as a context: the task is cancelled and the context raises Expired in place of the cancellation."""

    __slots__ = ("_deadlines", "_expired", "_task")

    def __init__(self, deadlines: Deadlines) -> None:
        self._deadlines = deadlines
        self._task: asyncio.Task[Any] | None = None
        self._expired = False

    def __enter__(self) -> None:
        """Start the clock."""
        self._task = asyncio.current_task()
        self._deadlines.begin(self, time.monotonic())

    def __exit__(self, *error: object) -> None:
        """Stop it."""
        self._deadlines.end(self)
        if self._expired:
            if self._task is not None:
                self._task.uncancel()
            raise Expired

    def expire(self) -> None:
        """End the task."""
        self._expired = True
        if self._task is not None:
            self._task.cancel()
