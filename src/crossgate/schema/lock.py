"""``schemas/lock.toml``: where each compact schema comes from."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from crossgate.errors import SchemaError
from crossgate.schema.compact import LOCK, dump, file_of, is_name
from crossgate.schema.kinds import KindSchema

_HEAD = """# Where each schema comes from. Written by `crossgate schema import` and `crossgate schema pull`; do not edit.
"""


@dataclass(frozen=True, slots=True)
class Source:
    """One thing that schemas were imported from: its name, version and digest, and the files that it gave."""

    name: str
    version: str
    digest: str
    files: tuple[str, ...] = field(default=())


def digest_of(data: bytes) -> str:
    """Return a digest as registries write it."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def read_lock(directory: Path) -> dict[str, Source]:
    """Return the sources by name; an empty directory has none. Raises SchemaError for a broken lock."""
    file = directory / LOCK
    if not file.exists():
        return {}
    try:
        entries = tomllib.loads(file.read_text(encoding="utf-8")).get("source", [])
        strange = [file for entry in entries for file in entry["files"] if not _is_file(file)]
        if strange:
            raise SchemaError(f"{strange[0]!r} is no file of a schema directory", str(file), "restore the lock from git")
        sources = [Source(entry["name"], entry.get("version", ""), entry["digest"], tuple(entry["files"])) for entry in entries]
    except (OSError, ValueError, RecursionError, AttributeError, KeyError, TypeError) as error:
        raise SchemaError(f"cannot read the lock: {error}", str(file), "restore it from git, or import the schemas again") from error
    return {source.name: source for source in sources}


def _is_file(name: str) -> bool:
    """Say whether a name is one that ``file_of`` makes: what a lock names is deleted when its source no longer gives it."""
    parts = name.removesuffix(".json").split("/")
    return name.endswith(".json") and len(parts) == 3 and all(map(is_name, parts))


def write_lock(directory: Path, sources: dict[str, Source]) -> None:
    """Write the lock, sorted by name."""
    lines = [_HEAD]
    for name in sorted(sources):
        source = sources[name]
        lines.append(f'\n[[source]]\nname = "{source.name}"\nversion = "{source.version}"\ndigest = "{source.digest}"\nfiles = [\n')
        lines.extend(f'  "{file}",\n' for file in sorted(source.files))
        lines.append("]\n")
    (directory / LOCK).write_text("".join(lines), encoding="utf-8")


def store(directory: Path, name: str, version: str, digest: str, kinds: Iterable[KindSchema]) -> Source:
    """Write the kinds of one source into a schema directory and its lock; files that the source gave before and no longer gives go."""
    directory.mkdir(parents=True, exist_ok=True)
    sources = read_lock(directory)
    files: dict[str, str] = {}
    for kind in kinds:
        files[file_of(kind.group, kind.version, kind.kind)] = dump(kind)
    source = Source(name, version, digest, tuple(sorted(files)))
    others = {file for other in sources.values() if other.name != name for file in other.files}
    for gone in set(sources[name].files if name in sources else ()) - set(files) - others:
        (directory / gone).unlink(missing_ok=True)
    for file, text in files.items():
        target = directory / file
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    sources[name] = source
    for other in list(sources.values()):
        kept = tuple(file for file in other.files if other.name == name or file not in files)
        if kept != other.files:
            sources[other.name] = Source(other.name, other.version, other.digest, kept)
    write_lock(directory, {key: value for key, value in sources.items() if value.files})
    return source
