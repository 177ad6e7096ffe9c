"""What earlier runs have worked out, found again by a digest of everything that it depends on.

An entry is believed only when it carries the seal of this user's own key: what another machine, a pull request or a
broken disk has put there is as good as nothing. The key is made on the first run and stands in the user's state folder; runs on
several machines that are to share entries (a CI system's cache) are given one in ``CROSSGATE_CACHE_KEY``.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import sqlite3
import stat
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

OFF = "CROSSGATE_CACHE"
"""The environment variable that turns the cache off when it is ``off``."""
KEY = "CROSSGATE_CACHE_KEY"
"""The environment variable that holds the key of a cache that several machines share."""

_FORMAT = 1
_LIMIT = 256 * 1024 * 1024
"""Bytes of the file beyond which it is started anew: old entries are never asked for again."""
_BATCH = 500
_LARGEST = 64 * 1024 * 1024
"""Bytes of an entry; with a larger one a file is none of ours."""
_STEPS = 10_000_000
"""What SQLite does at most between two rows: a hundred times what finding a batch takes."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What is kept under a name: ``head`` is needed by every run, ``rest`` only by some (``squeezed``: it is not read before)."""

    head: bytes
    squeezed: bytes = b""

    @classmethod
    def of(cls, head: bytes, rest: bytes) -> Entry:
        """Make an entry."""
        return cls(head, zlib.compress(rest, 1))

    @property
    def rest(self) -> bytes:
        """Return what few runs need."""
        return zlib.decompress(self.squeezed) if self.squeezed else b""


class Cache:
    """A file of entries. Whatever is wrong with it makes it empty, never the run fail."""

    def __init__(self, file: Path, key: bytes) -> None:
        """Use ``Cache.open``."""
        self._file = file
        self._key = key

    @classmethod
    def open(cls) -> Cache | None:
        """Return this user's cache; None when it is turned off or there is no place for it."""
        if os.environ.get(OFF, "").lower() in ("off", "0", "false", "no"):
            return None
        try:
            folder = _folder("XDG_CACHE_HOME", ".cache")
            key = _key()
        except (OSError, RuntimeError):
            return None
        return cls(folder / f"verdicts-{_FORMAT}.sqlite", key)

    def read(self, names: Iterable[str]) -> Mapping[str, Entry]:
        """Return the entries that there are under ``names`` and whose seal is right."""
        if not self._file.exists():
            return {}
        wanted = list(names)
        found: dict[str, Entry] = {}
        with suppress(sqlite3.Error, OSError), closing(self._connect(write=False)) as database:
            for at in range(0, len(wanted), _BATCH):
                some = wanted[at : at + _BATCH]
                marks = ",".join("?" * len(some))
                rows = database.execute(f"SELECT name, seal, head, rest FROM entry WHERE name IN ({marks})", some)  # noqa: S608 - marks only
                found.update(self._believed(rows))
        return found

    def write(self, entries: Mapping[str, Entry]) -> None:
        """Keep entries for later runs; when that cannot be done they are not kept."""
        if not entries:
            return
        with suppress(sqlite3.Error, OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            if self._file.exists() and self._file.stat().st_size > _LIMIT:
                self._file.unlink()
            try:
                self._insert(entries)
            except sqlite3.DatabaseError:
                self._file.unlink(missing_ok=True)  # it is damaged, or none of ours
                self._insert(entries)

    def _insert(self, entries: Mapping[str, Entry]) -> None:
        rows = [(name, self._seal(name, entry.head, entry.squeezed), entry.head, entry.squeezed) for name, entry in entries.items()]
        with closing(self._connect(write=True)) as database, database:
            database.execute("CREATE TABLE IF NOT EXISTS entry (name TEXT PRIMARY KEY, seal BLOB, head BLOB, rest BLOB) WITHOUT ROWID")
            database.executemany("INSERT OR REPLACE INTO entry VALUES (?, ?, ?, ?)", rows)

    def _believed(self, rows: Iterable[tuple[str, bytes, bytes, bytes]]) -> Iterator[tuple[str, Entry]]:
        for name, seal, head, rest in rows:
            sound = isinstance(name, str) and all(isinstance(part, bytes) for part in (seal, head, rest))
            if sound and hmac.compare_digest(seal, self._seal(name, head, rest)):
                yield name, Entry(head, rest)

    def _seal(self, name: str, head: bytes, rest: bytes) -> bytes:
        sizes = b"%d %d " % (len(head), len(rest))
        return hmac.digest(self._key, sizes + name.encode() + head + rest, "sha256")

    def _connect(self, *, write: bool) -> sqlite3.Connection:
        database = sqlite3.connect(self._file if write else f"file:{self._file}?mode=ro", timeout=5, uri=not write)
        if write:
            database.execute("PRAGMA synchronous = OFF")  # what a crash leaves behind is not believed
        else:
            # in place of the table there may be a view that counts for ever, or makes up a gigabyte
            database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LARGEST)
            database.set_progress_handler(lambda: 1, _STEPS)
        return database


def _key() -> bytes:
    given = os.environ.get(KEY, "")
    if given:
        return hashlib.sha256(given.encode()).digest()
    file = _folder("XDG_STATE_HOME", ".local/state") / "cache.key"
    with suppress(FileNotFoundError):
        about = file.lstat()
        own = not hasattr(os, "getuid") or about.st_uid == os.getuid()
        if not stat.S_ISREG(about.st_mode) or not own or about.st_mode & 0o077:
            message = "the key is not this user's alone"
            raise OSError(message)
        key = file.read_bytes()
        if len(key) == 32:
            return key
        file.unlink()
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with suppress(FileExistsError), os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as made:
        made.write(secrets.token_bytes(32))
    key = file.read_bytes()
    if len(key) != 32:  # another run is about to write it: a shorter one could be known to anybody
        message = "the key is not there yet"
        raise OSError(message)
    return key


def _folder(variable: str, otherwise: str) -> Path:
    base = os.environ.get(variable)
    return (Path(base) if base and Path(base).is_absolute() else Path.home() / otherwise) / "crossgate"
