"""Run tasks where they can do no harm: a child process with a time limit for each task and a memory limit.

The engine holds Python's lock while it evaluates, recurses on the machine's stack and aborts when memory ends, so
neither a thread nor an exception handler can stop it. A forked child can be lost: the parent sees how it
ended, names the task that was running, and goes on with the next one in a new child.
"""

from __future__ import annotations

import faulthandler
import mmap
import os
import signal
import struct
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NoReturn

from crossgate.forking import forked

_HEADER = struct.Struct("<QI")
_FLUSH = 1 << 16
_HELD_BACK = 0.05
"""Seconds that a result waits at most for others before it is handed over: what is lost with a child is worked out again."""


@dataclass(frozen=True, slots=True)
class Death:
    """Why a task did not end: one clause that follows the name of the task."""

    reason: str


@dataclass(frozen=True, slots=True)
class Limits:
    """What one task may use: seconds of processor time, and bytes of memory beyond what is used at the start."""

    seconds: float = 10.0
    memory: int = 1 << 30


def isolated(task: Callable[[int], bytes], count: int, limits: Limits) -> Iterator[tuple[int, bytes | Death]]:
    """Call ``task(0)`` … ``task(count - 1)`` in a child process and yield the results in order, a death as soon as it happened.

    ``task`` must not raise. Where the system cannot fork (Windows) tasks run in this process, without limits.
    """
    if not hasattr(os, "fork"):
        for index in range(count):
            yield index, task(index)
        return
    done, stop = 0, count
    death: Death | None = None
    with mmap.mmap(-1, 8) as current:
        while done < count:
            died: Death | None = None
            for index, result in _child(task, range(done, stop), limits, current):
                if index < 0:
                    died = Death(result.decode())
                    break
                done = index + 1
                yield index, result
            at = int.from_bytes(current[:8], "little")
            if died is not None and at > done:
                stop, death = at, died  # the results that the child had not handed over are worked out again
                continue
            death = died or death
            if death is not None:
                done += 1
                yield done - 1, death
            stop, death = count, None


def _child(task: Callable[[int], bytes], indexes: range, limits: Limits, current: mmap.mmap) -> Iterator[tuple[int, bytes]]:
    """Yield the results of one child; index -1 with the reason when it did not reach the end."""
    reader, pid = forked(lambda writer: _work(task, indexes, limits, current, writer))
    reaped = False
    try:
        buffer = b""
        last = indexes.start - 1
        while chunk := os.read(reader, 1 << 20):
            buffer += chunk
            at = 0
            while len(buffer) - at >= _HEADER.size:
                index, size = _HEADER.unpack_from(buffer, at)
                if len(buffer) - at - _HEADER.size < size:
                    break
                at += _HEADER.size + size
                last = index
                yield index, buffer[at - size : at]
            buffer = buffer[at:]
        status = os.waitpid(pid, 0)[1]
        reaped = True
        if last < indexes.stop - 1:
            yield -1, _reason(status, limits).encode()
    finally:
        os.close(reader)
        if not reaped:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def _work(task: Callable[[int], bytes], indexes: range, limits: Limits, current: mmap.mmap, writer: int) -> NoReturn:
    """Be the child."""
    try:
        faulthandler.disable()  # a crash of the child is an answer, not a report
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        _limit_memory(limits.memory)
        out = bytearray()
        written = time.monotonic()
        for index in indexes:
            current[:8] = index.to_bytes(8, "little")
            signal.setitimer(signal.ITIMER_PROF, limits.seconds)
            result = task(index)
            out += _HEADER.pack(index, len(result)) + result
            if len(out) > _FLUSH or time.monotonic() - written > _HELD_BACK:
                _write(writer, out)
                written = time.monotonic()
        signal.setitimer(signal.ITIMER_PROF, 0)
        _write(writer, out)
        os._exit(0)
    finally:
        os._exit(1)


def _write(writer: int, out: bytearray) -> None:
    view = memoryview(bytes(out))
    while view:
        view = view[os.write(writer, view) :]
    out.clear()


def _limit_memory(memory: int) -> None:
    """Limit the address space to ``memory`` bytes more than is taken now (only Linux tells how much that is)."""
    if sys.platform == "linux":
        import resource  # noqa: PLC0415 - does not exist on Windows

        with open("/proc/self/statm", encoding="ascii") as statm:  # noqa: PTH123 - cheaper than a Path in the child
            used = int(statm.read().split()[0]) * resource.getpagesize()
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        wanted = used + memory
        resource.setrlimit(resource.RLIMIT_AS, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))


def _reason(status: int, limits: Limits) -> str:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number == signal.SIGPROF:
            return f"did not end within {limits.seconds:g} s of processor time"
        if number == signal.SIGABRT:
            return f"needed more than {limits.memory >> 20} MiB of memory, or the engine gave up"
        if number in (signal.SIGSEGV, signal.SIGBUS):
            return "crashed the engine (endless recursion does)"
        return f"was ended by signal {number}"
    return "crashed the engine"
