"""Do a task for many items in as many processes as there are processors.

The processes are forked: what is loaded already is shared, and nothing but items and results travels. Few items are done right here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

FEW = 64
"""Up to so many items, starting processes costs more than it brings."""
BATCH = 32
"""Items of one task: they share what starting the policies' own process costs."""

_task: Callable[[Sequence[Any]], list[Any]] | None = None


def results(task: Callable[[Sequence[Item]], list[Result]], items: Sequence[Item]) -> Iterator[Result]:
    """Yield the result of ``task`` for each item, in order. ``task`` gets some of the items at once and must not raise.

    When a process is lost (killed for want of memory, say), what it had not finished is done in this one.
    """
    batches = [items[at : at + BATCH] for at in range(0, len(items), BATCH)]
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    if len(items) <= FEW or processors < 2:
        for batch in batches:
            yield from task(batch)
        return
    yield from _shared_out(task, batches, min(processors, len(batches)))


def _shared_out(task: Callable[[Sequence[Item]], list[Result]], batches: Sequence[Sequence[Item]], processes: int) -> Iterator[Result]:
    global _task  # noqa: PLW0603 - forked processes find the task here; a closure cannot be sent to them
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - 20 ms that a small run does not pay
    from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415 - likewise
    from multiprocessing import get_context  # noqa: PLC0415 - likewise

    _task = task
    done = 0
    try:
        with ProcessPoolExecutor(processes, mp_context=get_context("fork")) as pool:
            for result in pool.map(_run, batches):
                done += 1
                yield from result
    except BrokenProcessPool:
        for batch in batches[done:]:
            yield from task(batch)
    finally:
        _task = None


def _run(batch: Sequence[Any]) -> list[Any]:
    assert _task is not None  # noqa: S101 (set before the fork)
    return _task(batch)
