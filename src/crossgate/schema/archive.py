"""Layers of images are tar archives, gzipped or not, by anybody: a header alone may announce gigabytes."""

from __future__ import annotations

import gzip
import io
import tarfile
import zlib

BROKEN = (tarfile.TarError, EOFError, OSError, ValueError, OverflowError, RecursionError, zlib.error)
"""What Python raises where an archive is none: headers that call for headers end in a RecursionError."""


def unzipped(data: bytes, most: int) -> bytes:
    """Return what a layer unpacks to, read no further than one byte beyond ``most``.

    Raises:
        OSError, EOFError, zlib.error: it is damaged.
    """
    if not data.startswith(b"\x1f\x8b"):
        return data
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as opened:
        return opened.read(most + 1)
