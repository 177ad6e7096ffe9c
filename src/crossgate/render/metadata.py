"""Names, labels, annotations and owners of composed resources, as Crossplane's core sets them.

Sources: crossplane's composite controller (RenderComposedResourceMetadata), its names package, and
apimachinery's Unstructured, which silently leaves alone what is not of the expected kind.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from crossgate.render.faults import Fault

PREFIX_LABEL = "crossplane.io/composite"
CLAIM_LABELS = ("crossplane.io/claim-name", "crossplane.io/claim-namespace")
TEMPLATE_ANNOTATION = "crossplane.io/composition-resource-name"

_LONGEST_NAME = 63
_HASH = 12
_SUBDOMAIN = re.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_LONGEST_SUBDOMAIN = 253
_RBAC = ("Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding")
_NIL = bytes(16)
"""The UUID that the derived ones are made from."""

Body = dict[str, Any]


def get(body: Mapping[str, Any], name: str) -> str:
    """Return a string of the metadata, or the empty string."""
    metadata = body.get("metadata")
    found = metadata.get(name) if metadata.__class__ is dict else None
    return found if found.__class__ is str else ""


def put(body: Body, name: str, value: Any) -> None:
    """Set a field of the metadata; an empty value removes it; metadata that is no object stays as it is."""
    metadata = body.get("metadata")
    if metadata.__class__ is not dict:
        if "metadata" in body or not value:
            return
        metadata = body["metadata"] = {}
    if value:
        metadata[name] = value
    else:
        metadata.pop(name, None)


def mapping(body: Mapping[str, Any], name: str) -> dict[str, str]:
    """Return labels or annotations, null as the empty string; none at all if one of them is no string."""
    metadata = body.get("metadata")
    return _strings(metadata.get(name)) if metadata.__class__ is dict else {}


def _strings(found: Any) -> dict[str, str]:
    if found.__class__ is not dict:
        return {}
    for value in found.values():
        if value.__class__ is not str:
            break
    else:
        return dict(found)
    if any(value.__class__ is not str and value is not None for value in found.values()):
        return {}
    return {key: value or "" for key, value in found.items()}


def identity(body: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return group, version and kind; all are empty where the apiVersion cannot be parsed."""
    api_version, kind = body.get("apiVersion"), body.get("kind")
    if not isinstance(api_version, str):
        api_version = ""
    group, _, version = api_version.rpartition("/")
    if "/" in group:
        return "", "", ""
    return group, version, kind if isinstance(kind, str) else ""


def settle_kind(body: Body) -> None:
    """Write apiVersion and kind as Crossplane's render hands them out: empty where the apiVersion is none."""
    given = body.get("apiVersion")
    if isinstance(given, str) and given and given.count("/") <= 1 and given[0] != "/":
        return
    group, version, kind = identity(body)
    body["apiVersion"] = f"{group}/{version}" if group else version
    body["kind"] = kind


def uid(xr: Mapping[str, Any]) -> str:
    """Return the UID of an XR, or the one that Crossplane's render derives from its identity (a UUID of version 5)."""
    given = get(xr, "uid")
    if given:
        return given
    group, version, kind = identity(xr)
    name = f"{group}/{version}, Kind={kind}\0{get(xr, 'namespace')}\0{get(xr, 'name')}".encode("utf-8", "surrogatepass")
    digest = bytearray(hashlib.sha1(_NIL + name, usedforsecurity=False).digest()[:16])
    digest[6] = digest[6] & 0x0F | 0x50
    digest[8] = digest[8] & 0x3F | 0x80
    found = digest.hex()
    return f"{found[:8]}-{found[8:12]}-{found[12:16]}-{found[16:20]}-{found[20:]}"


def owner_of(xr: Mapping[str, Any]) -> dict[str, Any]:
    """Return the controller reference to an XR."""
    group, version, kind = identity(xr)
    return {
        "apiVersion": f"{group}/{version}" if group else version,
        "blockOwnerDeletion": True,
        "controller": True,
        "kind": kind,
        "name": get(xr, "name"),
        "uid": get(xr, "uid"),
    }


