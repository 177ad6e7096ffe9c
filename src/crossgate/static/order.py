"""Patches without effect: a later one always overwrites the same field, or nobody uses the PatchSet."""

from __future__ import annotations

from collections.abc import Iterator

from crossgate.model import Severity
from crossgate.static.fault import Fault
from crossgate.static.links import End, Link, is_always_set
from crossgate.static.subject import Subject

RULE = "crossplane/unreachable-patch"


def check(subject: Subject) -> Iterator[Fault]:
    """Yield patches that a later patch of the same template overwrites whenever they apply, and PatchSets without a user."""
    for made in subject.made:
        links = [link for link in subject.of_template(made) if link.target and link.target.path and link.target.side == "resource"]
        for index, link in enumerate(links):
            later = next((other for other in links[index + 1 :] if _replaces(subject, link, other)), None)
            if later is not None and not any(
                between.target and between.target.wildcard for between in links[index + 1 : links.index(later)]
            ):
                yield _overwritten(link, later)
    for step in subject.composition.steps:
        for name, at in step.unused_patch_sets:
            message = f"no template uses PatchSet {name}"
            yield Fault(at, RULE, "UNUSED_PATCH_SET", Severity.WARNING, message, "remove it, or add a patch of type PatchSet that names it")


def _replaces(subject: Subject, link: Link, later: Link) -> bool:
    """Say whether ``later`` replaces all that ``link`` wrote, whenever ``link`` wrote something."""
    assert link.target and later.target and link.target.path and later.target.path  # noqa: S101 - only such links are given
    above, below = later.target.path, link.target.path
    if (
        link.patch.patch_set
        or link.patch.required
        or later.target.wildcard
        or later.patch.merges != "Replace"
        or below[: len(above)] != above
    ):
        return False
    return bool(later.sources) and all(_present(subject, source, link) for source in later.sources)


def _present(subject: Subject, source: End, link: Link) -> bool:
    """Say whether ``source`` has a value whenever ``link`` applies: it always has, or ``link`` reads it too."""
    if any(source.side == other.side and source.path == other.path and source.path is not None for other in link.sources):
        return True
    return is_always_set(source, subject.xr)


def _overwritten(link: Link, later: Link) -> Fault:
    assert link.target and later.target  # noqa: S101 - only such links are given
    sources = ", ".join(source.text for source in link.sources)
    return Fault(
        at=link.patch.at,
        rule=RULE,
        reason="OVERWRITTEN",
        severity=Severity.WARNING,
        message=f"{link.label} ({sources} → {link.target.text}) has no effect: {later.label} always overwrites {later.target.text}",
        remediation="remove one of the two patches, or let the later one merge (policy.toFieldPath: MergeObjects)",
    )
