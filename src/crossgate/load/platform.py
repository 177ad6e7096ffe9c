"""Find the APIs of a project: what claims elsewhere need, out of a large ``dist/``, without reading all of it."""

from __future__ import annotations

import re
from pathlib import Path

from crossgate.load import load_paths
from crossgate.model import Document

KINDS = ("CompositeResourceDefinition", "Composition", "CompositionRevision", "CustomResourceDefinition", "EnvironmentConfig")
"""The kinds that rendering and validation of other documents depend on."""

_MENTIONS = re.compile("|".join(KINDS).encode())
_SUFFIXES = (".yaml", ".yml", ".json")


def platform_documents(folder: Path, *, root: Path) -> tuple[Document, ...]:
    """Read the XRDs, Compositions, CRDs and EnvironmentConfigs under ``folder``.

    Only files that mention one of these kinds are parsed. Faults in them are not reported: they are when the folder
    itself is checked. ``root`` is the project's folder, to which file names are relative.
    """
    files = sorted(path for path in folder.rglob("*") if path.suffix.lower() in _SUFFIXES and path.is_file())
    mentioning = [path for path in files if _MENTIONS.search(path.read_bytes())]
    inventory = load_paths(mentioning, root=root) if mentioning else None
    documents = inventory.documents if inventory else ()
    return tuple(document for document in documents if isinstance(document.body, dict) and document.body.get("kind") in KINDS)
