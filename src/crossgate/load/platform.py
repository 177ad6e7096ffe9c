"""Find the APIs of a project: what claims elsewhere need, out of a large ``dist/``, without reading all of it."""

from __future__ import annotations

import re
from pathlib import Path

from crossgate.load.files import find_files
from crossgate.load.inventory import Inventory
from crossgate.model import Judgement

KINDS = ("CompositeResourceDefinition", "Composition", "CompositionRevision", "CustomResourceDefinition", "EnvironmentConfig")
"""The kinds that rendering and validation of other documents depend on."""

_MENTIONS = re.compile("|".join(KINDS).encode())
_HIDING = re.compile(rb"[\\!\0]|%TAG")
"""What can write a word otherwise than by its letters: escapes, tags (``!!binary``), UTF-16."""


def mentions_platform(data: bytes) -> bool:
    """Say whether a file may hold an object of one of ``KINDS``: it names one, or could name it otherwise than by its letters."""
    return _MENTIONS.search(data) is not None or _HIDING.search(data) is not None


def mentions(data: bytes, kind: str) -> bool:
    """Say whether a file may hold an object of a kind."""
    return kind.encode() in data or _HIDING.search(data) is not None


def platform_inventory(folder: Path, *, root: Path) -> Inventory:
    """Read the XRDs, Compositions, CRDs and EnvironmentConfigs under ``folder``; one that does not exist holds none.

    Only files that may hold one are parsed. Findings about them are left to a check of the folder itself; a file that
    cannot be read is "could not check" here too, since what is missing may be in it. ``root`` is the project's
    folder, to which file names are relative.
    """
    if not folder.is_dir():
        return Inventory()
    found = [file.inventory() for file in find_files([folder], root=root) if mentions_platform(file.data)]
    documents = (document for inventory in found for document in inventory.documents)
    return Inventory(
        documents=tuple(document for document in documents if isinstance(document.body, dict) and document.body.get("kind") in KINDS),
        judgement=Judgement(could_not_check=tuple(item for inventory in found for item in inventory.judgement.could_not_check)),
        files=len(found),
    )
