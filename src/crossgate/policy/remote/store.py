"""The cache of fetched policies: outside of the tree, by the digest of their content, which is worked out again at every use."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from crossgate.errors import PolicyError
from crossgate.policy.remote.files import below, digest_of
from crossgate.policy.remote.lock import Locked, read_lock


@dataclass(frozen=True, slots=True)
class Store:
    """A cache in ``folder``."""

    folder: Path

    @classmethod
    def default(cls) -> Store:
        """Return the user's cache: ``$XDG_CACHE_HOME/crossgate/policies``, else below ``~/.cache``."""
        home = os.environ.get("XDG_CACHE_HOME")
        return cls((Path(home) if home else Path.home() / ".cache") / "crossgate" / "policies")

    def get(self, digest: str) -> Path | None:
        """Return the folder with this content; None when it is not there, or holds anything else."""
        folder = self.folder / digest.removeprefix("sha256:")
        try:
            return folder if folder.is_dir() and digest_of(dict(below(folder))) == digest else None
        except OSError:  # what cannot be read is as good as nothing there
            return None

    def put(self, files: Mapping[str, bytes]) -> str:
        """Keep files and return their digest. Raises PolicyError when the cache cannot be written."""
        digest = digest_of(files)
        if self.get(digest) is not None:
            return digest
        target = self.folder / digest.removeprefix("sha256:")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=self.folder) as written:
                for name, data in files.items():
                    path = Path(written, "content", name)
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(data)
                shutil.rmtree(target, ignore_errors=True)  # what is there has another content
                try:
                    Path(written, "content").rename(target)
                except OSError:
                    if self.get(digest) is None:  # else another process was faster
                        raise
        except OSError as error:
            raise PolicyError(f"cannot keep the policies: {error.strerror}", str(self.folder), "set XDG_CACHE_HOME to a folder") from error
        return digest


def locked_folders(sources: Iterable[str], lock: Path | None, store: Store | None = None) -> tuple[Path, ...]:
    """Return the folders with the content of sources, as the lock (None: there is none) names it.

    Raises:
        PolicyError: a source is not locked, or its content is not in the cache: it could not be checked by it.
    """
    wanted = tuple(sources)
    if not wanted:
        return ()
    store = store or Store.default()
    locked = read_lock(lock) if lock is not None else {}
    return tuple(_folder(source, locked, store) for source in wanted)


def _folder(source: str, locked: Mapping[str, Locked], store: Store) -> Path:
    if source not in locked:
        raise PolicyError("the policies are not locked", source, "run crossgate policy lock, and commit the lock")
    folder = store.get(locked[source].digest)
    if folder is None:
        raise PolicyError("the locked policies are not on this machine", source, "run crossgate policy pull")
    return folder
