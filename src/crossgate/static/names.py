"""Names that two claims could share: fixed in the base, or made only of fields that claims in two namespaces may have alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from crossgate.model import Identity, Severity
from crossgate.paths import MISSING, Path, follow, format_path
from crossgate.render.wrapped import MANIFEST, is_object, writes
from crossgate.static.fault import Fault
from crossgate.static.links import End, Link
from crossgate.static.sides import Made
from crossgate.static.subject import Subject

RULE = "crossplane/colliding-name"

NAME: Path = ("metadata", "name")
EXTERNAL_NAME: Path = ("metadata", "annotations", "crossplane.io/external-name")

_HELM_GROUPS = frozenset({"helm.crossplane.io", "helm.m.crossplane.io"})

_CLAIM_NAME = frozenset({("metadata", "labels", "crossplane.io/claim-name"), ("spec", "claimRef", "name")})
_CLAIM_NAMESPACE = frozenset({("metadata", "labels", "crossplane.io/claim-namespace"), ("spec", "claimRef", "namespace")})
_ALONE = frozenset({("metadata", "uid"), ("metadata", "labels", "crossplane.io/composite")})


@dataclass(frozen=True, slots=True)
class _Name:
    """A field that names something which exists once: ``scope`` are the fields within whose values the name must be unique."""

    path: Path
    what: str
    scope: tuple[Path, ...] = ()


def check(subject: Subject) -> Iterator[Fault]:
    """Yield names of composed, external and carried objects that are the same for two claims."""
    for made in subject.made:
        if made.base is None or made.template.base is None or made.kind is None:
            continue
        links = [link for link in subject.of_template(made) if link.target and link.target.side == "resource"]
        for name in _names(made, links):
            yield from _name(subject, made, name, links)


def _names(made: Made, links: Iterable[Link]) -> Iterator[_Name]:
    assert made.base is not None and made.kind is not None  # noqa: S101 - only such are given
    yield _Name(NAME, "the composed resource's name", (("metadata", "namespace"),))
    if is_object(Identity.of(made.base)):
        if writes(dict(made.base)):
            yield _Name((*MANIFEST, *NAME), "the name of the object that it writes", ((*MANIFEST, "metadata", "namespace"),))
    elif made.kind.group in _HELM_GROUPS:
        yield _Name(EXTERNAL_NAME, "the name of the Helm release", (("spec", "forProvider", "namespace"),))
    elif writes(dict(made.base)) and not _has_parent(made, links):
        yield _Name(EXTERNAL_NAME, "the name at the provider")


def _has_parent(made: Made, links: Iterable[Link]) -> bool:
    """Say whether the resource refers to another one: then its name may be unique inside that one alone (a database in its server)."""
    given = follow(made.base, ("spec", "forProvider"))
    fields = set(given) if isinstance(given, dict) else set()
    for link in links:
        path = link.target.path if link.target else None
        if path and path[:2] == ("spec", "forProvider") and len(path) > 2:
            fields.add(path[2])
    return any(str(field).endswith(("Ref", "Selector")) for field in fields)


def _name(subject: Subject, made: Made, name: _Name, links: list[Link]) -> Iterator[Fault]:
    writers = [link for link in links if link.target and link.target.path and link.target.path == name.path[: len(link.target.path)]]
    if not writers:
        fixed = follow(made.base, name.path)
        if fixed is not MISSING and isinstance(fixed, str) and fixed and not _apart(subject, name, links):
            yield Fault(
                at=(*made.template.at, "base", *name.path),
                rule=RULE,
                reason="FIXED_NAME",
                severity=Severity.WARNING,
                message=f"template {made.template.name} fixes {name.what} ({format_path(name.path)}) to {fixed!r}: two claims share it",
                remediation=_advice(subject),
            )
        return
    scope = [source for link in links if link.target and link.target.path in name.scope for source in link.sources]
    if any(_unique(subject, name, [*link.sources, *scope]) for link in writers):
        return
    last = writers[-1]
    sources = ", ".join(source.text for source in last.sources)
    yield Fault(
        at=last.target.at if last.target else last.patch.at,
        rule=RULE,
        reason="SHARED_FIELDS",
        severity=Severity.WARNING,
        message=f"{last.label} makes {name.what} ({format_path(name.path)}) of {sources} alone, which two claims may have alike",
        remediation=_advice(subject),
    )


def _apart(subject: Subject, name: _Name, links: list[Link]) -> bool:
    """Say whether the name stands in a namespace that each claim has for itself; one that the environment names is the same for all."""
    scope = [source for link in links if link.target and link.target.path in name.scope for source in link.sources]
    known = [source for source in scope if all(fed.side == "xr" for fed in source.feeds or (source,))]
    return bool(known) and _unique(subject, name, known)


def _unique(subject: Subject, name: _Name, sources: list[End]) -> bool:
    """Say whether the sources tell every XR from every other, or might: what another resource or the environment gives is not judged."""
    paths = set()
    for source in (fed for end in sources for fed in end.feeds or (end,)):
        if source.side != "xr" or source.path is None or source.path[:1] == ("status",):
            return True
        if source.path[:2] == ("metadata", "annotations") or len(source.path) < 2:
            return True
        paths.add(source.path)
    if paths & _ALONE or (paths & _CLAIM_NAME and paths & _CLAIM_NAMESPACE):
        return True
    if NAME not in paths:
        return False
    # what a namespaced XR composes stands in its own namespace; everything else needs the namespace in its name
    return not subject.namespaced or name.path == NAME or ("metadata", "namespace") in paths


def _advice(subject: Subject) -> str:
    if subject.namespaced:
        return "build it from metadata.namespace and metadata.name of the XR (CombineFromComposite)"
    return (
        "build it from metadata.name of the XR, or from both metadata.labels[crossplane.io/claim-namespace] and "
        "metadata.labels[crossplane.io/claim-name] (CombineFromComposite)"
    )
