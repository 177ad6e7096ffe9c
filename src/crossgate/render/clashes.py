"""Objects that get in each other's way on the cluster: one identity written twice, by whatever two makers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from crossgate.model import CLAIM, DOCUMENT, WRAPPED, XR, Finding, Identity, Resource, Severity
from crossgate.paths import Path, follow, format_path
from crossgate.render.wrapped import OBJECT_GROUPS, writes
from crossgate.trace import finding

_NAME: Path = ("metadata", "name")

_AUTHORED = (DOCUMENT, CLAIM, XR)


def clashes(resources: Iterable[Resource], remote: frozenset[str]) -> Iterator[Finding]:
    """Yield a finding for each object whose identity another one has already.

    Versions do not count: the API server stores one object for all of them. Compositions of which the cluster draws one are
    alternatives, so what they make does not clash. Generated names cannot clash.

    Args:
        resources: everything that may clash, in the order in which the later one is at fault.
        remote: the ProviderConfigs that lead to other clusters (``remote_clusters``).
    """
    seen: dict[tuple[str, ...], list[Resource]] = defaultdict(list)
    for resource in resources:
        key = _key(resource, remote)
        if key is None:
            continue
        for earlier in seen[key]:
            if _together(earlier, resource):
                found = _finding(earlier, resource)
                if found is not None:
                    yield found
                    break
        seen[key].append(resource)


def remote_clusters(resources: Iterable[Resource]) -> frozenset[str]:
    """Return the ProviderConfigs of provider-kubernetes that lead to another cluster than this one."""
    return frozenset(
        resource.identity.name
        for resource in resources
        if resource.identity.kind in ("ProviderConfig", "ClusterProviderConfig")
        and resource.identity.group in OBJECT_GROUPS
        and follow(resource.body, ("spec", "credentials", "source")) != "InjectedIdentity"
    )


def written_as(resource: Resource) -> tuple[str, ...] | None:
    """Return what an API server knows the object by; ``None`` for what is not written at all."""
    identity = resource.identity
    if not identity.kind or not identity.name:
        return None
    if resource.role is XR and resource.parent is not None:
        # the XR of a claim stands for the claim; a nested XR is the composed resource itself
        return None
    if resource.role is WRAPPED and resource.parent is not None and not writes(resource.parent.body):
        return None
    return (identity.group, identity.kind, identity.namespace, identity.name)


def _key(resource: Resource, remote: frozenset[str]) -> tuple[str, ...] | None:
    """Return what the object is known by, and in which cluster."""
    written = written_as(resource)
    if written is None:
        return None
    cluster = ""
    if resource.role is WRAPPED and resource.parent is not None:
        name = follow(resource.parent.body, ("spec", "providerConfigRef", "name"))
        cluster = name if isinstance(name, str) and name in remote else ""
    return (cluster, *written)


def _together(one: Resource, other: Resource) -> bool:
    """Say whether both can be there at once: what two alternative Compositions make cannot."""
    above = {id(link.parent): link for link in _chain(one)}
    for link in _chain(other):
        if link.parent is None or id(link.parent) not in above:
            continue
        twin = above[id(link.parent)]
        return not (link is not twin and link.composition is not twin.composition)
    return True


def _finding(earlier: Resource, later: Resource) -> Finding | None:
    what = f"{_type(later.identity)} {_name(later.identity)}"
    if earlier.role in _AUTHORED and later.role in _AUTHORED:
        return finding(
            later,
            _NAME,
            rule="crossplane/duplicate-identity",
            reason="DUPLICATE_IDENTITY",
            severity=Severity.ERROR,
            message=f"{what} stands at {earlier.document.place()} already; the one applied last wins",
            remediation="rename one of the two, or remove it",
        )
    owner, writer = (later, earlier) if earlier.role is WRAPPED and later.role is not WRAPPED else (earlier, later)
    if writer.role is WRAPPED:
        return finding(
            writer,
            _NAME,
            rule="crossplane/ownership",
            reason="OWNED_ELSEWHERE",
            severity=Severity.ERROR,
            message=f"this Object writes {what}, which {_maker(owner)} writes too; each would undo the other",
            remediation="let one of them write it; the other can observe it (managementPolicies: [Observe])",
        )
    return finding(
        later,
        _NAME,
        rule="crossplane/name-collision",
        reason="NAME_COLLISION",
        severity=Severity.ERROR,
        message=f"{what} is made by {_maker(earlier)} too; one resource cannot serve both",
        remediation="derive metadata.name from the claim's namespace and name, or leave it out: then it is generated",
    )


def _maker(resource: Resource) -> str:
    """Say who makes a resource: its author's object, its template and where that object stands."""
    head = _chain(resource)[-1]
    made = f", template {resource.template}" if resource.template else ""
    if resource.role is WRAPPED and resource.parent is not None:
        made = f", template {resource.parent.template}" if resource.parent.template else f", {format_path(resource.inside)}"
    return f"{head.identity}{made} ({head.document.place()})"


def _chain(resource: Resource) -> list[Resource]:
    chain = [resource]
    while chain[-1].parent is not None:
        chain.append(chain[-1].parent)
    return chain


def _type(identity: Identity) -> str:
    return f"{identity.kind}.{identity.group}" if identity.group else identity.kind


def _name(identity: Identity) -> str:
    return f"{identity.namespace}/{identity.name}" if identity.namespace else identity.name
