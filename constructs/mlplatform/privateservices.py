"""The peering through which the platform's network reaches managed databases of Google by private addresses.

A network has one such peering for all its databases, so it belongs to the platform and not to a claim.
"""

from __future__ import annotations

from mlplatform.blocks.managed import managed
from mlplatform.core import Folder, Manifest
from mlplatform.environments import GcpEnvironment

NAME = "platform-services"


def private_services(folder: Folder, cloud: GcpEnvironment) -> None:
    """Keep a /16 of the network for Google's services, and peer with them. It stays in the cloud when its manifest goes."""
    addresses = managed(
        "compute.gcp.upbound.io/v1beta1",
        "GlobalAddress",
        {"purpose": "VPC_PEERING", "addressType": "INTERNAL", "prefixLength": 16, "network": cloud.network},
    )
    peering = managed(
        "servicenetworking.gcp.upbound.io/v1beta1",
        "Connection",
        {"network": cloud.network, "service": "servicenetworking.googleapis.com", "reservedPeeringRangesRefs": [{"name": NAME}]},
    )
    for body in (addresses, peering):
        body["metadata"] = {"name": NAME}
        body["spec"]["managementPolicies"] = ["Observe", "Create", "Update", "LateInitialize"]
        Manifest(folder, f"{body['kind']}-{NAME}", body, options=("Prune=confirm", "Delete=confirm"))
