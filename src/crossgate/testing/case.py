"""A test case of a Composition: a folder that holds its input and what must become of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crossgate.errors import LoadError, UsageError
from crossgate.load import load_paths, load_text
from crossgate.model import Document
from crossgate.paths import follow

INPUTS = ("claim.yaml", "xr.yaml")
EXPECTED = "expected.yaml"
_SETTINGS = ("description", "match", "assertions", "error")


@dataclass(frozen=True, slots=True)
class Assertion:
    """A CEL expression that must be true of the outcome, and what to say when it is not."""

    cel: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class Settings:
    """``case.yaml``.

    ``match`` is ``exact`` (expected.yaml is the whole outcome) or ``subset`` (more fields and resources may be there). With ``error``
    rendering must fail with an error that contains this text.
    """

    description: str = ""
    match: str = "exact"
    assertions: tuple[Assertion, ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """One folder, not read yet. ``name`` is its path below the folder that was searched."""

    folder: Path
    name: str

    def __str__(self) -> str:
        return self.name

    def path(self, name: str) -> Path:
        """Return the path of one of the case's files."""
        return self.folder / name

    @property
    def input(self) -> Document:
        """Read the claim or XR.

        Raises:
            LoadError: there is not exactly one document.
        """
        names = [name for name in INPUTS if self.path(name).is_file()]
        if not names:
            raise LoadError("the case has no input", str(self.folder), f"name it {' or '.join(INPUTS)}")
        documents = [document for name in names for document in self.documents(name)]
        if len(documents) != 1:
            found = f"{len(documents)} documents in {' and '.join(names)}"
            raise LoadError(f"a case has one claim or XR, not {found}", str(self.folder), "keep one document in claim.yaml or xr.yaml")
        return documents[0]

    def documents(self, name: str) -> tuple[Document, ...]:
        """Read one of the case's files; none when it does not exist.

        Raises:
            LoadError: the file cannot be read.
        """
        path = self.path(name)
        if not path.is_file():
            return ()
        inventory = load_paths([path], root=Path.cwd())
        for fault in inventory.judgement.could_not_check:
            raise LoadError(fault.what, fault.where, fault.hint)
        return inventory.documents

    @property
    def context(self) -> dict[str, Any]:
        """Read ``context.yaml``, a mapping of context keys to values."""
        body = self._one("context.yaml")
        if body is not None and not isinstance(body, dict):
            raise LoadError("context.yaml is not a mapping", str(self.path("context.yaml")), "write context keys and their values")
        return body or {}

    @property
    def settings(self) -> Settings:
        """Read ``case.yaml``.

        Raises:
            LoadError: it holds something that is no setting, or a setting is malformed.
        """
        where = str(self.path("case.yaml"))
        body = self._one("case.yaml")
        if body is None:
            return Settings()
        if not isinstance(body, dict) or not set(body) <= set(_SETTINGS):
            raise LoadError("case.yaml holds something that is no setting", where, f"settings are {', '.join(_SETTINGS)}")
        match = body.get("match", "exact")
        if match not in ("exact", "subset"):
            raise LoadError(f"match is {match!r}", where, "write match: exact or match: subset")
        texts = {name: "" if body.get(name) is None else body[name] for name in ("description", "error")}
        assertions = body.get("assertions") or []
        if not isinstance(assertions, list) or not all(isinstance(text, str) for text in texts.values()):
            raise LoadError("case.yaml is malformed", where, "description and error are texts, assertions is a list")
        return Settings(match=match, assertions=tuple(_assertion(item, where) for item in assertions), **texts)

    def _one(self, name: str) -> Any:
        path = self.path(name)
        if not path.is_file():
            return None
        documents = load_text(path.read_bytes(), str(path))
        if len(documents) > 1:
            raise LoadError(f"{name} holds {len(documents)} documents", str(path), "keep one")
        return documents[0].body if documents else None


def _assertion(item: Any, where: str) -> Assertion:
    cel, message = (item, "") if isinstance(item, str) else (follow(item, ("cel",)), follow(item, ("message",)))
    if not isinstance(cel, str):
        raise LoadError("an assertion is a CEL expression", where, 'write - "size(composed) == 3", or cel: and message:')
    return Assertion(cel, message if isinstance(message, str) else "")


def cases(folders: Sequence[Path | str] | Path | str) -> list[Case]:
    """Find the cases under one or more folders, in the order of their names.

    Raises:
        UsageError: a folder does not exist.
    """
    given = [folders] if isinstance(folders, str | Path) else folders
    return [case for folder in given for case in _below(Path(folder))]


def _below(folder: Path) -> Iterator[Case]:
    if not folder.is_dir():
        raise UsageError("there is no such folder", str(folder), "name a folder with cases: folders that hold claim.yaml or xr.yaml")
    holders = {path.parent for name in INPUTS for path in folder.rglob(name)}
    # a folder of manifests without an input is a case whose input is misspelt or forgotten: it must not be left out in silence
    manifests = {path.parent for path in folder.rglob("*") if path.suffix.lower() in (".yaml", ".yml")}
    lost = {other for other in manifests if not any(holder in holders for holder in (other, *other.parents))}
    if not holders:
        lost = {other for other in lost if any((other / name).is_file() for name in (EXPECTED, "case.yaml"))}
    for holder in sorted(holders | lost):
        name = holder.relative_to(folder).as_posix()
        yield Case(holder, folder.resolve().name if name == "." else name)
