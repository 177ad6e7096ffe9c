"""The kinds that a Composition works with: versions that nobody serves, and kinds that nobody knows."""

from __future__ import annotations

from collections.abc import Iterator

from crossgate.model import CouldNotCheck, Severity
from crossgate.paths import Path, follow
from crossgate.schema import ProblemKind
from crossgate.static.fault import Fault
from crossgate.static.sides import Kind
from crossgate.static.subject import Subject


def check(subject: Subject) -> Iterator[Fault]:
    """Yield kinds that are known, but not served in the version that the Composition names."""
    for kind, at, what in _kinds(subject):
        served = _served(subject, kind) if kind.schema is None else []
        if not served:
            yield from _impossible(subject, kind, at, what)
            continue
        yield Fault(
            at=(*at, "apiVersion"),
            rule="crossplane/unserved-version",
            reason="UNSERVED_VERSION",
            severity=Severity.ERROR,
            message=f"{what} is a {kind.name} of {kind.api_version}, which is not served; it is served as {' and '.join(served)}",
            remediation=f"write apiVersion: {served[0]}, and check its fields again: they may have changed between versions",
        )


def _impossible(subject: Subject, kind: Kind, at: Path, what: str) -> Iterator[Fault]:
    """Yield a kind that there cannot be: of a group whose kinds are all known, or a List where one object stands."""
    if kind.schema is not None:
        return
    if what.startswith("the manifest") and kind.name.endswith("List") and _has_items(subject, at):
        yield Fault(
            at=(*at, "kind"),
            rule="crossplane/unknown-kind",
            reason="LIST_IN_OBJECT",
            severity=Severity.ERROR,
            message=f"{what} is a {kind.name}, and an Object holds one object",
            remediation="make an Object of each item",
        )
    elif kind.api_version.partition("/")[0] in _COMPLETE:
        group = kind.api_version.partition("/")[0]
        meant = f"; {kind.name} is a kind of kubernetes.crossplane.io" if kind.name == "Object" else ""
        yield Fault(
            at=(*at, "apiVersion"),
            rule="crossplane/unknown-kind",
            reason="NOT_IN_GROUP",
            severity=Severity.ERROR,
            message=f"{what} is a {kind.name} of {group}, which has no such kind{meant}",
            remediation="write apiVersion: kubernetes.crossplane.io/v1alpha2" if meant else "correct the kind, or its apiVersion",
        )


def _has_items(subject: Subject, at: Path) -> bool:
    body = follow(subject.composition.document.body, at)
    return isinstance(body, dict) and isinstance(body.get("items"), list)


def unknown(subject: Subject) -> Iterator[CouldNotCheck]:
    """Yield what was not judged: kinds without schema, and steps of functions that are not known here."""
    document = subject.composition.document
    for kind, at, what in _kinds(subject):
        if kind.schema is not None or _served(subject, kind) or any(_impossible(subject, kind, at, what)):
            continue
        problem = next(
            (
                problem
                for problem in subject.schemas.validate({"apiVersion": kind.api_version, "kind": kind.name})
                if problem.kind is ProblemKind.MISSING_SCHEMA
            ),
            None,
        )
        hint = problem.hint if problem else ""
        if what == _XR:
            said, hint = (
                f"no XRD of {kind}: what the Composition reads from its XR was not checked",
                hint and "add the file with the XRD to what is checked",
            )
        else:
            said = f"no schema of {kind}: what the Composition writes into it was not checked"
        yield CouldNotCheck(said, str(document.place(at)), hint)
    for step in subject.composition.steps:
        if not step.known:
            yield CouldNotCheck(
                f"step {step.name or '(no name)'} runs {step.function or 'an unnamed function'}, a function that crossgate does not know",
                str(document.place((*step.at, "functionRef"))),
                "what the step makes is not checked",
            )


_XR = "the composite"

_COMPLETE = frozenset({"pkg.crossplane.io", "apiextensions.crossplane.io"})
"""Groups of Crossplane's own, of which every kind is known."""


def _served(subject: Subject, kind: Kind) -> list[str]:
    return subject.schemas.versions_served({"apiVersion": kind.api_version, "kind": kind.name})


def _kinds(subject: Subject) -> Iterator[tuple[Kind, Path, str]]:
    """Yield each kind once a place: the XR's, those of the bases and of the manifests that they carry."""
    if subject.xr.api_version and subject.xr.name:
        yield subject.xr, ("spec", "compositeTypeRef"), _XR
    for made in subject.made:
        for kind, prefix, _ in made.parts():
            what = "the manifest of template" if prefix else "template"
            yield kind, (*made.template.at, "base", *prefix), f"{what} {made.template.name}"
