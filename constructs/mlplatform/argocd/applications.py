"""The Applications: Helm charts of the core, the platform's folders of ``dist/``, and the claims of each team."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mlplatform.blocks.managed import TEAM_NAMESPACE
from mlplatform.core import Api, Folder, Manifest

from .project import ARGOCD, PLATFORM, TEAM_PROJECT

IN_CLUSTER = "https://kubernetes.default.svc"
"""The cluster that Argo CD runs in."""

CLAIMS = "40-claims"
"""Folder of ``dist/`` with one folder for each team."""

WRITTEN_BY_CROSSPLANE = (
    "/spec/resourceRef",
    "/spec/compositionRef",
    "/spec/compositionRevisionRef",
    "/spec/compositionRevisionSelector",
    "/spec/compositionUpdatePolicy",
    "/spec/compositeDeletePolicy",
    "/status",
)
"""Fields of a claim that Crossplane fills when the author left them open."""

# a sync that a provider or operator was not ready for is tried again until it is: nobody has to watch a bootstrap
_RETRY = {"limit": -1, "backoff": {"duration": "15s", "factor": 2, "maxDuration": "5m"}}


@dataclass(frozen=True)
class Repository:
    """The Git repository that holds ``dist/``, and the branch that is deployed."""

    url: str
    branch: str = "main"
    dist: str = "dist"


def _application(
    folder: Folder,
    name: str,
    source: Mapping[str, Any],
    *,
    namespace: str,
    options: Sequence[str] = (),
    more: Mapping[str, Any] | None = None,
) -> Manifest:
    body = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": name, "namespace": ARGOCD},
        "spec": _spec(PLATFORM, source, namespace=namespace, options=options, more=more),
    }
    return Manifest(folder, name, body)


def _spec(
    project: str,
    source: Mapping[str, Any],
    *,
    namespace: str,
    options: Sequence[str] = (),
    automated: Mapping[str, Any] | None = None,
    more: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    return {
        "project": project,
        "source": dict(source),
        "destination": {"server": IN_CLUSTER, "namespace": namespace},
        "syncPolicy": {
            "automated": {"prune": True, "selfHeal": True, **(automated or {})},
            "retry": _RETRY,
            "syncOptions": ["ServerSideApply=true", "RespectIgnoreDifferences=true", *options],
        },
        **(more or {}),
    }


def chart(folder: Folder, name: str, *, repository: str, version: str, namespace: str, values: Mapping[str, Any]) -> Manifest:
    """Add the Application of a Helm chart, pinned to ``version``."""
    source = {"repoURL": repository, "chart": name, "targetRevision": version, "helm": {"valuesObject": dict(values)}}
    return _application(folder, name, source, namespace=namespace, options=("CreateNamespace=true",))


def _folders(repository: Repository, **choice: str) -> dict[str, Any]:
    source = {"repoURL": repository.url, "targetRevision": repository.branch, "path": repository.dist}
    return {**source, "directory": {"recurse": True, **choice}}


def _pattern(folders: Iterable[str]) -> str:
    return "{" + ",".join(f"{folder}/**" for folder in folders) + "}"


def root(folder: Folder, repository: Repository, *, folders: Sequence[str]) -> Manifest:
    """Add the Application that syncs the other Applications, itself among them: ``folders`` of ``dist/``."""
    return _application(folder, "root", _folders(repository, include=_pattern(folders)), namespace=ARGOCD)


def infrastructure(folder: Folder, repository: Repository, *, without: Sequence[str]) -> Manifest:
    """Add the Application that syncs what teams build on: every folder but the root's and the claims'."""
    source = _folders(repository, exclude=_pattern((*without, CLAIMS)))
    return _application(folder, "ml-infrastructure", source, namespace=ARGOCD, options=("PruneLast=true",))


def claims(folder: Folder, repository: Repository, apis: Iterable[Api[Any]]) -> Manifest:
    """Add an Application for each team that has a folder of claims, in the team's own project and namespace.

    When an Application goes, what it made stays: infrastructure is deleted because its claim was, never because a folder moved.
    """
    team = "{{.path.basename}}"
    ignored = [{"group": api.group, "kind": api.claim_kind, "jsonPointers": list(WRITTEN_BY_CROSSPLANE)} for api in apis if api.claim_kind]
    # said explicitly, or a kustomization.yaml or Chart.yaml among the claims would make Argo CD run another tool; it takes a directory
    # whose fields are all at their defaults for one that was not said
    directory = {"recurse": True}
    source = {"repoURL": repository.url, "targetRevision": repository.branch, "path": "{{.path.path}}", "directory": directory}
    body = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "ApplicationSet",
        "metadata": {"name": "ml-claims", "namespace": ARGOCD},
        "spec": {
            "goTemplate": True,
            "goTemplateOptions": ["missingkey=error"],
            "generators": [
                {
                    "git": {
                        "repoURL": repository.url,
                        "revision": repository.branch,
                        "directories": [{"path": f"{repository.dist}/{CLAIMS}/*"}],
                    }
                }
            ],
            "syncPolicy": {"preserveResourcesOnDeletion": True},
            # somebody's word that a claim may be deleted; without this line it would be taken back at once
            "preservedFields": {"annotations": ["argocd.argoproj.io/deletion-approved"]},
            "template": {
                "metadata": {"name": f"claims-{team}", "labels": {"team": team}},
                "spec": _spec(
                    f"{TEAM_PROJECT}{team}",
                    source,
                    namespace=f"{TEAM_NAMESPACE}{team}",
                    # a team's last claim may go too; the claims that hold data ask before they do
                    automated={"allowEmpty": True},
                    more={"ignoreDifferences": ignored},
                ),
            },
        },
    }
    return Manifest(folder, "ml-claims", body)
