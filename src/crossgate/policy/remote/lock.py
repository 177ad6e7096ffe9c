"""``policies.lock.toml``: what each place of policies held when somebody looked, and so what a check may use."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from crossgate.errors import PolicyError

_HEAD = "# What the policies elsewhere are. Written by `crossgate policy lock`; do not edit.\n"
_DIGEST = re.compile("sha256:[0-9a-f]{64}")
_RESOLVED = re.compile("sha256:[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Locked:
    """A source, the commit or digest that it led to, and the digest of the content that was there."""

    source: str
    resolved: str
    digest: str


def read_lock(file: Path) -> dict[str, Locked]:
    """Return what is locked, by source; a file that is not there locks nothing.

    Raises:
        PolicyError: the file cannot be read or is not in form.
    """
    if not file.is_file():
        return {}
    hint = "restore it from git, or remove it and run crossgate policy lock"
    try:
        entries = tomllib.loads(file.read_text(encoding="utf-8")).get("bundle", [])
        locked = [Locked(entry["source"], entry["resolved"], entry["digest"]) for entry in entries]
    except (OSError, ValueError, RecursionError, AttributeError, KeyError, TypeError) as error:
        raise PolicyError(f"cannot read the lock: {error}", str(file), hint) from error
    for entry in locked:
        fields = (entry.source, entry.resolved, entry.digest)
        if (
            not all(isinstance(text, str) for text in fields)
            or not _DIGEST.fullmatch(entry.digest)
            or not _RESOLVED.fullmatch(entry.resolved)
        ):
            raise PolicyError(f"the entry of {entry.source!r} is not in form", str(file), hint)
    sources = [entry.source for entry in locked]
    for source in sources:
        if sources.count(source) > 1:
            raise PolicyError(f"the lock names {source!r} twice, and one of both would count", str(file), hint)
    return {entry.source: entry for entry in locked}


def write_lock(file: Path, entries: Iterable[Locked]) -> None:
    """Write the lock, sorted by source. Raises PolicyError when it cannot be written."""
    lines = [_HEAD]
    for entry in sorted(entries, key=lambda entry: entry.source):
        source = json.dumps(entry.source, ensure_ascii=False)
        lines.append(f'\n[[bundle]]\nsource = {source}\nresolved = "{entry.resolved}"\ndigest = "{entry.digest}"\n')
    try:
        file.write_text("".join(lines), encoding="utf-8")
    except OSError as error:
        raise PolicyError(f"cannot write the lock: {error.strerror}", str(file)) from error
