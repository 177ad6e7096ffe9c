"""Roles on the cluster that belong to no team."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mlplatform.core import Api, Folder, Manifest


def claim_readers(folder: Folder, apis: Iterable[Api[Any]]) -> Manifest:
    """Let everybody who may look at a namespace look at the claims in it.

    Crossplane adds the rights on claims to roles of its own, not to Kubernetes' view, edit and admin. Looking is enough: claims are
    changed in Git.
    """
    plurals: dict[str, list[str]] = {}
    for api in apis:
        if api.claim_kind:
            plurals.setdefault(api.group, []).append(api.claim_names["plural"])
    rules = [{"apiGroups": [group], "resources": names, "verbs": ["get", "list", "watch"]} for group, names in plurals.items()]
    labels = {f"rbac.authorization.k8s.io/aggregate-to-{role}": "true" for role in ("view", "edit", "admin")}
    body = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": "ml-claims-view", "labels": labels},
        "rules": rules,
    }
    return Manifest(folder, "ml-claims-view", body)
