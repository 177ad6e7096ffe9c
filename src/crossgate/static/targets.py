"""Fields that a Composition writes: they must be declared where they are written to, or the API server drops or refuses them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from crossgate.model import Severity
from crossgate.paths import MISSING, Path, follow, format_path
from crossgate.schema.values import shown
from crossgate.static import lost
from crossgate.static.fault import Fault
from crossgate.static.links import End, Link
from crossgate.static.sides import Made
from crossgate.static.subject import Subject
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
        conflict = _conflict(link, target.path, subject.links[:position])
        if isinstance(target.place, Lost):
            yield _lost(link, target, target.path, target.place)
        elif conflict:
            message = f"{link.label} writes {target.text}, but {conflict}: rendering fails"
            advice = "remove the value from the base, or write into what it is"
            yield Fault(target.at, "crossplane/type-mismatch", "BASE_CONFLICT", Severity.ERROR, message, advice)
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
    if (value is not MISSING and value not in ({}, [], None)) or _touched(link.made, prefix, before):
        return
    yield Fault(
        at=target.at,
        rule="crossplane/wildcard-without-elements",
        reason="NOTHING_TO_EXPAND",
        severity=Severity.ERROR,
        message=f"{link.label} writes {target.text}, but nothing sets what the wildcard expands: rendering fails",
        remediation="set the list in the base, or name the element",
    )


def _conflict(link: Link, path: Path, before: tuple[Link, ...]) -> str:
    """Return which value of the base the path cannot go through; the empty string when it can, or when an earlier patch replaced it."""
    if link.made is None or link.target is None or link.target.side != "resource":
        return ""
    value: Any = link.made.base
    for index, step in enumerate(path):
        if value is None or value is MISSING or step == "*":
            return ""
        wanted = list if isinstance(step, int) else dict
        if not isinstance(value, wanted):
            above = path[:index]
            kind = "list" if wanted is list else "object"
            return "" if _touched(link.made, above, before) else f"the base has {shown(value)} at {format_path(above)}, which is no {kind}"
        value = follow(value, (step,))
    return ""


def _touched(made: Made, path: Path, before: tuple[Link, ...]) -> bool:
    """Say whether an earlier patch writes into the resource at ``path``, above or below it."""
    for link in before:
        if link.made is None or link.made.base_template is not made.base_template or link.target is None or link.target.side != "resource":
            continue
        written = link.target.path or ()
        if written[: len(path)] == path or path[: len(written)] == written:
            return True
    return False


def _lost(link: Link, target: End, path: Path, place: Lost) -> Fault:
    assert target.kind is not None  # noqa: S101 - a place was found in its schema
    owner, inner = target.kind.at(path)
    declared_in = "XRD" if target.side == "xr" else "CRD"
    effect = ": the API server drops it" if target.side == "xr" and place.reason == "UNKNOWN_FIELD" else ""
    source = ", ".join(end.text for end in link.sources)
    return Fault(
        at=target.at,
        rule="crossplane/unknown-target-field",
        reason=f"NOT_IN_{declared_in}" if place.reason == "UNKNOWN_FIELD" else "WRONG_PARENT",
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
