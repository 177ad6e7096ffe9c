"""A forked process that hands its results back through a pipe."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Callable
from functools import cache
from typing import NoReturn

from crossgate.errors import CrossgateError

_SET_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of Linux."""


@cache
def _prctl() -> Callable[[int, int], int] | None:
    """Return what lets a process end with its parent; only Linux has it.

    A process that evaluates a rule looks at nothing else meanwhile, and one that judges many files not until it has something to say.
    """
    if sys.platform != "linux":
        return None
    import ctypes  # noqa: PLC0415 - 2.5 ms that only who forks pays, in the parent and once

    function: Callable[[int, int], int] = ctypes.CDLL(None).prctl
    return function


def forked(work: Callable[[int], NoReturn]) -> tuple[int, int]:
    """Start a process that writes to a pipe and ends; at the latest with this one (on Linux), whatever ends it.

    Args:
        work: is given the pipe's writing end in the child, and must never return.

    Returns:
        The pipe's reading end, and the child. Whoever asked closes the one and waits for the other.

    Raises:
        CrossgateError: the machine starts no more processes, or opens no more files.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    end_with, parent = _prctl(), os.getpid()
    reader = writer = -1
    try:
        reader, writer = os.pipe()
        with warnings.catch_warnings():
            # Python warns that other threads' locks stay taken in the child; it takes none, and never returns from here.
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
    except OSError as error:
        for end in (reader, writer):
            if end >= 0:
                os.close(end)
        hint = "raise its limits of processes, memory and open files (ulimit -u, -v, -n; those of the container)"
        raise CrossgateError(f"this machine starts no process for the rules: {error.strerror}", "judging by policies", hint) from error
    if child == 0:
        os.close(reader)
        if end_with is not None and end_with(_SET_DEATH_SIGNAL, signal.SIGKILL) == 0 and os.getppid() != parent:
            os._exit(1)  # the parent ended before it could be asked for
        work(writer)
    os.close(writer)
    return reader, child
