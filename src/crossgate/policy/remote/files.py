"""The files of fetched policies: which are kept, what their names may be, and the digest of them all."""

from __future__ import annotations

import hashlib
import io
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from crossgate.errors import PolicyError
from crossgate.schema.archive import BROKEN, unzipped

KEPT = frozenset((".cel", ".json", ".md", ".rego", ".yaml", ".yml"))
MOST_FILES = 10_000
MOST_BYTES = 64 * 2**20


def strange_name(name: str) -> str:
    """Say what is wrong with the name of a file inside a bundle, or return the empty string."""
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts:
        return f"name {name!r} leads out of the bundle"
    if not name.isprintable() or "\\" in name or ":" in name or len(name) > 1024 or any(len(part.encode()) > 255 for part in parts):
        return f"name {name!r} is not one that every system has"
    if any(part == ".git" for part in parts):
        return f"name {name!r} is that of git's own files"
    return ""


class Gathered:
    """The files of a bundle as they come in; what does not belong there is refused."""

    def __init__(self, where: str) -> None:
        self.files: dict[str, bytes] = {}
        self._folders: set[str] = set()
        self._where = where
        self._unpacked = 0

    def add(self, name: str, data: bytes) -> None:
        """Take a file. Raises PolicyError for a strange name, two files of one name, and more than a bundle may hold."""
        self._count(0, len(data))
        self._unpacked += len(data)
        self._keep(name, data)

    def add_archive(self, data: bytes) -> None:
        """Take the files of a tar archive, gzipped or not; only plain files of known kinds are kept, links are refused.

        Raises PolicyError as ``add``, and for what is no archive or not a whole one: what is lost could be the rule that refuses.
        """
        try:
            tar = unzipped(data, MOST_BYTES - self._unpacked)
            self._count(len(self.files), len(tar))
            self._unpacked += len(tar)
            with tarfile.open(fileobj=io.BytesIO(tar), mode="r:") as archive:
                for number, member in enumerate(archive, 1):
                    self._count(number, 0)
                    self._take_member(archive, member)
                rest = tar[archive.offset :]
        except BROKEN as error:
            raise PolicyError(f"a layer of the bundle is no archive: {error}", self._where, "do not use this bundle") from error
        if not rest or rest.strip(b"\0"):
            # tarfile takes anything that is no header for the end
            raise PolicyError("a layer of the bundle is broken: its archive does not end", self._where, "do not use this bundle")

    def _take_member(self, archive: tarfile.TarFile, member: tarfile.TarInfo) -> None:
        if member.isdir():
            return
        if not member.isfile() or member.issparse():
            raise PolicyError(f"the bundle is refused: {member.name!r} is a link or device", self._where, "do not use this bundle")
        name = member.name.removeprefix("./")
        if PurePosixPath(name).suffix in KEPT or strange_name(name):
            file = archive.extractfile(member)
            self._keep(name, file.read() if file else b"")

    def _keep(self, name: str, data: bytes) -> None:
        if wrong := strange_name(name):
            raise PolicyError(f"the bundle is refused: a file's {wrong}", self._where, "do not use this bundle")
        inside = PurePosixPath(name).as_posix()
        if self.files.get(inside, data) != data:
            raise PolicyError(f"the bundle is refused: it holds {name!r} twice", self._where, "do not use this bundle")
        folders = [folder.as_posix() for folder in PurePosixPath(inside).parents]
        if inside in self._folders or any(folder in self.files for folder in folders):
            raise PolicyError(f"the bundle is refused: {name!r} is a file and a folder", self._where, "do not use this bundle")
        self._count(len(self.files) + 1, 0)
        self.files[inside] = data
        self._folders.update(folders)

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
    """Yield what stands below a folder by its name inside of it; what is neither file nor folder (a link, a pipe) holds nothing."""
    for path in sorted(folder.rglob("*")):
        plain = path.is_file() and not path.is_symlink()
        if plain or path.is_symlink() or not path.is_dir():
            yield path.relative_to(folder).as_posix(), path.read_bytes() if plain else b""
