"""Do a task for many items in as many processes as there are processors.

The processes are forked: what is loaded already is shared, and nothing but results travels. No thread is started: the policies' engine
may only be let go by the thread that made it. Few items are done right here.
"""

from __future__ import annotations

import gc
import os
import selectors
import signal
import struct
from collections.abc import Callable, Iterator, Sequence
from typing import NoReturn, TypeVar

from crossgate.collecting import collect_rarely
from crossgate.forking import forked

Item = TypeVar("Item")
Result = TypeVar("Result")

FEW = 64
"""Up to so many items, starting processes costs more than it brings."""
LEAST, MOST = 32, 96
"""Items of one task: they share what starting the policies' own process costs, and lie in memory together."""
TASKS = 4
"""Tasks for each process, where there are items enough: the last ones end at about the same time."""

_HEADER = struct.Struct("<QQ")


def results(task: Callable[[Sequence[Item]], list[Result]], items: Sequence[Item], *, alone: bool = False) -> Iterator[Result]:
    """Yield the result of ``task`` for each item, in order. ``task`` gets some of the items at once and must not raise.

    When a process is lost (killed for want of memory, say), what it had not finished is done in this one. ``alone`` says that each item
    is worth a task of its own.
    """
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    rounds = max(TASKS, -(-len(items) // (processors * MOST)))
    size = 1 if alone else max(-(-len(items) // (processors * rounds)), LEAST)
    batches = [items[at : at + size] for at in range(0, len(items), size)]
    several = len(items) > (1 if alone else FEW) and processors > 1
    done = _shared_out(task, batches, min(processors, len(batches))) if several else {}
    for number, batch in enumerate(batches):
        yield from done.pop(number) if number in done else task(batch)


def _shared_out(
    task: Callable[[Sequence[Item]], list[Result]], batches: Sequence[Sequence[Item]], processes: int
) -> dict[int, list[Result]]:
    """Return the results of each batch that a process finished."""
    readers: dict[int, int] = {}
    found: dict[int, list[Result]] = {}
    gc.freeze()  # a collection in a child would copy every page that it looks at
    try:
        for first in range(processes):
            numbers = range(first, len(batches), processes)
            reader, child = forked(lambda writer, numbers=numbers: _work(task, batches, numbers, writer, list(readers)))  # type: ignore[misc] # bound early
            readers[reader] = child
        with selectors.DefaultSelector() as waiting:
            buffers = {reader: bytearray() for reader in readers}
            for reader in readers:
                waiting.register(reader, selectors.EVENT_READ)
            while waiting.get_map():
                for key, _ in waiting.select():
                    chunk = os.read(key.fd, 1 << 20)
                    if chunk:
                        buffers[key.fd] += chunk
                        found.update(_whole(buffers[key.fd]))
                    else:
                        waiting.unregister(key.fd)
    finally:
        gc.unfreeze()
        for reader, child in readers.items():
            os.close(reader)
            os.kill(child, signal.SIGKILL)  # it has ended, or nobody waits for what it does
            os.waitpid(child, 0)
    return found


def _work(
    task: Callable[[Sequence[Item]], list[Result]],
    batches: Sequence[Sequence[Item]],
    numbers: range,
    writer: int,
    others: Sequence[int],
) -> NoReturn:
    """Be the child. ``others`` are the pipes of those that were started before."""
    from crossgate.sending import dumps  # noqa: PLC0415 - a check of few files does not pay for it

    try:
        collect_rarely()
        for other in others:
            os.close(other)
        with os.fdopen(writer, "wb") as out:
            for number in numbers:
                body = dumps(task(batches[number]))
                out.write(_HEADER.pack(number, len(body)) + body)
                out.flush()
    finally:
        os._exit(0)


def _whole(buffer: bytearray) -> Iterator[tuple[int, list[Result]]]:
    """Take the results that have come whole out of a buffer."""
    import pickle  # noqa: PLC0415 - see ``_work``

    while len(buffer) >= _HEADER.size:
        number, size = _HEADER.unpack_from(buffer)
        end = _HEADER.size + size
        if len(buffer) < end:
            return
        yield number, pickle.loads(buffer[_HEADER.size : end])  # noqa: S301 - our own child wrote it
        del buffer[:end]
