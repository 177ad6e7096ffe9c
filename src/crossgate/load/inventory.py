"""Turn what was read into an inventory: single objects, and what must be said about how they were written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from crossgate.load.construct import Duplicate
from crossgate.load.reading import Reading, read
from crossgate.model import CouldNotCheck, Document, Finding, Judgement, Place, Severity
from crossgate.paths import Path
from crossgate.trace import finding_in


@dataclass(frozen=True, slots=True)
class Inventory:
    """All objects that were read, what reading them had to say, and how many files there were."""

    documents: tuple[Document, ...] = ()
    judgement: Judgement = field(default_factory=Judgement)
    files: int = 0

    def __add__(self, other: Inventory) -> Inventory:
        return Inventory(self.documents + other.documents, self.judgement + other.judgement, self.files + other.files)


_MEND = "mend the file there; nothing from that place on is judged, nor would the cluster take it"


def inventory_of(text: str | bytes, name: str) -> Inventory:
    """Read a text into an inventory of one file.

    Lists are opened into their items. Duplicate keys, documents that are no objects or lack kind or
    apiVersion, and text that the API server would not see become findings; a text that cannot be read to
    its end becomes "could not check", and the documents before the fault are kept.
    """
    reading = read(text, name)
    findings: list[Finding] = [_duplicate(*duplicate) for duplicate in reading.duplicates]
    findings += [_ignored(place) for place in reading.ignored]
    documents: list[Document] = []
    for document in _objects(reading):
        findings += _kind_findings(document)
        if isinstance(document.body, dict):
            documents.append(document)
    fault = reading.fault
    could_not_check = (CouldNotCheck(fault.what, fault.where, fault.hint or _MEND),) if fault is not None else ()
    return Inventory(tuple(documents), Judgement(tuple(findings), could_not_check), 1)


def _objects(reading: Reading) -> Iterator[Document]:
    for document in (*reading.documents, *reading.hidden):
        yield from opened(document)


def opened(document: Document) -> Iterator[Document]:
    """Yield the items of a ``List`` (or ``ConfigMapList`` …), as kubectl and Argo CD apply them; any other document itself.

    They take every object with a list of ``items`` for a list, whatever its kind; of one that is not called a
    list both the object and its items are yielded. Items of a typed list that say neither kind nor apiVersion
    get them from the list (k8s.io/apimachinery, unstructured).
    """
    body = document.body
    items = body.get("items") if isinstance(body, dict) else None
    if not isinstance(items, list):
        yield document
        return
    kind = body.get("kind")
    is_list = isinstance(kind, str) and kind.endswith("List")
    if not is_list:
        yield document
    for index, item in enumerate(items):
        if not is_list and not isinstance(item, dict):
            continue
        bare = isinstance(item, dict) and is_list and kind != "List" and not item.get("kind") and not item.get("apiVersion")
        made = {**item, "apiVersion": body.get("apiVersion"), "kind": kind.removesuffix("List")} if bare else item
        yield from opened(Document(made, document.file, document.line, partial(_locate_item, document, index)))


def _locate_item(document: Document, index: int, path: Path) -> Place:
    return document.locate(("items", index, *path))


def _kind_findings(document: Document) -> Iterator[Finding]:
    body = document.body
    if not isinstance(body, dict):
        yield finding_in(
            document,
            (),
            rule="manifest/not-an-object",
            reason="NOT_AN_OBJECT",
            severity=Severity.ERROR,
            message=f"the document is {_article(body)}, not an object with apiVersion and kind",
            remediation="remove it, or write the mapping that was meant",
        )
        return
    for name in ("kind", "apiVersion"):
        value = body.get(name)
        if isinstance(value, str) and value:
            continue
        shown = _article(value) if isinstance(value, (dict, list)) else f"{value!r}"  # what a whole part holds may be secret
        said = "has no" if value in (None, "") else f"has {shown}, which is not a string, as its"
        yield finding_in(
            document,
            (name,),
            rule="manifest/no-kind",
            reason="NO_KIND" if name == "kind" else "NO_API_VERSION",
            severity=Severity.ERROR,
            message=f"the document {said} {name}; the API server cannot tell what it is",
            remediation=f"add {name}, or keep files that are no manifests out of this folder",
        )


def _article(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a text", bool: "a boolean"}
    return names.get(type(value), "a number")


def _duplicate(document: Document, duplicate: Duplicate, first: Place, second: Place) -> Finding:
    key = duplicate.key
    lines = f"line {first.line} and line {second.line}"
    if duplicate.kind == "text":
        rule, reason, severity = "manifest/colliding-keys", "COLLIDING_KEYS", Severity.ERROR
        message = f"two keys become the same key {key!r} when read ({lines}); the API server's reader keeps one of them at random"
        remediation = "quote the key and keep one"
    elif duplicate.kind == "same":
        rule, reason, severity = "manifest/duplicate-key", "DUPLICATE_KEY", Severity.ERROR
        message = f"the key {key!r} is written twice in one mapping ({lines}); the cluster takes the last"
        remediation = "remove one of them"
    else:
        rule, reason, severity = "manifest/duplicate-key", "MERGED_KEY", Severity.WARNING
        message = f"the key {key!r} is set by a merge key (<<) and once more ({lines}); the last one in reading order wins"
        remediation = "write the key once; a merge key overwrites the keys that stand before it"
    return finding_in(
        document, (*duplicate.path, key), rule=rule, reason=reason, severity=severity, message=message, remediation=remediation
    )


def _ignored(place: Place) -> Finding:
    return finding_in(
        Document({}, place.file, place.line, lambda _path: place),
        (),
        rule="manifest/ignored-text",
        reason="IGNORED_TEXT",
        severity=Severity.ERROR,
        message="the text from here on stands behind the end of a document; the API server's reader ignores it",
        remediation="start each document with a line '---'; in a .json file put the objects into a List",
    )
