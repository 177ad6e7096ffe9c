"""A forked process that hands its results back through a pipe."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from typing import NoReturn

from crossgate.errors import CrossgateError


def forked(work: Callable[[int], NoReturn]) -> tuple[int, int]:
    """Start a process that writes to a pipe and ends.

    Args:
        work: is given the pipe's writing end in the child, and must never return.

    Returns:
        The pipe's reading end, and the child. Whoever asked closes the one and waits for the other.

    Raises:
        CrossgateError: the machine starts no more processes, or opens no more files.
    """
    sys.stdout.flush()
    sys.stderr.flush()
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
        work(writer)
    os.close(writer)
    return reader, child
