"""Sources that never have a value, and resources that wait for a field that a claim need not set."""

from __future__ import annotations

from collections.abc import Iterator

from crossgate.model import Severity
from crossgate.paths import Path
from crossgate.static.fault import Fault
from crossgate.static.links import End, Link
from crossgate.static.subject import Subject
from crossgate.static.walk import ANYTHING, Found, always_set

RULE = "crossplane/unreachable-patch"

_CLAIM_LABELS = frozenset({"crossplane.io/claim-name", "crossplane.io/claim-namespace"})
_BY_CROSSPLANE = frozenset({"conditions", "connectionDetails", "claimConditionTypes"})


def check(subject: Subject) -> Iterator[Fault]:
    """Yield patches whose source no claim, no patch and no other step can set, and Required patches of optional fields."""
    for position, link in enumerate(subject.links):
        for source in link.sources:
            why = _never(subject, source, position)
            if why:
                yield Fault(
                    at=source.at,
                    rule=RULE,
                    reason="SOURCE_NEVER_SET",
                    severity=Severity.WARNING,
                    message=f"{link.label} never applies: {source.text} has no value, because {why}",
                    remediation="remove the patch, or read a field that is set",
                )
            elif _optional(subject, link, source):
                yield _withheld(link, source)


def _never(subject: Subject, source: End, position: int) -> str:
    path = source.path
    if path is None or (isinstance(path, tuple) and not path):
        return ""
    if source.side == "environment":
        return _never_in_environment(subject, path, position)
    if source.side != "xr" or subject.xr.schema is None or not isinstance(source.place, Found):
        return ""
    if path[:2] == ("metadata", "namespace") and not subject.namespaced:
        return f"{subject.xr.name} is cluster-scoped"
    if not subject.legacy and path[:2] == ("metadata", "labels") and path[2:3] and path[2] in _CLAIM_LABELS:
        return f"{subject.xr.name} has no claims"
    written = path[0] != "status" or len(path) == 1 or path[1] in _BY_CROSSPLANE or subject.foreign()
    if not written and not any(_touches(link.target, "xr", path) for link in subject.links):
        return f"nothing in this Composition writes {source.text}"
    return ""


def _never_in_environment(subject: Subject, path: Path, position: int) -> str:
    """The environment comes from an earlier step, or from patches that run before: templates see what those wrote."""
    if subject.foreign() or subject.loads_environment or path[0] in ("apiVersion", "kind"):
        return ""
    if any(_touches(link.target, "environment", path) for link in subject.links[:position]):
        return ""
    return "no step loads an environment and no patch before this one writes the field"


def _touches(target: End | None, side: str, path: Path) -> bool:
    """Say whether a target sets ``path``, something in it or something around it."""
    if target is None or target.side != side or target.path is None:
        return False
    length = min(len(target.path), len(path))
    return all(one == other or "*" in (one, other) for one, other in zip(target.path[:length], path[:length], strict=True))


def _optional(subject: Subject, link: Link, source: End) -> bool:
    return (
        link.patch.required
        and link.patch.sides == ("xr", "resource")
        and source.path is not None
        and source.path[0] == "spec"
        and isinstance(source.place, Found)
        and source.place.schema is not ANYTHING
        and subject.xr.schema is not None
        and not subject.machinery(source.path)
        and not always_set(subject.xr.schema, source.path)
    )


def _withheld(link: Link, source: End) -> Fault:
    template = link.made.template.name if link.made else ""
    return Fault(
        at=(*link.patch.at, "policy", "fromFieldPath"),
        rule="crossplane/required-optional-field",
        reason="NEVER_READY",
        severity=Severity.WARNING,
        message=(
            f"{link.label} requires {source.text}, which a claim may leave out: then template {template} is withheld "
            "and function-patch-and-transform keeps the XR from becoming ready"
        ),
        remediation="make the field required in the XRD or give it a default, or compose the resource in a function that knows conditions",
    )
