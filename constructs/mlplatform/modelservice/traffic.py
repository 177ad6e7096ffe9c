"""What may be reached, and by whom: a team's namespace denies all that no policy allows."""

from __future__ import annotations

from typing import Any

from mlplatform.blocks import cache
from mlplatform.blocks.kubernetes import MANIFEST, kubernetes_object
from mlplatform.core import Composition, Ref, Template

from .server import PORT, selected


def server_policy(composition: Composition, *, gateway: Ref, monitoring: Ref, metadata: bool = False) -> Template:
    """Let the gateway and Prometheus in to the servers, and the servers out to DNS, the cloud's APIs and their cache.

    With ``metadata`` they reach the server of the node, too, by which Pods of GKE get their account's token.
    """
    namespace: dict[str, Any] = {"namespaceSelector": {"matchLabels": {}}}
    entry = {"from": [namespace, namespace], "ports": [{"protocol": "TCP", "port": PORT}]}
    policy = kubernetes_object(composition, "network-policy", _policy(cache.PORT, metadata=metadata, ingress=[entry]))
    for index, name in enumerate((gateway, monitoring)):
        label = "matchLabels[kubernetes.io/metadata.name]"
        policy.patch(name, f"{MANIFEST}.spec.ingress[0].from[{index}].namespaceSelector.{label}", required=True)
    return selected(policy, f"{MANIFEST}.spec.podSelector.matchLabels")


def egress_policy(composition: Composition, name: str, *, suffix: str, label: str, metadata: bool = False) -> Template:
    """Let the Pods of another label out to DNS and the cloud's APIs, and nobody in."""
    policy = kubernetes_object(composition, name, _policy(metadata=metadata), suffix=suffix)
    claim = composition.api.metadata.labels["crossplane.io/claim-name"]
    return policy.patch(claim, f"{MANIFEST}.spec.podSelector.matchLabels[{label}]")


_METADATA = {
    "to": [{"ipBlock": {"cidr": "169.254.169.254/32"}}, {"ipBlock": {"cidr": "169.254.169.252/32"}}],
    "ports": [{"protocol": "TCP", "port": 80}, {"protocol": "TCP", "port": 988}],
}


def _policy(*ports: int, metadata: bool = False, **rules: Any) -> dict[str, Any]:
    out = [{"protocol": "UDP", "port": 53}, *({"protocol": "TCP", "port": port} for port in (53, 443, *ports))]
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "spec": {"policyTypes": ["Ingress", "Egress"], **rules, "egress": [{"ports": out}, *([_METADATA] if metadata else [])]},
    }
