"""Find the APIs of a project: what claims elsewhere need, out of a large ``dist/``, without reading all of it."""

from __future__ import annotations

from pathlib import Path

from crossgate.load.files import find_files
from crossgate.load.inventory import Inventory
from crossgate.model import Judgement

KINDS = ("CompositeResourceDefinition", "Composition", "CompositionRevision", "CustomResourceDefinition", "EnvironmentConfig")
"""The kinds that rendering and validation of other documents depend on."""


def mentions_platform(data: bytes) -> bool:
    """Say whether a file may hold an object of one of ``KINDS``: it names one, or could name it otherwise than by its letters."""
    # one text after the other is found many times as fast as any of them by an expression, and all of KINDS hold one of these
    named = b"Composition" in data or b"ResourceDefinition" in data or b"EnvironmentConfig" in data
    return _hides(data) or (named and any(kind.encode() in data for kind in KINDS))


def mentions(data: bytes, kind: str) -> bool:
    """Say whether a file may hold an object of a kind."""
    return kind.encode() in data or _hides(data)


def _hides(data: bytes) -> bool:
    """Say whether a word may be written otherwise than by its letters: with escapes, by a tag (``!!binary``), in UTF-16."""
    return b"\\" in data or b"!" in data or b"\0" in data or b"%TAG" in data


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
