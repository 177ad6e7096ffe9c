"""Digests of what a verdict depends on besides the file that it is about."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import crossgate

_ENGINES = ("gordon-to-regorus", "jsonschema-rs", "common-expression-language", "google-re2")
"""The libraries that decide together with our own code."""


def digest_of(parts: Iterable[str | bytes]) -> str:
    """Return a digest of texts in order; their ends count."""
    whole = bytearray()
    for part in parts:
        data = part.encode("utf-8", errors="surrogatepass") if isinstance(part, str) else part
        whole += b"%d:" % len(data)
        whole += data
    return hashlib.sha256(whole).hexdigest()


@cache
def tool() -> str:
    """Return a digest of this very program: another version may judge otherwise, and so may one whose files were edited."""
    package = str(Path(crossgate.__file__).parent)
    own = []
    for here, folders, files in os.walk(package):
        folders[:] = sorted(set(folders) - {"__pycache__"})
        for name in sorted(files):
            if name.endswith((".py", ".json", ".gz")):
                about = os.stat(f"{here}/{name}")  # noqa: PTH116 - a Path of each would take three times as long as all the rest
                own.append(f"{here.removeprefix(package)}/{name} {about.st_size} {about.st_mtime_ns}")
    return digest_of((crossgate.__version__, sys.version, *(f"{name} {_version(name)}" for name in _ENGINES), *own))


def folders(paths: Iterable[Path]) -> str:
    """Return a digest of all files in folders, by their names within them and their content."""
    parts: list[str | bytes] = []
    for path in paths:
        files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
        for file in files:
            parts += [file.relative_to(path).as_posix(), file.read_bytes()]
    return digest_of(parts)


def _version(name: str) -> str:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - 15 ms that a check of few files does not pay

    try:
        return version(name)
    except PackageNotFoundError:
        return ""
