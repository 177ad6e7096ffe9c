"""Secrets that come from the platform's store: nothing secret stands in a manifest.

What a claim needs is kept in the store under ``<api>/<namespace>/<claim>``, a property for each secret.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mlplatform.core import SECRETS_NAMESPACE, Composition, Ref, Template

from .kubernetes import MANIFEST, cluster_object


def external_secret(
    composition: Composition, name: str, *, target: str, keys: Mapping[str, str], store: Ref, fixed: Mapping[str, str] | None = None
) -> Template:
    """Add an ExternalSecret that fills the Secret ``target``: its keys, and the property of the store that each comes from.

    ``fixed`` are keys that are no secret, like the name of a user. Callers say which namespace it goes to.
    """
    data: dict[str, Any] = {
        "refreshInterval": "1h",
        "secretStoreRef": {"kind": "ClusterSecretStore"},
        "target": {"name": target, "creationPolicy": "Owner", "deletionPolicy": "Retain"},
        "data": [{"secretKey": key, "remoteRef": {"property": found}} for key, found in keys.items()],
    }
    if fixed:
        data["target"]["template"] = {"mergePolicy": "Merge", "data": dict(fixed)}
    secret = cluster_object(
        composition,
        name,
        {"apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret", "spec": data},
        readiness="DeriveFromObject",
    ).named(f"%s-%s-{name}", to=f"{MANIFEST}.metadata.name")
    secret.patch(store, f"{MANIFEST}.spec.secretStoreRef.name", required=True)
    labels = composition.api.metadata.labels
    claim = [labels["crossplane.io/claim-namespace"], labels["crossplane.io/claim-name"]]
    folder = composition.api.claim_kind.removesuffix("Claim").lower()
    for index in range(len(keys)):
        secret.combine(f"{folder}/%s/%s", claim, f"{MANIFEST}.spec.data[{index}].remoteRef.key", required=True)
    return secret


def published(secret: Template, target: str, keys: Mapping[str, str], namespace: str) -> Template:
    """Publish keys of the Secret that an ExternalSecret fills as connection details: details by key of the Secret.

    ``namespace`` is the format of the namespace's name, see ``Template.named``.
    """
    spec = secret.base["spec"]
    spec["connectionDetails"] = [
        {"apiVersion": "v1", "kind": "Secret", "name": target, "fieldPath": f"data.{key}", "toConnectionSecretKey": detail}
        for key, detail in keys.items()
    ]
    spec["writeConnectionSecretToRef"] = {"namespace": SECRETS_NAMESPACE}
    secret.named(f"%s-%s-{secret.name}", to="spec.writeConnectionSecretToRef.name")
    for index, detail in enumerate(keys.values()):
        secret.named(namespace, to=f"spec.connectionDetails[{index}].namespace")
        secret.connection(detail, key=detail)
    return secret
