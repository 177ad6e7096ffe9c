"""The one digest of a model, whatever it is made of.

A file's digest is the SHA-256 of its bytes. A folder's is the SHA-256 of what ``sha256sum`` prints for its files sorted by name, so that
``cd model && sha256sum model.json model.safetensors | sha256sum`` gives it with no tool of ours.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path


def of_file(path: Path) -> str:
    """SHA-256 of a file, hex."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def of_parts(digests: Mapping[str, str]) -> str:
    """The folder's digest from name → SHA-256 of its files."""
    listing = "".join(f"{digests[name]}  {name}\n" for name in sorted(digests))
    return hashlib.sha256(listing.encode()).hexdigest()
