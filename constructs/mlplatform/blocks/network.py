"""Private networks for nodes: no node has a public address."""

from __future__ import annotations

from typing import Any

from mlplatform.core import Composition, Ref, Template
from mlplatform.core import transforms as t

from .managed import managed, owned

PODS = "pods"
SERVICES = "services"
"""Names of the secondary ranges that a VPC-native cluster takes its addresses from."""

PRIVATE = {"access": "private"}
"""Label of the subnets of AWS that nodes are in."""


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


_PRIVATE_SUBNETS = {"a": "10.0.0.0/18", "b": "10.0.64.0/18"}
"""Zone and range of each: EKS asks for two zones."""


def aws(composition: Composition, *, region: Ref) -> Template:
    """Add a VPC with two private subnets in two zones, and a public one for the gateway by which nodes reach the Internet.

    One gateway for both zones costs half of two; when its zone is lost, nodes of the other still run but reach nothing new outside.
    """
    own = {"vpcIdSelector": {"matchControllerRef": True}}

    def part(name: str, kind: str, settings: dict[str, Any], *, version: str = "v1beta1", labels: dict[str, str] | None = None) -> Template:
        body = managed(f"ec2.aws.upbound.io/{version}", kind, settings)
        if labels:
            body["metadata"] = {"labels": labels}
        made = composition.add(name, body).named(f"%s-%s-{name}").patch(region, "spec.forProvider.region")
        if kind not in ("Route", "RouteTableAssociation"):
            made.named(f"%s-%s-{name}", to="spec.forProvider.tags.Name")
            owned(made, "spec.forProvider.tags")
        return made

    vpc = part("network", "VPC", {"cidrBlock": "10.0.0.0/16", "enableDnsSupport": True, "enableDnsHostnames": True})
    for zone, cidr in _PRIVATE_SUBNETS.items():
        tags = {"kubernetes.io/role/internal-elb": "1"}
        labels = {"subnet": f"private-{zone}", **PRIVATE}
        subnet = part(f"subnet-private-{zone}", "Subnet", {**own, "cidrBlock": cidr, "tags": tags}, labels=labels)
        subnet.patch(region, "spec.forProvider.availabilityZone", t.fmt(f"%s{zone}"))
    labels = {"subnet": "public", "access": "public"}
    public = part("subnet-public", "Subnet", {**own, "cidrBlock": "10.0.128.0/24"}, labels=labels)
    public.patch(region, "spec.forProvider.availabilityZone", t.fmt("%sa"))

    part("internet-gateway", "InternetGateway", dict(own))
    part("nat-address", "EIP", {"domain": "vpc"})
    part(
        "nat-gateway",
        "NATGateway",
        {"allocationIdSelector": {"matchControllerRef": True}, "subnetIdSelector": _labelled(subnet="public")},
    )
    for access, through in (("public", "gatewayIdSelector"), ("private", "natGatewayIdSelector")):
        part(f"routes-{access}", "RouteTable", dict(own), labels={"routes": access})
        way_out = {
            "destinationCidrBlock": "0.0.0.0/0",
            "routeTableIdSelector": _labelled(routes=access),
            through: {"matchControllerRef": True},
        }
        part(f"route-{access}", "Route", way_out, version="v1beta2")
    for subnet_name in ("public", *(f"private-{zone}" for zone in _PRIVATE_SUBNETS)):
        routes = {
            "subnetIdSelector": _labelled(subnet=subnet_name),
            "routeTableIdSelector": _labelled(routes=subnet_name.partition("-")[0]),
        }
        part(f"routing-{subnet_name}", "RouteTableAssociation", routes)
    return vpc


def _labelled(**labels: str) -> dict[str, Any]:
    return {"matchControllerRef": True, "matchLabels": labels}


def azure(composition: Composition, *, region: Ref) -> Template:
    """Add a resource group, and in it a virtual network with a subnet for nodes, which storage accounts can tell from others."""
    group = composition.add("resource-group", managed("azure.upbound.io/v1beta1", "ResourceGroup", {})).named()
    group.patch(region, "spec.forProvider.location")
    owned(group, "spec.forProvider.tags")
    network = composition.add(
        "network",
        managed("network.azure.upbound.io/v1beta2", "VirtualNetwork", {**IN_GROUP, "addressSpace": ["10.0.0.0/16"]}),
    ).named()
    network.patch(region, "spec.forProvider.location")
    owned(network, "spec.forProvider.tags")
    composition.add(
        "subnetwork",
        managed(
            "network.azure.upbound.io/v1beta2",
            "Subnet",
            {
                **IN_GROUP,
                "virtualNetworkNameSelector": {"matchControllerRef": True},
                "addressPrefixes": ["10.0.0.0/18"],
                "serviceEndpoints": ["Microsoft.Storage"],
            },
        ),
    ).named()
    return network


IN_GROUP = {"resourceGroupNameSelector": {"matchControllerRef": True}}
"""Put a resource of Azure into the composition's resource group."""
