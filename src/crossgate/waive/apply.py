"""Settle findings: which are waived, and what is to be said about the waivers themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from crossgate.model import NOBODY, WAIVER, Finding, Identity, Resource, Severity, Waived
from crossgate.trace import finding as finding_about
from crossgate.waive.waivers import Waiver


@dataclass(frozen=True, slots=True)
class Settled:
    """What is left of the findings (with what the waivers give rise to), and what is waived."""

    findings: tuple[Finding, ...]
    waived: tuple[Waived, ...]


@dataclass(frozen=True, slots=True)
class Annotated:
    """An object that points to waivers itself or is made from one that does: their ids, and for its own what to say if there is none."""

    identity: Identity
    ids: frozenset[str]
    dangling: tuple[tuple[str, Finding], ...] = ()


def annotated(resources: Sequence[Resource]) -> tuple[Annotated, ...]:
    """Return the resources that point to waivers."""
    found = []
    known: dict[int, frozenset[str]] = {}
    for resource in resources:
        if ids := _ids_of_chain(resource, known):
            own = [] if resource.parent is not None else [(name, _dangling(resource, name)) for name in _ids(resource)]
            found.append(Annotated(resource.identity, ids, tuple(own)))
    return tuple(found)


def _ids_of_chain(resource: Resource, known: dict[int, frozenset[str]]) -> frozenset[str]:
    """Return the waivers that a resource points to, or what it is made from; those of its makers are looked up once for all it makes."""
    if id(resource) not in known:
        above = _ids_of_chain(resource.parent, known) if resource.parent is not None else frozenset[str]()
        own = _ids(resource)
        known[id(resource)] = above.union(own) if own else above
    return known[id(resource)]


def settle(
    findings: Iterable[Finding], waivers: Iterable[Waiver], pointing: Iterable[Annotated], *, today: date, complete: bool
) -> Settled:
    """Take out the findings that a waiver lets pass.

    A waiver that has expired counts as absent, and is said to have expired where it would have counted. A waiver that nothing needs is
    warned about when everything was checked (``complete``); of a part nobody can tell. An annotation that points to no
    waiver is warned about.

    Args:
        findings: what the checks found.
        waivers: those of the project (in a pull request, of its base).
        pointing: the objects that point to waivers.
        today: the day that expiry is measured by.
        complete: everything was checked, so that an unused waiver is one.
    """
    given = tuple(waivers)
    pointing = tuple(pointing)
    named: dict[Identity, frozenset[str]] = {}
    for each in pointing:
        named[each.identity] = each.ids | named.get(each.identity, frozenset())
    left: list[Finding] = []
    waived: list[Waived] = []
    used: set[int] = set()
    late: set[int] = set()
    for finding in findings:
        fitting = [number for number, waiver in enumerate(given) if _fits(waiver, finding, named)]
        valid = [number for number in fitting if not given[number].expired(today)]
        if valid:
            waiver = given[valid[0]]
            waived.append(Waived(finding, waiver.reason, waiver.owner, waiver.expires.isoformat()))
            used.update(valid)
        else:
            left.append(finding)
            late.update(fitting)
    said = [
        _about(given[number], "EXPIRED", f"expired on {given[number].expires}: what it let pass counts again") for number in sorted(late)
    ]
    if complete:
        said += [
            _about(waiver, "UNUSED", "lets nothing pass")
            for number, waiver in enumerate(given)
            if number not in used and number not in late
        ]
    ids = {waiver.id for waiver in given if waiver.id}
    said += [finding for each in pointing for name, finding in each.dangling if name not in ids]
    return Settled((*left, *said), tuple(waived))


def _fits(waiver: Waiver, finding: Finding, named: dict[Identity, frozenset[str]]) -> bool:
    if waiver.rule != finding.rule:
        return False
    if waiver.resource and not any(_like(waiver.resource, name) for name in _names(finding)):
        return False
    if waiver.file and not _like(waiver.file, finding.place.file):
        return False
    if waiver.path and not (_like(waiver.path, finding.path) or _like(f"{waiver.path}[.[]*", finding.path)):
        return False
    return not waiver.annotated or waiver.id in named.get(finding.resource, frozenset())


def _names(finding: Finding) -> list[str]:
    """Return the names of the object and of what it is made from, the claim first."""
    return [*(link.partition(" (template ")[0] for link in finding.origin), str(finding.resource)]


def _like(pattern: str, text: str) -> bool:
    return _compiled(pattern).fullmatch(text) is not None


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(expression(pattern))


def expression(pattern: str) -> str:
    """Write a pattern as a regular expression (of RE2, too) for a whole text.

    ``*`` is any text; ``[.[]`` is where a path goes on. Everything else is itself.
    """
    parts = re.split(r"(\*|\[\.\[\])", pattern)
    written = "".join({"*": ".*", "[.[]": r"[.\[]"}.get(part, re.escape(part)) for part in parts)
    return f"(?s:^(?:{written})$)"


def _ids(resource: Resource) -> list[str]:
    metadata = resource.body.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    text = annotations.get(WAIVER) if isinstance(annotations, dict) else None
    return [name.strip() for name in text.split(",") if name.strip()] if isinstance(text, str) else []


def _about(waiver: Waiver, reason: str, what: str) -> Finding:
    name = waiver.id or waiver.rule
    return Finding(
        rule=f"waiver/{reason.lower()}",
        reason=f"WAIVER_{reason}",
        severity=Severity.WARNING,
        message=f"the waiver {name} {what}",
        place=waiver.place,
        resource=NOBODY,
        remediation="mend what it is about and remove it, or give it a new end with a new reason",
        fingerprint=f"waiver:{reason}:{waiver.rule}:{waiver.id}:{waiver.resource}:{waiver.file}:{waiver.path}",
    )


def _dangling(resource: Resource, name: str) -> Finding:
    return finding_about(
        resource,
        ("metadata", "annotations", WAIVER),
        rule="waiver/unknown",
        reason="WAIVER_UNKNOWN",
        severity=Severity.WARNING,
        message=f"the annotation points to the waiver {name}, which does not exist",
        remediation="an annotation waives nothing: ask for a waiver with this id in policies/waivers.yaml",
    )
