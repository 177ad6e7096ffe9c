"""How providers sign in: with the identity of their Pod where the cluster's cloud gives it one, else with a key from the secret store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mlplatform.core import SECRETS_NAMESPACE, Folder, Manifest

from .charts import EXTERNAL_SECRETS_NAMESPACE

_KEY = "credentials"


@dataclass(frozen=True)
class Cloud:
    """A cloud: its ProviderConfig, and how a Pod in a cluster of this cloud gets an identity."""

    name: str
    version: str
    """Group and version of its ProviderConfig."""
    source: str
    """What the ProviderConfig calls the Pod's identity."""
    annotation: str
    """Annotation of a service account that names the identity."""
    pod_labels: Mapping[str, str] = field(default_factory=dict)


CLOUDS = {
    "aws": Cloud("aws", "aws.upbound.io/v1beta1", "IRSA", "eks.amazonaws.com/role-arn"),
    "gcp": Cloud("gcp", "gcp.upbound.io/v1beta1", "InjectedIdentity", "iam.gke.io/gcp-service-account"),
    "azure": Cloud(
        "azure",
        "azure.upbound.io/v1beta1",
        "OIDCTokenFile",
        "azure.workload.identity/client-id",
        {"azure.workload.identity/use": "true"},
    ),
}


def secret_store(folder: Folder, name: str, *, provider: Mapping[str, Any], namespaces: Sequence[str] = ()) -> Manifest:
    """Add a ClusterSecretStore.

    ``provider`` says where its secrets are, and as whom they are read. ``namespaces`` are those whose ExternalSecrets may read it; none
    means all.
    """
    spec = {"provider": dict(provider), **({"conditions": [{"namespaces": list(namespaces)}]} if namespaces else {})}
    body = {"apiVersion": "external-secrets.io/v1", "kind": "ClusterSecretStore", "metadata": {"name": name}, "spec": spec}
    return Manifest(folder, name, body)


def aws_secrets_manager(region: str, role: str) -> dict[str, Any]:
    """Return a store's provider for AWS Secrets Manager: the operator's own account takes ``role``, which says what can be read."""
    account = {"name": "external-secrets", "namespace": EXTERNAL_SECRETS_NAMESPACE}
    auth = {"jwt": {"serviceAccountRef": account}}
    return {"aws": {"service": "SecretsManager", "region": region, "role": role, "auth": auth}}


def credentials(folder: Folder, cloud: Cloud, *, store: str, key: str) -> Manifest:
    """Add the ExternalSecret that brings a cloud's key from the store: ``key`` is the name of the secret there."""
    body = {
        "apiVersion": "external-secrets.io/v1",
        "kind": "ExternalSecret",
        "metadata": {"name": _secret(cloud), "namespace": SECRETS_NAMESPACE},
        "spec": {
            "refreshInterval": "15m",
            "secretStoreRef": {"kind": "ClusterSecretStore", "name": store},
            # a key that vanishes from the store by mistake must not take the providers' access with it
            "target": {"name": _secret(cloud), "creationPolicy": "Owner", "deletionPolicy": "Retain"},
            "data": [{"secretKey": _KEY, "remoteRef": {"key": key}}],
        },
    }
    return Manifest(folder, _secret(cloud), body)


def provider_config(folder: Folder, cloud: Cloud, *, injected: bool, settings: Mapping[str, Any] | None = None) -> Manifest:
    """Add the ProviderConfig that managed resources of a cloud use.

    ``injected`` takes the Pod's identity, else the secret of ``credentials`` is read. ``settings`` are further fields of its spec.
    """
    signed = {"source": cloud.source} if injected else _from_secret(cloud)
    return _config(folder, cloud.version, {**(settings or {}), "credentials": signed}, cloud.name)


def in_cluster_config(folder: Folder, api_version: str, name: str) -> Manifest:
    """Add the ProviderConfig by which provider-kubernetes or provider-helm works on the cluster that it runs in."""
    return _config(folder, api_version, {"credentials": {"source": "InjectedIdentity"}}, name)


def _config(folder: Folder, api_version: str, spec: dict[str, Any], name: str) -> Manifest:
    body = {"apiVersion": api_version, "kind": "ProviderConfig", "metadata": {"name": "default"}, "spec": spec}
    return Manifest(folder, f"provider-config-{name}", body, file=f"providerconfig-{name}.yaml")


def _from_secret(cloud: Cloud) -> dict[str, Any]:
    return {"source": "Secret", "secretRef": {"namespace": SECRETS_NAMESPACE, "name": _secret(cloud), "key": _KEY}}


def _secret(cloud: Cloud) -> str:
    return f"{cloud.name}-credentials"
