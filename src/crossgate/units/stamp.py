"""Digests of what a verdict depends on besides the file that it is about."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path

import crossgate

_ENGINES = ("gordon_to_regorus-", "jsonschema_rs-", "common_expression_language-", "google_re2-")
"""The libraries that decide together with our own code, as the folders begin that tell their versions."""


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
    """Return a digest of this very program: another version may judge otherwise, and so may one whose files were edited.

    It rests on what the files hold, not on when they were written: each job of a CI system installs the program anew.
    """
    package = str(Path(crossgate.__file__).parent)
    own: list[str | bytes] = []
    for here, folders, files in os.walk(package):
        folders[:] = sorted(set(folders) - {"__pycache__"})
        for name in sorted(files):
            if name.endswith((".py", ".json", ".gz")):
                with open(f"{here}/{name}", "rb") as file:  # noqa: PTH123 - a Path of each would take three times as long
                    own += [f"{here.removeprefix(package)}/{name}", file.read()]
    return digest_of((crossgate.__version__, sys.version, *_versions(), *own))


def folders(paths: Iterable[Path]) -> str:
    """Return a digest of all files in folders, by their names within them and their content."""
    parts: list[str | bytes] = []
    for path in paths:
        files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
        for file in files:
            parts += [file.relative_to(path).as_posix(), file.read_bytes()]
    return digest_of(parts)


def _versions() -> list[str]:
    found: list[str] = []
    for folder in sys.path:
        with suppress(OSError):
            found += [name for name in os.listdir(folder) if name.startswith(_ENGINES) and name.endswith(".dist-info")]  # noqa: PTH208 - see ``tool``
    return sorted(found)
