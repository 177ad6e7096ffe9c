"""The names of a definition, as the API server wants those of a CRD (``ValidateCustomResourceDefinitionNames``, 1.36)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from crossgate.paths import Path
from crossgate.schema.definition.fault import Fault, definition
from crossgate.schema.names import dns_1035_label, dns_subdomain
from crossgate.schema.values import shown

_PROTECTED = ("k8s.io", "kubernetes.io")
_APPROVED = "api-approved.kubernetes.io"


def name_faults(body: dict[str, Any]) -> Iterator[Fault]:
    """Say what is wrong with the name, group and scope of a CRD."""
    spec, metadata = body.get("spec") or {}, body.get("metadata") or {}
    yield from group_faults(spec.get("group") or "", ("spec", "group"))
    if (spec.get("scope") or "") not in ("Cluster", "Namespaced"):
        yield definition(("spec", "scope"), f"found {shown(spec.get('scope'))}, expected Cluster or Namespaced", "write one of them")
    yield from full_name_faults(metadata, spec)
    yield from names_faults(spec.get("names") or {}, ("spec", "names"))
    yield from _approval(spec.get("group") or "", metadata.get("annotations") or {})
    if spec.get("preserveUnknownFields"):
        way = "write x-kubernetes-preserve-unknown-fields: true into the part of the schema that needs it"
        yield definition(("spec", "preserveUnknownFields"), "cannot be true", way)


def full_name_faults(metadata: dict[str, Any], spec: dict[str, Any]) -> Iterator[Fault]:
    """Say whether a definition is called something else than what it defines."""
    wanted = f"{(spec.get('names') or {}).get('plural') or ''}.{spec.get('group') or ''}"
    if metadata.get("name") != wanted:
        found = shown(metadata.get("name"))
        said = f"found {found}, expected {wanted} (spec.names.plural and spec.group)"
        yield definition(("metadata", "name"), said, f"write name: {wanted}")


def group_faults(group: str, at: Path) -> Iterator[Fault]:
    """Say what is wrong with the name of an API group."""
    wrong = "a group" if not group else dns_subdomain(group) or ("" if "." in group else "a domain with at least one dot")
    if wrong:
        yield definition(at, f"found {shown(group)}, expected {wrong}", "use a domain of yours, such as ml.example.org")


def names_faults(names: dict[str, Any], at: Path) -> Iterator[Fault]:
    """Say what is wrong with kind, plural, singular, list kind, short names and categories."""
    kind = names.get("kind") or ""
    listed = names.get("listKind") or (f"{kind}List" if kind else "")
    for key, value in (("plural", names.get("plural") or ""), ("kind", kind)):
        if not value:
            yield definition((*at, key), f"missing; {key} is required", f"write {key}: …")
    if not kind and not names.get("singular"):
        yield definition((*at, "singular"), "missing; without a kind there is no singular", "write kind: …")
    if kind and kind == listed:
        yield definition((*at, "listKind"), f"kind and listKind are both {shown(kind)}", f"write listKind: {kind}List, or leave it out")
    given = [("plural", names.get("plural")), ("singular", names.get("singular") or kind.lower())]
    given += [("kind", kind.lower()), ("listKind", listed.lower())]
    for key, value in given:
        if value and (wrong := dns_1035_label(value)):
            written = names.get(key) or value
            yield definition((*at, key), f"found {shown(written)}, expected {wrong}", "use letters and digits only, starting with a letter")
    for key in ("shortNames", "categories"):
        for index, value in enumerate(names.get(key) or ()):
            if wrong := dns_1035_label(value or ""):
                yield definition((*at, key, index), f"found {shown(value)}, expected {wrong}", "use lower-case letters and digits")


def _approval(group: str, annotations: dict[str, Any]) -> Iterator[Fault]:
    """Groups of the Kubernetes project need its approval (``pkg/apihelpers/helpers.go``)."""
    if not any(group == domain or group.endswith(f".{domain}") for domain in _PROTECTED):
        return
    value = annotations.get(_APPROVED) or ""
    if value.startswith("unapproved") or _is_url(value):
        return
    yield definition(
        ("metadata", "annotations", _APPROVED),
        f"the group {group} belongs to the Kubernetes project and needs its approval in this annotation",
        "use a group of a domain of yours",
    )


def _is_url(text: str) -> bool:
    from urllib.parse import urlsplit  # noqa: PLC0415 (almost no definition needs it)

    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return bool(parts.scheme and parts.netloc)
