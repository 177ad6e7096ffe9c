"""One watch over all requests instead of a timer for each: asyncio.timeout costs about a tenth of a whole small prediction."""

from __future__ import annotations

import asyncio
import time
from typing import Any


class Expired(BaseException):
    """The request took longer than it may."""


class Deadline:
    """One request's task and when it must be done."""

    __slots__ = ("at", "expired", "task")

    def __init__(self, task: asyncio.Task[Any] | None, at: float) -> None:
        self.task = task
        self.at = at
        self.expired = False


class Deadlines:
    """Every request has the same time, so the oldest is always the first in the dictionary.

    Args:
        seconds: the time of a request.
    """

    RESOLUTION = 0.05

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._open: dict[Deadline, None] = {}

    def begin(self) -> Deadline:
        """Start the clock of the current task."""
        deadline = Deadline(asyncio.current_task(), time.monotonic() + self._seconds)
        self._open[deadline] = None
        return deadline

    def end(self, deadline: Deadline) -> None:
        """Stop it.

        Raises:
            Expired: when the watch had ended the task, in place of the cancellation.
        """
        self._open.pop(deadline, None)
        if deadline.expired:
            if deadline.task is not None:
                deadline.task.uncancel()
            raise Expired

    async def watch(self) -> None:
        """Cancel what is late; runs as long as the server."""
        while True:
            await asyncio.sleep(min(self.RESOLUTION, self._seconds / 4))
            now = time.monotonic()
            while self._open:
                deadline = next(iter(self._open))
                if deadline.at > now:
                    break
                del self._open[deadline]
                deadline.expired = True
                if deadline.task is not None:
                    deadline.task.cancel()
