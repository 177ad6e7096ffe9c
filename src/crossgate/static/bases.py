"""Bases of templates: fields that nobody declares, values of the wrong type, kinds that cannot be told or are not served."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from crossgate.model import Severity
from crossgate.paths import Path, follow, format_path
from crossgate.schema.values import shown
from crossgate.static import lost
from crossgate.static.conform import Breach, object_breaches
from crossgate.static.fault import Fault
from crossgate.static.sides import Kind, Made
from crossgate.static.subject import Subject
from crossgate.static.walk import Lost


def check(subject: Subject) -> Iterator[Fault]:
    """Yield what is wrong in the bases themselves, those of carried manifests included."""
    for made in subject.made:
        base = made.template.base
        if base is None:
            continue
        if base.get("kind") and not base.get("apiVersion"):
            yield _no_api_version(made)
        else:
            yield from _base(subject, made)


def _no_api_version(made: Made) -> Fault:
    return Fault(
        at=(*made.template.at, "base"),
        rule="crossplane/invalid-base",
        reason="NO_API_VERSION",
        severity=Severity.ERROR,
        message=f"the base of template {made.template.name} has no apiVersion: Crossplane cannot create the resource",
        remediation="write apiVersion into the base",
    )


def _base(subject: Subject, made: Made) -> Iterator[Fault]:
    at = (*made.template.at, "base")
    overwritten = [
        link.target.path for link in subject.of_template(made) if link.target and link.target.path and link.target.side == "resource"
    ]
    for part, prefix, body in made.parts():
        for breach in object_breaches(body, part.schema, builtin=part.builtin) if part.schema is not None else ():
            path = (*prefix, *breach.at)
            if breach.reason != "UNKNOWN_FIELD" and any(path[: len(written)] == written for written in overwritten):
                # a placeholder that a patch replaces
                continue
            yield _fault(made, part, at, prefix, breach, body)


def _fault(made: Made, kind: Kind, at: Path, prefix: Path, breach: Breach, body: Mapping[str, Any]) -> Fault:
    field = format_path((*prefix, *breach.at))
    found = kind.walk(breach.at)
    if breach.reason == "UNKNOWN_FIELD" and isinstance(found, Lost):
        return Fault(
            at=(*at, *prefix, *breach.at),
            rule="crossplane/unknown-base-field",
            reason="NOT_IN_CRD",
            severity=Severity.ERROR,
            message=f"the base of template {made.template.name} sets {field}, but {lost.said(kind, breach.at, found)}",
            remediation=lost.advice(kind, breach.at, found, declared_in="CRD"),
        )
    written = shown(follow(body, breach.at))
    return Fault(
        at=(*at, *prefix, *breach.at),
        rule="crossplane/type-mismatch" if breach.reason == "WRONG_TYPE" else "crossplane/value-not-allowed",
        reason=breach.reason,
        severity=Severity.ERROR,
        message=f"the base of template {made.template.name} sets {field} of {kind} to {written}, expected {breach.expected}",
        remediation="write a value that the CRD allows",
    )
