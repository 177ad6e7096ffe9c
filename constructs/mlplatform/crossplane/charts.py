"""The Helm charts that everything else stands on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mlplatform.argocd import chart
from mlplatform.core import SECRETS_NAMESPACE, Folder

from .versions import CROSSPLANE, EXTERNAL_SECRETS

EXTERNAL_SECRETS_NAMESPACE = "external-secrets"

NAMESPACES = (SECRETS_NAMESPACE, EXTERNAL_SECRETS_NAMESPACE)
"""Namespaces that the charts go to."""


@dataclass(frozen=True)
class Chart:
    """A Helm chart and what is set in it."""

    name: str
    repository: str
    version: str
    namespace: str
    values: dict[str, Any]


CHARTS = (
    Chart(
        "crossplane",
        "https://charts.crossplane.io/stable",
        CROSSPLANE,
        SECRETS_NAMESPACE,
        {
            "metrics": {"enabled": True},
            # one package of a cloud has hundreds of CRDs: the default of 20Mi holds few of them
            "packageCache": {"sizeLimit": "256Mi"},
            "resourcesCrossplane": {"requests": {"cpu": "250m", "memory": "512Mi"}, "limits": {"cpu": "1", "memory": "2Gi"}},
        },
    ),
    Chart(
        "external-secrets",
        "https://charts.external-secrets.io",
        EXTERNAL_SECRETS,
        EXTERNAL_SECRETS_NAMESPACE,
        {
            "installCRDs": True,
            "serviceAccount": {"name": "external-secrets"},
            # who may edit a namespace must not read the whole store by an ExternalSecret of his own
            "rbac": {"aggregateToEdit": False},
        },
    ),
)


def add_charts(folder: Folder, *, secrets_annotations: dict[str, str]) -> None:
    """Add an Application for each chart; ``secrets_annotations`` give external-secrets its identity in the cloud of its store."""
    for each in CHARTS:
        values = dict(each.values)
        if each.name == "external-secrets":
            values["serviceAccount"] = {**values["serviceAccount"], "annotations": secrets_annotations}
        chart(folder, each.name, repository=each.repository, version=each.version, namespace=each.namespace, values=values)
