"""Managed Kubernetes clusters without nodes of their own: node pools are added to them."""

from __future__ import annotations

from mlplatform.core import Composition, Ref, Template

from .managed import managed, owned
from .network import PODS, SERVICES

INTERNAL = "10.0.0.0/8"
"""Who may talk to a cluster's API: private networks."""


def gcp(composition: Composition, *, region: Ref, project: Ref, deletion_protection: bool = False) -> Template:
    """Add a VPC-native GKE cluster with private nodes, workload identity, logging and monitoring, in the composition's network."""
    cluster = composition.add(
        "cluster",
        managed(
            "container.gcp.upbound.io/v1beta2",
            "Cluster",
            {
                "deletionProtection": deletion_protection,
                "releaseChannel": {"channel": "REGULAR"},
                # GKE makes no cluster without a first pool; it is deleted at once, node pools of their own take its place
                "initialNodeCount": 1,
                "removeDefaultNodePool": True,
                "networkSelector": {"matchControllerRef": True},
                "subnetworkSelector": {"matchControllerRef": True},
                "networkingMode": "VPC_NATIVE",
                "ipAllocationPolicy": {"clusterSecondaryRangeName": PODS, "servicesSecondaryRangeName": SERVICES},
                "privateClusterConfig": {
                    "enablePrivateNodes": True,
                    "enablePrivateEndpoint": False,
                    "masterIpv4CidrBlock": "172.16.0.0/28",
                },
                "masterAuthorizedNetworksConfig": {"cidrBlocks": [{"cidrBlock": INTERNAL, "displayName": "private networks"}]},
                "addonsConfig": {"gcePersistentDiskCsiDriverConfig": {"enabled": True}},
                "loggingConfig": {"enableComponents": ["SYSTEM_COMPONENTS", "WORKLOADS"]},
                "monitoringConfig": {"enableComponents": ["SYSTEM_COMPONENTS"], "managedPrometheus": {"enabled": True}},
            },
            secret=True,
        ),
    ).named()
    cluster.named("%s-%s-cluster", to="spec.writeConnectionSecretToRef.name")
    cluster.patch(region, "spec.forProvider.location")
    cluster.combine("%s.svc.id.goog", [project], "spec.forProvider.workloadIdentityConfig.workloadPool")
    return owned(cluster, "spec.forProvider.resourceLabels")
