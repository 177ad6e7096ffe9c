"""Argo CD's settings: how it knows its own objects, and when an object of Crossplane is healthy."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from crossgate.load.write import to_yaml
from mlplatform.core import Api, Folder, Manifest

from .project import ARGOCD

_HEALTH = Path(__file__).parent / "health"

PACKAGE_KINDS = ("Provider", "Function", "Configuration")

_EXCLUDED: list[dict[str, list[str]]] = [
    # one for each managed resource, made by the providers, of no use to anybody who looks at an Application
    {"apiGroups": ["*"], "kinds": ["ProviderConfigUsage", "ClusterProviderConfigUsage"]},
    # what Argo CD leaves out by default; naming exclusions replaces its list
    {"apiGroups": ["", "discovery.k8s.io"], "kinds": ["Endpoints", "EndpointSlice"]},
    {"apiGroups": ["coordination.k8s.io"], "kinds": ["Lease"]},
    {"apiGroups": ["authentication.k8s.io", "authorization.k8s.io"], "kinds": ["*"]},
    {"apiGroups": ["certificates.k8s.io"], "kinds": ["CertificateSigningRequest"]},
]


def health(name: str) -> str:
    """Return a health check in Lua: ``claim``, ``package``, ``definition`` or ``application``."""
    return (_HEALTH / f"{name}.lua").read_text(encoding="utf-8")


def health_checks(apis: Iterable[Api[Any]]) -> dict[str, str]:
    """Return the health check of each kind, by ``group/Kind`` as Argo CD writes it."""
    claimed = dict.fromkeys(f"{api.group}/{kind}" for api in apis for kind in (api.claim_kind, api.kind) if kind)
    return {
        # without it an Application is healthy at once, and the next wave does not wait for what it installs
        "argoproj.io/Application": health("application"),
        **dict.fromkeys((f"pkg.crossplane.io/{kind}" for kind in PACKAGE_KINDS), health("package")),
        "apiextensions.crossplane.io/CompositeResourceDefinition": health("definition"),
        **dict.fromkeys(claimed, health("claim")),
    }


def settings(folder: Folder, apis: Iterable[Api[Any]]) -> Manifest:
    """Add ``argocd-cm``.

    Crossplane copies a claim's labels to its composite resource. With the label that Argo CD marks its own objects by, the composite
    would look like something that Git no longer has, and be pruned with all the infrastructure. So they are marked by annotation.
    """
    checks = {name: {"health.lua": lua} for name, lua in health_checks(apis).items()}
    body = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "argocd-cm", "namespace": ARGOCD, "labels": {"app.kubernetes.io/part-of": "argocd"}},
        "data": {
            "application.resourceTrackingMethod": "annotation",
            "resource.customizations": to_yaml([checks]),
            "resource.exclusions": to_yaml([_EXCLUDED]),
        },
    }
    return Manifest(folder, "argocd-cm", body)
