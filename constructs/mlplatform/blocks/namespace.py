"""A namespace of a claim's own, for charts whose objects have fixed names."""

from __future__ import annotations

from mlplatform.core import Composition, Ref, Template

from .kubernetes import MANIFEST, cluster_object
from .managed import owned

NAME = "%s-%s"
"""How the namespace is called; see ``Template.named``."""

_LABEL = "kubernetes.io/metadata.name"


def own_namespace(composition: Composition) -> Template:
    """Add the namespace ``<name>-<hash>``."""
    namespace = cluster_object(composition, "namespace", {"apiVersion": "v1", "kind": "Namespace"})
    namespace.named(NAME, to=f"{MANIFEST}.metadata.name")
    return owned(namespace, f"{MANIFEST}.metadata.labels")


def in_own_namespace(template: Template) -> Template:
    """Put the wrapped object of a template into it."""
    return template.named(NAME, to=f"{MANIFEST}.metadata.namespace")


def guarded(composition: Composition, *, monitoring: Ref) -> Template:
    """Let nobody in to the namespace but the team that claimed it, Prometheus, and what runs in it."""
    others = [{"podSelector": {}}, {"namespaceSelector": {"matchLabels": {}}}, {"namespaceSelector": {"matchLabels": {}}}]
    policy = cluster_object(
        composition,
        "network-policy",
        {
            "apiVersion": "networking.k8s.io/v1",
            "kind": "NetworkPolicy",
            "spec": {"podSelector": {}, "policyTypes": ["Ingress"], "ingress": [{"from": others}]},
        },
    ).named(to=f"{MANIFEST}.metadata.name")
    team = composition.api.metadata.labels["crossplane.io/claim-namespace"]
    for index, namespace in enumerate((team, monitoring), start=1):
        at = f"{MANIFEST}.spec.ingress[0].from[{index}].namespaceSelector.matchLabels[{_LABEL}]"
        policy.patch(namespace, at, required=True)
    return in_own_namespace(policy)
