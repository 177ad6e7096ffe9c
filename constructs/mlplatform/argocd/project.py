"""AppProjects: what the platform's own Applications may write, and what a team's may."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from crossgate.model import Place
from mlplatform.blocks.managed import TEAM_NAMESPACE
from mlplatform.core import Api, Folder, Manifest

ARGOCD = "argocd"
"""Namespace of Argo CD, where it looks for projects and Applications."""

PLATFORM = "ml-platform"
"""Project of the platform's own Applications."""

TEAM_PROJECT = "team-"
"""Projects of teams begin so."""

_SERVER = "https://kubernetes.default.svc"


def platform_project(folder: Folder, *, sources: Iterable[str], namespaces: Iterable[str]) -> Manifest:
    """Add the project of the platform team: its repositories and namespaces; of the cluster's own objects, all."""
    spec = {
        "description": "Crossplane, its packages, the APIs and the teams",
        "sourceRepos": list(dict.fromkeys(sources)),
        "destinations": [{"server": _SERVER, "namespace": name} for name in (ARGOCD, f"{TEAM_NAMESPACE}*", *namespaces)],
        "clusterResourceWhitelist": [{"group": "*", "kind": "*"}],
    }
    return _project(folder, PLATFORM, spec)


def team_project(folder: Folder, team: str, *, group: str, repository: str, apis: Iterable[Api[Any]], place: Place) -> Manifest:
    """Add the project of a team: claims and nothing else, in its namespace and nowhere else.

    ``group`` may look at the team's Applications, sync them, and confirm a deletion (that is an annotation of the Application).
    """
    name = f"{TEAM_PROJECT}{team}"
    allowed: Sequence[str] = ("get", "sync", "update")
    spec = {
        "description": f"Claims of team {team}",
        "sourceRepos": [repository],
        "destinations": [{"server": _SERVER, "namespace": f"{TEAM_NAMESPACE}{team}"}],
        "clusterResourceWhitelist": [],
        "namespaceResourceWhitelist": [{"group": api.group, "kind": api.claim_kind} for api in apis if api.claim_kind],
        "roles": [
            {
                "name": "members",
                "groups": [group],
                "policies": [f"p, proj:{name}:members, applications, {verb}, {name}/*, allow" for verb in allowed],
            }
        ],
    }
    return _project(folder, name, spec, sources={(): place})


def _project(folder: Folder, name: str, spec: dict[str, Any], **more: Any) -> Manifest:
    metadata = {"name": name, "namespace": ARGOCD}
    return Manifest(folder, name, {"apiVersion": "argoproj.io/v1alpha1", "kind": "AppProject", "metadata": metadata, "spec": spec}, **more)
