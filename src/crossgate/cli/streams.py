"""Standard output and standard error whose reader may stop early (``crossgate render … | head``)."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _Patient(io.FileIO):
    """A file that takes what nobody reads any more: what a verb still has to do, and its exit code, do not hang on who reads."""

    def write(self, data: ReadableBuffer, /) -> int:
        """Write; once the reader is gone, to nowhere."""
        try:
            return super().write(data)
        except BrokenPipeError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            return super().write(data)


def outlive_readers() -> None:
    """Let both streams of this process outlive their readers. Click would end with 1, which means findings; Python with a traceback."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper) and stream is getattr(sys, f"__{name}__"):
            stream.flush()
            file = io.BufferedWriter(_Patient(stream.fileno(), "w", closefd=False))
            patient = io.TextIOWrapper(file, stream.encoding, stream.errors, line_buffering=stream.line_buffering)
            setattr(sys, name, patient)
