"""The files of fetched policies: which are kept, what their names may be, and the digest of them all."""

from __future__ import annotations

import hashlib
import io
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from crossgate.errors import PolicyError

KEPT = frozenset((".cel", ".json", ".md", ".rego", ".yaml", ".yml"))
MOST_FILES = 10_000
MOST_BYTES = 64 * 2**20


def strange_name(name: str) -> str:
    """Say what is wrong with the name of a file inside a bundle, or return the empty string."""
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts:
        return f"name {name!r} leads out of the bundle"
    if not name.isprintable() or "\\" in name or ":" in name or len(name) > 1024:
        return f"name {name!r} is not one that every system has"
    if any(part == ".git" for part in parts):
        return f"name {name!r} is that of git's own files"
    return ""


class Gathered:
    """The files of a bundle as they come in; what does not belong there is refused."""

    def __init__(self, where: str) -> None:
        self.files: dict[str, bytes] = {}
        self._where = where
        self._unpacked = 0

    def add(self, name: str, data: bytes) -> None:
        """Take a file. Raises PolicyError for a strange name, two files of one name, and more than a bundle may hold."""
        if wrong := strange_name(name):
            raise PolicyError(f"the bundle is refused: a file's {wrong}", self._where, "do not use this bundle")
        inside = PurePosixPath(name).as_posix()
        if self.files.get(inside, data) != data:
            raise PolicyError(f"the bundle is refused: it holds {name!r} twice", self._where, "do not use this bundle")
        self._count(len(self.files) + 1, len(data))
        self._unpacked += len(data)
        self.files[inside] = data

    def add_archive(self, data: bytes) -> None:
        """Take the files of a tar archive, gzipped or not; only plain files of known kinds are kept, links are refused.

        Raises PolicyError as ``add``, and for what is no archive.
        """
        try:
            with tarfile.open(fileobj=io.BytesIO(data), mode="r|*") as archive:
                for number, member in enumerate(archive):
                    self._count(number + 1, member.size)
                    if not member.isfile():
                        if member.isdir():
                            continue
                        raise PolicyError(
                            f"the bundle is refused: {member.name!r} is a link or device", self._where, "do not use this bundle"
                        )
                    name = member.name.removeprefix("./")
                    if PurePosixPath(name).suffix in KEPT or strange_name(name):
                        file = archive.extractfile(member)
                        self.add(name, file.read() if file else b"")
                    else:
                        self._unpacked += member.size
        except (tarfile.TarError, EOFError, OSError, ValueError, zlib.error) as error:
            raise PolicyError(f"a layer of the bundle is no archive: {error}", self._where, "do not use this bundle") from error

    def _count(self, files: int, size: int) -> None:
        """Refuse what is larger than a bundle may be, before it is unpacked; what is not kept has to be unpacked too."""
        if files > MOST_FILES or self._unpacked + size > MOST_BYTES:
            raise PolicyError(
                f"the bundle is refused: it has more than {MOST_FILES} files or {MOST_BYTES >> 20} MiB",
                self._where,
                "name a smaller folder",
            )


def digest_of(files: Mapping[str, bytes]) -> str:
    """Return the digest over the names and contents of files (names with slashes, in their order)."""
    digest = hashlib.sha256()
    for name in sorted(files):
        digest.update(f"{name}\0{len(files[name])}\0".encode())
        digest.update(files[name])
    return f"sha256:{digest.hexdigest()}"


def below(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files below a folder by their names inside of it; a link is no file."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield path.relative_to(folder).as_posix(), path.read_bytes()
