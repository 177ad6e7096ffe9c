"""The packages that Crossplane installs: exactly those that the Compositions of the catalogue need."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from crossgate.errors import SynthError
from mlplatform.core import SECRETS_NAMESPACE, Composition, Folder, Manifest

from .access import CLOUDS, Cloud
from .versions import PACKAGES, REGISTRY

_IN_CLUSTER = {"helm.crossplane.io/v1beta1": "provider-helm", "kubernetes.crossplane.io/v1alpha1": "provider-kubernetes"}
"""The providers that work on a cluster, by the version of their ProviderConfig."""

_VERBS = ["create", "delete", "get", "list", "patch", "update", "watch"]


@dataclass(frozen=True)
class Packages:
    """What the Compositions need: the API groups of what they make, the functions that they call, the objects in clusters."""

    groups: frozenset[str]
    functions: frozenset[str]
    objects: frozenset[tuple[str, str]]
    """Group and kind of what provider-kubernetes makes."""

    @classmethod
    def of(cls, folders: Iterable[Folder]) -> Packages:
        """Read what the platform has so far: its Compositions, and managed resources of its own."""
        groups, functions, objects = set(), set(), set()
        for manifest in (manifest for folder in folders for manifest in folder.manifests):
            bodies = [manifest.body]
            if isinstance(manifest, Composition):
                functions |= {step["functionRef"]["name"] for step in manifest.content()["spec"]["pipeline"]}
                bodies = [template.base for template in manifest.templates]
            for body in bodies:
                group = body["apiVersion"].rpartition("/")[0]
                groups.add(group)
                if group == "kubernetes.crossplane.io":
                    wrapped = body["spec"]["forProvider"]["manifest"]
                    objects.add((wrapped["apiVersion"].rpartition("/")[0], wrapped["kind"]))
        return cls(frozenset(groups), frozenset(functions), frozenset(objects))

    def clouds(self) -> list[str]:
        """Return the clouds of which there are managed resources: ``gcp``, ``aws``, ``azure``."""
        return sorted({cloud for group in self.groups if (cloud := _cloud(group))})

    def in_cluster(self) -> dict[str, str]:
        """Return the providers that work on the platform's cluster, by the version of their ProviderConfig."""
        return {version: name for version, name in _IN_CLUSTER.items() if version.partition("/")[0] in self.groups}

    def providers(self) -> dict[str, str]:
        """Return the providers to install, each with the name of its runtime configuration: one for each API group, and the families."""
        found = {name: name for name in self.in_cluster().values()}
        for cloud in self.clouds():
            found[f"provider-family-{cloud}"] = cloud
        for group in self.groups:
            cloud = _cloud(group)
            service = group.partition(".")[0]
            if cloud and service != cloud:  # a cloud's own group (azure.upbound.io) is in the family's package
                found[f"provider-{cloud}-{service}"] = cloud
        return dict(sorted(found.items()))

    def add_runtimes(self, folder: Folder, clouds: Iterable[Cloud], *, identities: Mapping[str, str]) -> None:
        """Add how the providers' Pods run; ``identities`` are the accounts of the clouds whose identity the Pods get."""
        for cloud in clouds:
            spec: dict[str, Any] = {"deploymentTemplate": _deployment(cloud.pod_labels if cloud.name in identities else {})}
            if cloud.name in identities:
                spec["serviceAccountTemplate"] = {"metadata": {"annotations": {cloud.annotation: identities[cloud.name]}}}
            _runtime(folder, cloud.name, spec)
        for name in self.in_cluster().values():
            # a name that stays, for the roles below are bound to it
            account = {"metadata": {"name": name}}
            _runtime(folder, name, {"deploymentTemplate": _deployment({}), "serviceAccountTemplate": account})

    def add_roles(self, folder: Folder) -> None:
        """Add what the providers that work on this cluster may do: exactly the catalogue's kinds, or, for charts, everything."""
        for name in self.in_cluster().values():
            role = "cluster-admin"  # a chart brings kinds and roles of its own, and nobody can give rights that he does not have
            if name == "provider-kubernetes":
                role = "provider-kubernetes-objects"
                _manifest(folder, "rbac.authorization.k8s.io/v1", "ClusterRole", role, {"rules": self._rules()})
            subject = {"kind": "ServiceAccount", "name": name, "namespace": SECRETS_NAMESPACE}
            reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role}
            _manifest(folder, "rbac.authorization.k8s.io/v1", "ClusterRoleBinding", name, {"roleRef": reference, "subjects": [subject]})

    def _rules(self) -> list[dict[str, Any]]:
        kinds: dict[str, list[str]] = {}
        for group, kind in sorted(self.objects):
            kinds.setdefault(group, []).append(resource_name(kind))
        return [{"apiGroups": [group], "resources": names, "verbs": _VERBS} for group, names in kinds.items()]

    def add_packages(self, folder: Folder) -> None:
        """Add the Providers and Functions, each at its pinned version."""
        for name, runtime in self.providers().items():
            reference = {"apiVersion": "pkg.crossplane.io/v1beta1", "kind": "DeploymentRuntimeConfig", "name": runtime}
            _package(folder, "Provider", name, {"runtimeConfigRef": reference})
        for name in sorted(self.functions):
            _package(folder, "Function", name, {})


def resource_name(kind: str) -> str:
    """Return the name of a kind in URLs and roles, by the rule of Kubernetes' own ``meta.UnsafeGuessKindToResource``."""
    name = kind.lower()
    if name.endswith("s"):
        return f"{name}es"
    return f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"


def package(name: str) -> str:
    """Return a package with its pinned version.

    Raises:
        SynthError: no version is pinned.
    """
    version = next((version for prefix, version in PACKAGES.items() if name.startswith(prefix)), "")
    if not version:
        raise SynthError(f"no version of {name} is pinned", "", "add it to constructs/mlplatform/crossplane/versions.py")
    return f"{REGISTRY}/{name}:{version}"


def _cloud(group: str) -> str:
    parts = group.removesuffix(".upbound.io").split(".")
    return parts[-1] if group.endswith(".upbound.io") and parts[-1] in CLOUDS else ""


def _deployment(labels: Mapping[str, str]) -> dict[str, Any]:
    resources = {"requests": {"cpu": "50m", "memory": "256Mi"}, "limits": {"memory": "1Gi"}}
    # Crossplane knows its container by this name, and lays its own settings under these
    pod: dict[str, Any] = {"spec": {"containers": [{"name": "package-runtime", "resources": resources}]}}
    if labels:
        pod = {"metadata": {"labels": dict(labels)}, **pod}
    return {"spec": {"selector": {}, "template": pod}}


def _runtime(folder: Folder, name: str, spec: dict[str, Any]) -> None:
    _manifest(folder, "pkg.crossplane.io/v1beta1", "DeploymentRuntimeConfig", name, {"spec": spec})


def _package(folder: Folder, kind: str, name: str, more: dict[str, Any]) -> None:
    spec = {"package": package(name), "revisionActivationPolicy": "Automatic", "revisionHistoryLimit": 1, **more}
    _manifest(folder, "pkg.crossplane.io/v1", kind, name, {"spec": spec})


def _manifest(folder: Folder, api_version: str, kind: str, name: str, content: dict[str, Any]) -> None:
    Manifest(folder, f"{kind}-{name}", {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, **content})
