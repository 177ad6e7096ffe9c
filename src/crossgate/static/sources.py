"""Fields that a Composition reads: they must be declared where they are read from."""

from __future__ import annotations

from collections.abc import Iterator

from crossgate.model import Severity
from crossgate.static import lost
from crossgate.static.fault import Fault
from crossgate.static.links import End, Link
from crossgate.static.subject import Subject
from crossgate.static.walk import Lost


def check(subject: Subject) -> Iterator[Fault]:
    """Yield source paths that are no field paths, have a wildcard, or name a field that the XRD or the CRD does not declare."""
    for link in subject.links:
        for source in link.sources:
            yield from _source(link, source)


def _source(link: Link, source: End) -> Iterator[Fault]:
    if source.path is None:
        yield Fault(
            at=source.at,
            rule="crossplane/invalid-path",
            reason="SYNTAX",
            severity=Severity.ERROR,
            message=f"{link.label} reads {source.text!r}, which is no field path: {source.error}",
            remediation="write keys with dots between them, keys that hold dots and list indices in brackets",
        )
    elif source.wildcard:
        yield Fault(
            at=source.at,
            rule="crossplane/invalid-path",
            reason="SOURCE_WILDCARD",
            severity=Severity.ERROR,
            message=f"{link.label} reads {source.text}, but a wildcard is only expanded in toFieldPath",
            remediation="read one element, such as [0], or the whole list",
        )
    elif isinstance(source.place, Lost) and source.owner is not None and source.kind is not None:
        owner, path = source.kind.at(source.path)
        declared_in = "XRD" if source.side == "xr" else "CRD"
        through = source.place.reason != "UNKNOWN_FIELD"
        why = lost.said(owner, path, source.place) + (": rendering fails" if through else "")
        yield Fault(
            at=source.at,
            rule="crossplane/unknown-source-field",
            reason="WRONG_PARENT" if through else f"NOT_IN_{declared_in}",
            severity=Severity.ERROR,
            message=f"{link.label} reads {source.text}{_for(link)}, but {why}",
            remediation=lost.advice(owner, path, source.place, declared_in=declared_in),
        )


def _for(link: Link) -> str:
    return f" for {link.target.text}" if link.target is not None and link.target.text else ""
