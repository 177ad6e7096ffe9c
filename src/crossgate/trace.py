"""Walk a field of a resource back to the places that fed it, and make findings that point there.

The chain is claim → XR → composed → wrapped. Each link notes what was carried (``model.Flow``); only when
a finding is made are those notes followed and lines looked up, so that a clean run pays nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from crossgate.model import Cause, Document, Finding, Flow, Identity, Resource, Role, Severity
from crossgate.paths import MISSING, Path, follow, format_path

_FROM_DOCUMENT = {Role.CLAIM: "claim", Role.XR: "xr"}


def finding(
    resource: Resource,
    path: Path,
    *,
    rule: str,
    reason: str,
    severity: Severity,
    message: str,
    remediation: str = "",
    link: str = "",
) -> Finding:
    """Make a finding about ``path`` in ``resource``, placed at the line of the author's that fed the value."""
    causes = causes_of(resource, path)
    chain = tuple(_label(link) for link in _shown(_chain(resource)))
    return Finding(
        rule=rule,
        reason=reason,
        severity=severity,
        message=message,
        place=causes[0].place,
        resource=resource.identity,
        path=format_path(path),
        origin=chain if len(chain) > 1 else (),
        causes=causes,
        remediation=remediation,
        link=link,
        fingerprint=_fingerprint(rule, reason, stable_identity(resource), format_path(path)),
    )


def finding_in(
    document: Document,
    path: Path,
    *,
    rule: str,
    reason: str,
    severity: Severity,
    message: str,
    remediation: str = "",
    link: str = "",
) -> Finding:
    """Make a finding about ``path`` in a document as its author wrote it."""
    return finding(
        Resource(body=document.body if isinstance(document.body, dict) else {}, role=Role.DOCUMENT, document=document),
        path,
        rule=rule,
        reason=reason,
        severity=severity,
        message=message,
        remediation=remediation,
        link=link,
    )


def causes_of(resource: Resource, path: Path) -> tuple[Cause, ...]:
    """Return the places that fed ``path``, the outermost author's first; never empty.

    A patched field leads to the field of the parent that the patch read, and so on up to the claim; a
    field of the claim that was never written leads to its default in the XRD; what no patch wrote
    leads to the template in the Composition.
    """
    found = tuple(dict.fromkeys(_walk(resource, path)))
    return tuple(sorted(found, key=lambda cause: _ORDER[cause.role]))


_ORDER = {"claim": 0, "xr": 0, "document": 0, "template": 1, "default": 2, "patch": 3}


def _walk(resource: Resource, path: Path) -> Iterator[Cause]:
    if resource.role is Role.WRAPPED and resource.parent is not None:
        yield from _walk(resource.parent, resource.inside + path)
        return
    if resource.parent is None:
        yield from _authored(resource, path)
        return
    flows = _feeding(resource.flows, path)
    for flow in flows:
        if flow.patch and resource.composition is not None:
            place = resource.composition.place(flow.patch)
            yield Cause("patch", place, format_path(flow.patch), f"template {resource.template}")
        yield from _walk(resource.parent, flow.source + path[len(flow.target) :])
    if flows:
        return
    if resource.composition is not None:
        at = resource.base + path
        yield Cause("template", resource.composition.place(at), format_path(at), f"template {resource.template}")
    elif resource.role is Role.XR:
        yield from _authored(resource, path)
    else:
        yield from _walk(resource.parent, path)


def _authored(resource: Resource, path: Path) -> Iterator[Cause]:
    document = resource.document
    definition = resource.definition
    if definition is not None and path and follow(document.body, path) is MISSING:
        default = _default_in(definition, resource, path)
        if default is not None:
            yield Cause("default", definition.place(default), format_path(default), f"default of {format_path(path)}")
    yield Cause(_FROM_DOCUMENT.get(resource.role, "document"), document.place(path), format_path(path))


def _feeding(flows: tuple[Flow, ...], path: Path) -> list[Flow]:
    """Return the flows that wrote ``path``: those of the last patch at or above it, or else all below it."""
    above = [flow for flow in flows if path[: len(flow.target)] == flow.target]
    if above:
        last = above[-1]
        return [flow for flow in above if flow.patch == last.patch and flow.target == last.target]
    return [flow for flow in flows if flow.target[: len(path)] == path and len(path) > 1]


def _default_in(definition: Document, resource: Resource, path: Path) -> Path | None:
    """Return the path of the nearest default at or above ``path`` in the XRD's schema, if there is one."""
    versions = follow(definition.body, ("spec", "versions"))
    wanted = resource.identity.api_version.rpartition("/")[2]
    for index, version in enumerate(versions if isinstance(versions, list) else ()):
        if not isinstance(version, dict) or version.get("name") != wanted:
            continue
        at: Path = ("spec", "versions", index, "schema", "openAPIV3Schema")
        best = None
        for step in path:
            at += ("items",) if isinstance(step, int) else ("properties", step)
            if follow(definition.body, (*at, "default")) is not MISSING:
                best = (*at, "default")
        return best
    return None


def _chain(resource: Resource) -> list[Resource]:
    """Return the resources from the author's own object down to this one."""
    chain = [resource]
    while chain[-1].parent is not None:
        chain.append(chain[-1].parent)
    return chain[::-1]


def _shown(chain: list[Resource]) -> list[Resource]:
    """Leave out an XR that is the composed resource before it: a nested XR is one object in two roles."""
    return [link for link in chain if link.role is not Role.XR or link.parent is None or link.identity != link.parent.identity]


def _label(resource: Resource) -> str:
    label = str(resource.identity)
    return f"{label} (template {resource.template})" if resource.template else label


def stable_identity(resource: Resource) -> str:
    """Name a resource without generated names, so that the same resource is found again after any edit.

    A composed resource is named by its author's object, the steps and templates that lead to it.
    """
    chain = _chain(resource)
    head: Identity = chain[0].identity
    parts = [head.group, head.kind, head.namespace, head.name]
    parts += [
        f"{link.step}/{link.template}" if link.template else format_path(link.inside) for link in chain[1:] if link.role is not Role.XR
    ]
    return "|".join(parts)


def _fingerprint(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]
