"""Standard output and standard error whose reader may stop early (``crossgate render … | head``)."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING

from crossgate.errors import CrossgateError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _Patient(io.FileIO):
    """A file that takes what nobody reads any more: what a verb still has to do, and its exit code, do not hang on who reads.

    A disk that is full is told, once.
    """

    def write(self, data: ReadableBuffer, /) -> int:
        """Write; once the reader is gone, to nowhere. Raises CrossgateError where standard output cannot be written for another reason."""
        try:
            return super().write(data)
        except OSError as error:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            if isinstance(error, BrokenPipeError) or self.fileno() != _STDOUT:
                return super().write(data)
            hint = "make room, or write it to another file (-o FORMAT=FILE)"
            raise CrossgateError(f"cannot write what was found: {error.strerror}", "standard output", hint) from error


_STDOUT = 1


def outlive_readers() -> None:
    """Let both streams of this process outlive their readers. Click would end with 1, which means findings; Python with a traceback.

    A stream that was closed before the process began leads nowhere: else the next file or pipe would be opened in its place.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free: this one
            setattr(sys, name, os.fdopen(number, "w" if number else "r", encoding="utf-8", closefd=False))
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper) and stream is getattr(sys, f"__{name}__"):
            stream.flush()
            file = io.BufferedWriter(_Patient(stream.fileno(), "w", closefd=False))
            patient = io.TextIOWrapper(file, stream.encoding, stream.errors, line_buffering=stream.line_buffering)
            setattr(sys, name, patient)