def owners_of(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the owner references; none at all if one of them is no object."""
    metadata = body.get("metadata")
    found = metadata.get("ownerReferences") if metadata.__class__ is dict else None
    if found.__class__ is not list or any(owner.__class__ is not dict for owner in found):
        return []
    return [_owner(owner) for owner in found]


def _owner(given: dict[str, Any]) -> dict[str, Any]:
    owner: dict[str, Any] = {
        name: value if isinstance(value := given.get(name), str) else "" for name in ("apiVersion", "kind", "name", "uid")
    }
    owner.update({name: given[name] for name in ("controller", "blockOwnerDeletion") if isinstance(given.get(name), bool)})
    return owner


def controller_of(body: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the owner reference that controls a resource."""
    return next((owner for owner in owners_of(body) if owner.get("controller")), None)


def adopt(body: Body, template: str, labels: dict[str, str], namespace: str, owner: dict[str, Any]) -> None:
    """Give a composed resource what it derives from its XR; ``labels`` hold the XR's name prefix and claim."""
    metadata = body.setdefault("metadata", {})
    if metadata.__class__ is not dict:
        return
    name, prefix = metadata.get("name"), metadata.get("generateName")
    if not (name.__class__ is str and name) and not (prefix.__class__ is str and prefix):
        prefix = metadata["generateName"] = f"{labels[PREFIX_LABEL]}-"
    if namespace:
        metadata["namespace"] = namespace
    metadata["annotations"] = {**_strings(metadata.get("annotations")), TEMPLATE_ANNOTATION: template}
    metadata["labels"] = {**_strings(metadata.get("labels")), **labels}
    metadata["ownerReferences"] = _owned(body, owner) if "ownerReferences" in metadata else [dict(owner)]
    if not (name.__class__ is str and name):
        metadata["name"] = child_name(str(prefix), owner["uid"], template)


def _owned(body: Body, owner: dict[str, Any]) -> list[dict[str, Any]]:
    owners = owners_of(body)
    controller = next((other for other in owners if other.get("controller")), None)
    if controller is not None and controller["uid"] != owner["uid"]:
        raise Fault(
            f"cannot set controller reference: {get(body, 'name')} is already controlled by "
            f"{controller['kind']} {controller['name']} (UID {controller['uid']})",
        )
    for index, other in enumerate(owners):
        if other["uid"] == owner["uid"]:
            owners[index] = dict(owner)
            return owners
    return [*owners, dict(owner)]


def child_name(prefix: str, parent_uid: str, template: str) -> str:
    """Return the name that Crossplane gives to a composed resource without one."""
    suffix = hashlib.sha256((parent_uid + template).encode("utf-8", "surrogatepass")).hexdigest()[:_HASH]
    if prefix and not prefix.endswith("-"):
        prefix += "-"
    if len(prefix) + _HASH <= _LONGEST_NAME:
        return prefix + suffix
    cut = prefix[: _LONGEST_NAME - _HASH]
    return (cut if cut.endswith("-") else cut[:-1] + "-") + suffix


def check_name(body: Body, template: str) -> None:
    """Refuse a name that is no RFC 1123 subdomain (colons are allowed in RBAC names)."""
    name = given = get(body, "name")
    if ":" in name:
        group, _, kind = identity(body)
        if group == "rbac.authorization.k8s.io" and kind in _RBAC:
            name = name.replace(":", "")
    if len(name) > _LONGEST_SUBDOMAIN or not _SUBDOMAIN.fullmatch(name):
        raise Fault(
            f'cannot apply composed resource "{template}" because it has an invalid name "{given}": '
            "must be a valid RFC 1123 subdomain name",
            hint="lower-case letters, digits, '-' and '.', starting and ending with a letter or digit",
        )
