"""Where schemas are read from: compact directories, manifests with CRDs and XRDs, and packages."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from crossgate.errors import SchemaError
from crossgate.schema.catalogue import kinds_of
from crossgate.schema.compact import LOCK
from crossgate.schema.kinds import KindSchema
from crossgate.schema.plain import is_plain, kind_of_plain

_SUFFIXES = {".yaml", ".yml", ".json"}


def is_compact(path: Path) -> bool:
    """Say whether this is a directory of compact schemas: it holds their lock. Raises SchemaError for one that may not be entered."""
    try:
        return (path / LOCK).is_file()
    except OSError as error:
        raise _unreadable(error) from error


def _unreadable(error: OSError) -> SchemaError:
    return SchemaError(
        f"the schemas cannot be read: {error.strerror}", str(error.filename), "give the user that runs crossgate access to them"
    )


def _refuse(error: OSError) -> None:
    raise _unreadable(error) from error


def manifest_files(path: Path) -> Iterator[Path]:
    """Return the manifests of a file or a directory, in order. Raises SchemaError when there is no such path."""
    if path.is_dir():
        for folder, folders, names in os.walk(path, onerror=_refuse):
            folders.sort()
            for file in (Path(folder, name) for name in sorted(names)):
                if file.suffix.lower() in _SUFFIXES and file.is_file():
                    yield file
    elif path.is_file():
        yield path
    else:
        raise SchemaError(
            "there is no such file or directory", str(path), "schemas are a directory written by crossgate schema import, or CRDs and XRDs"
        )


def manifest_bytes(file: Path) -> bytes:
    """Return the content of a file that ``manifest_files`` named. Raises SchemaError for one that may not be read."""
    try:
        return file.read_bytes()
    except OSError as error:
        raise _unreadable(error) from error


def kinds_below(path: Path) -> Iterator[KindSchema]:
    """Return the kinds that the CRDs and XRDs of a file or directory define. Raises SchemaError, LoadError."""
    from crossgate.load import load_text  # noqa: PLC0415 (the reader is not needed for compact schemas)

    for file in manifest_files(path):
        for document in load_text(manifest_bytes(file), str(file)):
            if file.suffix.lower() == ".json" and is_plain(document.body):
                yield kind_of_plain(document.body, file)
            else:
                yield from kinds_of(document.body, str(file))
