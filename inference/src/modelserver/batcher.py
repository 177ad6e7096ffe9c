"""Batches without a timer: what queued while the last forward ran goes into the next one.

Under light load a request runs alone at once; under heavy load batches grow by themselves up to `max_batch` rows. Nothing waits for a
batch to fill.
A forward runs in one worker thread, so that probes and uploads go on beside it; one that takes less than a thread's hand-over is worth
runs right in the event loop, after all requests which that turn of the loop has read (a fifth less CPU a request for a small network).
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeAlias, TypeVar

from modelserver.errors import Problem
from modelserver.model.exact import Floats

T = TypeVar("T")
T_contra = TypeVar("T_contra", contravariant=True)


class Waiter(Protocol[T_contra]):
    """Takes a result: an asyncio.Future, or what a request of the direct way waits with. Called in the event loop, must not raise."""

    def done(self) -> bool:
        """Whether nobody waits any more."""

    def set_result(self, result: T_contra, /) -> None:
        """What `work` gave."""

    def set_exception(self, exception: BaseException, /) -> None:
        """What it raised."""


Batch: TypeAlias = list[tuple[Floats, Waiter[T]]]


class Batcher(Generic[T]):
    """Runs `work` on batches of submitted rows.

    Args:
        work: from the row arrays of several requests to one result for each, in order; runs in the worker thread.
        max_batch: a batch is closed when it has this many rows (one larger request goes alone).
        max_queue: rows that may wait; a request that finds as many waiting is refused.
        inline: whether forwards are so short that they run in the event loop.
        on_batch: told the number of rows of each batch.
    """

    def __init__(
        self,
        work: Callable[[Sequence[Floats]], Sequence[T]],
        *,
        max_batch: int,
        max_queue: int,
        inline: bool = False,
        on_batch: Callable[[int], None] = lambda _: None,
    ) -> None:
        self._work = work
        self._max_batch = max_batch
        self._max_queue = max_queue
        self._inline = inline
        self._on_batch = on_batch
        self._waiting: deque[tuple[Floats, Waiter[T]]] = deque()
        self._busy = False
        self._batches: queue.SimpleQueue[Batch[T] | None] = queue.SimpleQueue()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._run, name="forward", daemon=True)
        self.waiting_rows = 0

    def start(self) -> None:
        """Start the worker; must be called in the event loop that submits."""
        self._loop = asyncio.get_running_loop()
        self._thread.start()

    def stop(self) -> None:
        """End the worker after the batches that it was given."""
        if self._thread.is_alive():
            self._batches.put(None)
            self._thread.join()

    def submit(self, rows: Floats) -> asyncio.Future[T]:
        """The coming result for [k, …] rows; cancelling it takes the rows out of the queue.

        Raises:
            Problem: queue_full.
        """
        if self._loop is None:
            raise RuntimeError("the batcher was not started")
        future: asyncio.Future[T] = self._loop.create_future()
        self.queue(rows, future)
        return future

    def queue(self, rows: Floats, waiter: Waiter[T]) -> None:
        """Have the waiter told the result for [k, …] rows; once it is done, the rows are out of the queue.

        Raises:
            Problem: queue_full.
        """
        if self._loop is None:
            raise RuntimeError("the batcher was not started")
        if self.waiting_rows >= self._max_queue:
            raise Problem("queue_full", f"{self.waiting_rows} rows are waiting already", headers={"retry-after": "1"})
        self._waiting.append((rows, waiter))
        self.waiting_rows += len(rows)
        if not self._busy:
            self._busy = True
            self._loop.call_soon(self._dispatch)  # after the other requests that this turn of the loop has read

    def _dispatch(self) -> None:
        """Hand the next batch to the worker, without requests whose caller gave up."""
        batch: Batch[T] = []
        count = 0
        while self._waiting and (not batch or count + len(self._waiting[0][0]) <= self._max_batch):
            rows, waiter = self._waiting.popleft()
            self.waiting_rows -= len(rows)
            if not waiter.done():
                batch.append((rows, waiter))
                count += len(rows)
        self._busy = bool(batch)
        if batch:
            self._on_batch(count)
            if self._inline and count <= self._max_batch:
                self._deliver(batch, self._results(batch))
            else:
                self._batches.put(batch)

    def _run(self) -> None:
        while (batch := self._batches.get()) is not None:
            results = self._results(batch)
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self._deliver, batch, results)

    def _results(self, batch: Batch[T]) -> Sequence[T] | Exception:
        try:
            return self._work([rows for rows, _ in batch])
        except Exception as error:  # whatever a forward raises belongs to the requests of its batch, and the rest must go on
            return error

    def _deliver(self, batch: Batch[T], results: Sequence[T] | Exception) -> None:
        for index, (_, waiter) in enumerate(batch):
            if waiter.done():
                continue
            if isinstance(results, Exception):
                waiter.set_exception(results)
            else:
                waiter.set_result(results[index])
        if self._waiting and self._loop is not None:
            self._loop.call_soon(self._dispatch)
        else:
            self._busy = False
