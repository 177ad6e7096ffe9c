"""``crossgate schema import``: CRDs, XRDs and packages into a directory of compact schemas."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from crossgate.errors import SchemaError
from crossgate.schema.catalogue import kinds_of
from crossgate.schema.kinds import KindSchema
from crossgate.schema.kubernetes import kinds_of_kubernetes, read_wheel
from crossgate.schema.lock import Source, digest_of, store
from crossgate.schema.sources import manifest_bytes, manifest_files

_META_GROUP = "meta.pkg.crossplane.io/"
"""The group of the document that names a Crossplane package."""


def import_paths(paths: Sequence[Path], into: Path, *, version: str = "") -> list[Source]:
    """Import what each path holds, and note it in the lock.

    A file is one source, named by the package that it is or else by its file; a directory is one source, or one
    for each of its folders when it holds nothing else. Versions that are not served are left out.
    Raises SchemaError for a path without any definition, LoadError for a manifest that cannot be read.
    """
    imported = []
    for group in (group for path in paths for group in _groups(path)):
        name, kinds, digest = _read(group)
        imported.append(store(into, name, version, digest, kinds))
    return imported


def import_text(data: bytes, name: str, into: Path, *, version: str, digest: str) -> Source:
    """Import the documents of one stream, such as a package's ``package.yaml``. Raises SchemaError, LoadError."""
    kinds, _ = _kinds(data, name)
    if not kinds:
        raise SchemaError("there is no CRD and no XRD in it", name, "functions and mixed packages may define none")
    return store(into, name, version, digest, kinds)


def import_kubernetes(into: Path, version: str) -> Source:
    """Import Kubernetes' own kinds from the wheel ``kubernetes-validate``. Raises SchemaError."""
    definitions = read_wheel(version)
    kinds = list(kinds_of_kubernetes(definitions.schemas, "kubernetes-validate"))
    return store(into, "kubernetes", version, definitions.digest, kinds)


def _groups(path: Path) -> Iterator[Path]:
    folders = sorted(child for child in path.iterdir() if child.is_dir()) if path.is_dir() else []
    alone = folders and not any(child.suffix.lower() in (".yaml", ".yml", ".json") for child in path.iterdir())
    yield from folders if alone else [path]


def _read(path: Path) -> tuple[str, list[KindSchema], str]:
    kinds: list[KindSchema] = []
    state = hashlib.sha256()
    name = path.stem if path.is_file() else path.resolve().name
    for file in manifest_files(path):
        data = manifest_bytes(file)
        found, package = _kinds(data, str(file))
        name = package if package and path.is_file() else name
        if found:
            kinds += found
            state.update(digest_of(data).encode())
    if not kinds:
        raise SchemaError("there is no CRD and no XRD in it", str(path), "name files or folders that hold CRDs or XRDs")
    return name, kinds, f"sha256:{state.hexdigest()}"


def _kinds(data: bytes, name: str) -> tuple[list[KindSchema], str]:
    """Return the served kinds of a stream, and the name of the package that it is (or nothing)."""
    from crossgate.load import load_text  # noqa: PLC0415 (compact schemas need no YAML reader)

    kinds: list[KindSchema] = []
    package = ""
    for document in load_text(data, name):
        kinds += [kind for kind in kinds_of(document.body, name) if kind.served]
        package = package or _package(document.body)
    return kinds, package


def _package(body: Any) -> str:
    if isinstance(body, dict) and str(body.get("apiVersion", "")).startswith(_META_GROUP):
        return str((body.get("metadata") or {}).get("name", ""))
    return ""
