"""Fields that a Composition writes: they must be declared where they are written to, or the API server drops or refuses them."""

from __future__ import annotations

from collections.abc import Iterator

from crossgate.model import Severity
from crossgate.paths import MISSING, Path, follow
from crossgate.static import lost
from crossgate.static.fault import Fault
from crossgate.static.subject import End, Link, Subject
from crossgate.static.walk import Lost

MAX_INDEX = 1024
"""crossplane-runtime's fieldpath refuses to grow a list beyond this index."""

_SYNTAX = "write keys with dots between them, keys that hold dots and list indices in brackets"


def check(subject: Subject) -> Iterator[Fault]:
    """Yield target paths that are no field paths, cannot be expanded, or that nobody declares or keeps."""
    for position, link in enumerate(subject.links):
        target = link.target
        if target is None:
            continue
        if target.path is None:
            message = f"{link.label} writes {target.text!r}, which is no field path: {target.error}"
            yield Fault(target.at, "crossplane/invalid-path", "SYNTAX", Severity.ERROR, message, _SYNTAX)
            continue
        yield from _path(link, target, target.path)
        if target.wildcard and not link.patch.combines:
            yield from _expansion(link, target, target.path, subject.links[:position])
        if isinstance(target.place, Lost):
            yield _lost(link, target, target.path, target.place)
        elif target.side == "xr" and target.path[0] != "status":
            yield _ignored(link, target)


def _path(link: Link, target: End, path: Path) -> Iterator[Fault]:
    if any(isinstance(step, int) and step > MAX_INDEX for step in path):
        message = f"{link.label} writes {target.text}: Crossplane refuses list indices above {MAX_INDEX}"
        yield Fault(target.at, "crossplane/invalid-path", "INDEX_TOO_LARGE", Severity.ERROR, message, "take a smaller index")
    if "*" in path and (link.patch.combines or not target.wildcard):
        why = f"a {link.patch.kind} patch expands no wildcard" if link.patch.combines else "a wildcard must stand in brackets: [*]"
        message = f"{link.label} writes {target.text}: {why}, it would write a field named *"
        yield Fault(
            target.at, "crossplane/invalid-path", "TARGET_WILDCARD", Severity.ERROR, message, "name the element, or use [*] without combine"
        )


def _expansion(link: Link, target: End, path: Path, before: tuple[Link, ...]) -> Iterator[Fault]:
    """Find wildcards with nothing to expand: fatal for the whole rendering, even for an Optional patch."""
    if link.made is None or link.made.base is None or target.side != "resource":
        return
    prefix = path[: path.index("*")]
    value = follow(link.made.base, prefix)
    if value is not MISSING and value not in ({}, [], None):
        return
    for other in before:
        if other.made is not None and other.made.base_template is link.made.base_template and other.target is not None:
            written = other.target.path or ()
            if other.target.side == "resource" and (written[: len(prefix)] == prefix or prefix[: len(written)] == written):
                return
    yield Fault(
        at=target.at,
        rule="crossplane/wildcard-without-elements",
        reason="NOTHING_TO_EXPAND",
        severity=Severity.ERROR,
        message=f"{link.label} writes {target.text}, but nothing sets what the wildcard expands: rendering fails",
        remediation="set the list in the base, or name the element",
    )


def _lost(link: Link, target: End, path: Path, place: Lost) -> Fault:
    assert target.kind is not None  # noqa: S101 - a place was found in its schema
    owner, inner = target.kind.at(path)
    declared_in = "XRD" if target.side == "xr" else "CRD"
    effect = ": the API server drops it" if target.side == "xr" and place.reason == "UNKNOWN_FIELD" else ""
    source = ", ".join(end.text for end in link.sources)
    return Fault(
        at=target.at,
        rule="crossplane/unknown-target-field",
        reason=f"NOT_IN_{declared_in}",
        severity=Severity.ERROR,
        message=f"{link.label} writes {target.text}{f' from {source}' if source else ''}, but {lost.said(owner, inner, place)}{effect}",
        remediation=lost.advice(owner, inner, place, declared_in=declared_in),
    )


def _ignored(link: Link, target: End) -> Fault:
    return Fault(
        at=target.at,
        rule="crossplane/write-ignored",
        reason="NOT_STATUS",
        severity=Severity.WARNING,
        message=f"{link.label} writes {target.text} of the XR, but Crossplane takes only the status of an XR from a pipeline",
        remediation="write a field under status and declare it in the XRD",
    )
