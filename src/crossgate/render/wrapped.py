"""Manifests inside other resources: a ``kubernetes.crossplane.io`` Object puts one on a cluster, so it is judged like any other.

Both generations of provider-kubernetes are opened (``kubernetes.crossplane.io`` and the namespaced ``kubernetes.m.crossplane.io``). The
values of a Helm Release are no object of their own: they are judged as a part of the Release, under ``spec.forProvider.values``.
Values that an Argo CD Application holds as text are judged as the tree that they are (``with_value_trees``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from crossgate.errors import LoadError
from crossgate.load import load_text
from crossgate.model import WRAPPED, Document, Identity, Place, Resource
from crossgate.paths import Path, follow

OBJECT_GROUPS = ("kubernetes.crossplane.io", "kubernetes.m.crossplane.io")
MANIFEST: Path = ("spec", "forProvider", "manifest")

_ARGO_SPECS: dict[str, Path] = {"Application": ("spec",), "ApplicationSet": ("spec", "template", "spec")}


def is_object(identity: Identity) -> bool:
    """Say whether it names an Object of provider-kubernetes."""
    return identity.kind == "Object" and identity.group in OBJECT_GROUPS


def opened(resource: Resource) -> Iterator[Resource]:
    """Yield the manifests inside ``resource``; a List gives each of its items, so that no fault hides in it."""
    if not is_object(resource.identity):
        return
    manifest = follow(resource.body, MANIFEST)
    if not isinstance(manifest, dict):
        return
    items = manifest.get("items")
    if str(manifest.get("kind", "")).endswith("List") and isinstance(items, list):
        places: list[tuple[Any, Path]] = [(item, (*MANIFEST, "items", index)) for index, item in enumerate(items)]
    else:
        places = [(manifest, MANIFEST)]
    for body, inside in places:
        if isinstance(body, dict):
            yield Resource(body=body, role=WRAPPED, document=resource.document, parent=resource, inside=inside)


def writes(body: dict[str, Any]) -> bool:
    """Say whether an Object creates or updates its manifest (others only observe it)."""
    policies = follow(body, ("spec", "managementPolicies"))
    if isinstance(policies, list) and policies:
        return any(policy in ("*", "Create", "Update") for policy in policies)
    return follow(body, ("spec", "managementPolicy")) not in ("Observe", "ObserveDelete")


def with_value_trees(document: Document) -> Document:
    """Return an Argo CD Application or ApplicationSet whose ``helm.values`` text stands as ``helm.valuesObject``.

    Argo CD gives both to Helm alike; a rule sees fields only in a tree. Text that is no YAML mapping stays as it is, and other
    documents are returned as they are. Places still point at the author's ``values``.
    """
    identity = Identity.of(document.body)
    base = _ARGO_SPECS.get(identity.kind) if identity.group == "argoproj.io" else None
    spec = follow(document.body, base) if base else None
    if not base or not isinstance(spec, dict):
        return document
    changed = dict(spec)
    if isinstance(spec.get("source"), dict):
        changed["source"] = _with_tree(spec["source"])
    if isinstance(spec.get("sources"), list):
        changed["sources"] = [_with_tree(source) for source in spec["sources"]]
    if changed == spec:
        return document

    def locate(path: Path) -> Place:
        where = document.place(path)
        if "valuesObject" in path:
            at = path.index("valuesObject")
            where = document.place((*path[:at], "values"))
        return where

    return replace(document, body=_put(document.body, base, changed), locate=locate)


def _with_tree(source: Any) -> Any:
    helm = source.get("helm") if isinstance(source, dict) else None
    text = helm.get("values") if isinstance(helm, dict) else None
    # valuesObject wins over values, as Argo CD has it
    if not isinstance(text, str) or not isinstance(helm, dict) or helm.get("valuesObject"):
        return source
    try:
        trees = load_text(text)
    except LoadError:
        return source
    if len(trees) != 1 or not isinstance(trees[0].body, dict):
        return source
    kept = {key: value for key, value in helm.items() if key != "values"}
    return {**source, "helm": {**kept, "valuesObject": trees[0].body}}


def _put(body: Any, path: Path, value: Any) -> Any:
    return {**body, path[0]: _put(body[path[0]], path[1:], value)} if path else value
