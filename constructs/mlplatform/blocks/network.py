"""A private network for nodes: no node has a public address."""

from __future__ import annotations

from mlplatform.core import Composition, Ref, Template

from .managed import managed

PODS = "pods"
SERVICES = "services"
"""Names of the secondary ranges that a VPC-native cluster takes its addresses from."""


def gcp(
    composition: Composition, *, region: Ref, nodes: str = "10.0.0.0/20", pods: str = "10.16.0.0/14", services: str = "10.20.0.0/20"
) -> Template:
    """Add a VPC with one subnetwork of the given ranges; Google's APIs and registries are reached without a public address."""
    network = composition.add(
        "network",
        managed("compute.gcp.upbound.io/v1beta1", "Network", {"autoCreateSubnetworks": False, "routingMode": "REGIONAL"}),
    ).named()
    subnetwork = composition.add(
        "subnetwork",
        managed(
            "compute.gcp.upbound.io/v1beta2",
            "Subnetwork",
            {
                "ipCidrRange": nodes,
                "networkSelector": {"matchControllerRef": True},
                "privateIpGoogleAccess": True,
                "logConfig": {"aggregationInterval": "INTERVAL_10_MIN", "flowSampling": 0.5, "metadata": "INCLUDE_ALL_METADATA"},
                "secondaryIpRange": [{"rangeName": PODS, "ipCidrRange": pods}, {"rangeName": SERVICES, "ipCidrRange": services}],
            },
        ),
    ).named()
    subnetwork.patch(region, "spec.forProvider.region")
    return network
