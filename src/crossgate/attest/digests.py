"""Digests of what is attested and of what judged it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn

from crossgate.config import POLICY_LOCK, Config
from crossgate.errors import CrossgateError
from crossgate.policy.bundle import files_below, read_bundle
from crossgate.policy.remote import locked_folders

_SETTINGS = ("crossgate.toml", "pyproject.toml", POLICY_LOCK, "baseline.json")
"""Files of the project that a verdict depends on, beside policies and schemas."""

_VALUES = (".json", ".yaml", ".yml")
"""What of a policy folder is no Rego and counts too: waivers, prices, freezes."""


def files_of(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file below a folder by its name inside of it.

    Raises:
        CrossgateError: there is no such folder, a name is no UTF-8, a file cannot be read, or something is neither file nor folder: what a
            link leads to may be another thing tomorrow.
    """
    if folder.is_symlink() or not folder.is_dir():
        raise CrossgateError("there is no such folder", str(folder), "run crossgate synth, or name the folder")
    found: dict[str, str] = {}
    for here, folders, names in os.walk(folder, onerror=_refuse):
        folders.sort()
        for name in (*names, *(name for name in folders if Path(here, name).is_symlink())):
            path = Path(here, name)
            inside = path.relative_to(folder).as_posix()
            if not inside.isprintable() or "\\" in inside:
                raise CrossgateError("a file's name is not one that every system has", repr(inside), "rename the file")
            if path.is_symlink() or not path.is_file():
                raise CrossgateError("a link or device stands among the files", str(path), "put the file itself there")
            found[inside] = file_digest(path)
    return dict(sorted(found.items()))


def _refuse(error: OSError) -> NoReturn:
    raise CrossgateError(f"cannot read the folder: {error.strerror}", str(error.filename), "mend its permissions") from error


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file, read in pieces. Raises CrossgateError when it cannot be read."""
    try:
        with path.open("rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError as error:
        raise CrossgateError(f"cannot read the file: {error.strerror}", str(path), "mend its permissions") from error


def judges_of(config: Config) -> dict[str, str]:
    """Return the digests of what judges: ``policies``, their ``data`` and ``schemas``, in hexadecimal.

    Raises:
        CrossgateError: policies or schemas cannot be read.
    """
    bundle = read_bundle((*config.policies, *locked_folders(config.bundles, config.policy_lock)), config.data)
    return {"policies": bundle.digest, "data": bundle.data_digest, "schemas": _all_of(config.schemas)}


def _all_of(places: Iterable[Path]) -> str:
    """Return a digest over all files at or below places: a lock names where schemas come from, and not what stands in them now."""
    digest = hashlib.sha256()
    for number, place in enumerate(places):
        files = files_of(place) if place.is_dir() else {place.name: file_digest(place)}
        for name, content in files.items():
            digest.update(f"{number}\0{name}\0{content}\0".encode())
    return digest.hexdigest()


def settings_of(config: Config) -> dict[str, str]:
    """Return the SHA-256 of the files that say how it is judged, by their names from the project's folder."""
    files = [config.root / name for name in _SETTINGS]
    files += [file for folder in config.policies for file in files_below(folder) if file.suffix in _VALUES]
    return {Path(os.path.relpath(file, config.root)).as_posix(): file_digest(file) for file in sorted(set(files)) if file.is_file()}
