"""Batching without a timer: what queued while the last forward ran goes next; the queue and the time are bounded."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from modelserver.batcher import Batcher
from modelserver.errors import Problem
from modelserver.http.deadlines import Deadlines, Expired, TaskDeadline
from modelserver.model.exact import Floats


def rows(count: int, value: float = 0.0) -> Floats:
    return np.full((count, 2), value, np.float32)


class Work:
    """Sums rows; the first batch waits until it is let go."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.go = threading.Event()
        self.began = threading.Event()

    def __call__(self, requests: Sequence[Floats]) -> list[float]:
        self.batches.append([len(part) for part in requests])
        self.began.set()
        assert self.go.wait(10)
        return [float(part.sum()) for part in requests]


def run(scenario: Any, **options: Any) -> Work:
    work = Work()

    async def main() -> None:
        batcher: Batcher[float] = Batcher(work, **{"max_batch": 8, "max_queue": 20, **options})
        batcher.start()
        try:
            await scenario(batcher, work)
        finally:
            work.go.set()
            await asyncio.to_thread(batcher.stop)

    asyncio.run(main())
    return work


async def until(event: threading.Event) -> None:
    while not event.is_set():
        await asyncio.sleep(0.001)


def test_what_queued_during_a_forward_goes_into_the_next_one_bounded() -> None:
    async def scenario(batcher: Batcher[float], work: Work) -> None:
        first = asyncio.ensure_future(batcher.submit(rows(1, 1)))
        await until(work.began)
        others = [asyncio.ensure_future(batcher.submit(rows(1, value))) for value in range(10)]
        big = asyncio.ensure_future(batcher.submit(rows(9, 1)))
        await asyncio.sleep(0.01)
        work.go.set()
        assert await first == 2
        assert [await other for other in others] == [2.0 * value for value in range(10)]
        assert await big == 18

    assert run(scenario).batches == [[1], [1] * 8, [1, 1], [9]]


def test_requests_of_one_turn_of_the_loop_share_the_first_batch() -> None:
    async def scenario(batcher: Batcher[float], work: Work) -> None:
        work.go.set()
        await asyncio.gather(*(batcher.submit(rows(1)) for _ in range(5)))

    assert run(scenario).batches == [[1] * 5]
    assert run(scenario, inline=True).batches == [[1] * 5]


def test_a_full_queue_is_refused_at_once_with_a_time_to_come_back() -> None:
    async def scenario(batcher: Batcher[float], work: Work) -> None:
        first = asyncio.ensure_future(batcher.submit(rows(1)))
        await until(work.began)
        waiting = [asyncio.ensure_future(batcher.submit(rows(10))) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(Problem) as caught:
            await batcher.submit(rows(1))
        assert (caught.value.status, caught.value.reason, caught.value.headers) == (503, "queue_full", {"retry-after": "1"})
        work.go.set()
        await asyncio.gather(first, *waiting)
        await batcher.submit(rows(1))

    run(scenario)


def test_a_request_whose_caller_gave_up_is_not_computed() -> None:
    async def scenario(batcher: Batcher[float], work: Work) -> None:
        first = asyncio.ensure_future(batcher.submit(rows(1)))
        await until(work.began)
        lost, kept = (asyncio.ensure_future(batcher.submit(rows(count))) for count in (2, 3))
        await asyncio.sleep(0)
        lost.cancel()
        work.go.set()
        await asyncio.gather(first, kept)
        assert batcher.waiting_rows == 0

    assert run(scenario).batches == [[1], [3]]


@pytest.mark.parametrize("inline", [False, True])
def test_a_forward_that_fails_fails_only_its_own_batch(inline: bool) -> None:
    def work(requests: Sequence[Floats]) -> list[float]:
        if requests[0][0, 0] < 0:
            raise RuntimeError("out of memory")
        return [1.0 for _ in requests]

    async def main() -> None:
        batcher: Batcher[float] = Batcher(work, max_batch=8, max_queue=20, inline=inline)
        batcher.start()
        with pytest.raises(RuntimeError):
            await batcher.submit(rows(1, -1))
        assert await batcher.submit(rows(1)) == 1
        batcher.stop()

    asyncio.run(main())


def test_a_late_request_is_ended_and_a_quick_one_is_not() -> None:
    async def main() -> None:
        deadlines = Deadlines(0.1)
        watch = asyncio.ensure_future(deadlines.watch())

        async def request(seconds: float) -> str:
            with TaskDeadline(deadlines):
                await asyncio.sleep(seconds)
            return "done"

        assert await request(0.01) == "done"
        with pytest.raises(Expired):
            await request(5)
        assert await request(0.01) == "done"
        watch.cancel()

    asyncio.run(main())
