"""Which kinds cost something, one line a kind, and which do not. A kind of a cloud that stands in neither list is said to be unpriced."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

from crossgate.cost import aws, azure, gcp, helm, network, workloads
from crossgate.cost.fields import Fields, Unknown, Use
from crossgate.cost.prices import Prices
from crossgate.model import Resource

Meter = Callable[[Fields], Iterable[Use | Unknown]]

_PROVIDER = re.compile(r"(?:(?P<service>[a-z0-9]+)\.)?(?P<cloud>gcp|aws|azure)(?:\.m)?\.upbound\.io")

METERS: Mapping[tuple[str, str], Meter] = {
    ("container.gcp", "Cluster"): gcp.cluster,
    ("container.gcp", "NodePool"): gcp.node_pool,
    ("sql.gcp", "DatabaseInstance"): gcp.database,
    ("storage.gcp", "Bucket"): gcp.bucket,
    ("compute.gcp", "Instance"): gcp.instance,
    ("compute.gcp", "Disk"): gcp.disk,
    ("compute.gcp", "Address"): gcp.address,
    ("compute.gcp", "RouterNAT"): gcp.nat,
    ("eks.aws", "Cluster"): aws.cluster,
    ("eks.aws", "NodeGroup"): aws.node_group,
    ("ec2.aws", "Instance"): aws.instance,
    ("ec2.aws", "EBSVolume"): aws.volume,
    ("ec2.aws", "NATGateway"): network.nat,
    ("ec2.aws", "EIP"): network.address,
    ("elbv2.aws", "LB"): aws.load_balancer,
    ("s3.aws", "Bucket"): aws.bucket,
    ("elasticache.aws", "ReplicationGroup"): aws.cache_group,
    ("elasticache.aws", "Cluster"): aws.cache_cluster,
    ("rds.aws", "Instance"): aws.database,
    ("containerservice.azure", "KubernetesCluster"): azure.cluster,
    ("containerservice.azure", "KubernetesClusterNodePool"): azure.node_pool,
    ("compute.azure", "ManagedDisk"): azure.disk,
    ("compute.azure", "LinuxVirtualMachine"): azure.machine,
    ("storage.azure", "Account"): azure.account,
    ("dbforpostgresql.azure", "FlexibleServer"): azure.postgres,
    ("cache.azure", "RedisCache"): azure.cache,
    ("network.azure", "NATGateway"): network.nat,
    ("network.azure", "PublicIP"): network.address,
    ("network.azure", "LoadBalancer"): azure.load_balancer,
    ("helm", "Release"): helm.release,
    ("apps", "Deployment"): workloads.deployment,
    ("apps", "ReplicaSet"): workloads.deployment,
    ("apps", "StatefulSet"): workloads.stateful_set,
    ("apps", "DaemonSet"): workloads.daemon_set,
    ("", "Pod"): workloads.pod,
    ("", "PersistentVolumeClaim"): workloads.volume_claim,
    ("", "Service"): workloads.service,
}
"""What a kind uses, by its provider's service (or its API group) and its name."""

FREE: Mapping[str, re.Pattern[str]] = {
    service: re.compile(kinds)
    for service, kinds in {
        "gcp": "(Cluster)?Provider.*",
        "cloudplatform.gcp": ".*",
        "iam.gcp": ".*",
        "servicenetworking.gcp": ".*",
        "compute.gcp": "Network|NetworkPeering|Subnetwork|Firewall|Route|Router|GlobalAddress",
        "container.gcp": "ClusterIAM.*",
        "sql.gcp": "Database|User|SSLCert",
        "storage.gcp": "Bucket.+|DefaultObject.*|HMACKey|Notification",
        "aws": "(Cluster)?Provider.*",
        "iam.aws": ".*",
        "ec2.aws": "VPC|VPCDHCPOptions.*|Subnet|InternetGateway|Route.*|SecurityGroup.*|NetworkACL.*|Default.*|LaunchTemplate|Tag",
        "eks.aws": "Addon|Access.*|ClusterAuth|IdentityProviderConfig|PodIdentityAssociation",
        "s3.aws": "Bucket.+|Object.*",
        "elasticache.aws": "SubnetGroup|ParameterGroup|User.*",
        "rds.aws": "SubnetGroup|ParameterGroup|OptionGroup|.*Association",
        "elbv2.aws": "LBListener.*|LBTargetGroup.*",
        "azure": "(Cluster)?Provider.*|ResourceGroup|ResourceProviderRegistration",
        "authorization.azure": ".*",
        "managedidentity.azure": ".*",
        "network.azure": "VirtualNetwork(Peering)?|Subnet.*|Security(Group|Rule)|NetworkInterface.*|Route.*|(LoadBalancer|NAT).+",
        "storage.azure": "Container|ManagementPolicy|AccountNetworkRules|AccountLocalUser|Blob.*",
        "dbforpostgresql.azure": "FlexibleServer.+",
    }.items()
}
"""Kinds that cost nothing by themselves, as expressions over their names, by service."""


@lru_cache(maxsize=1024)
def service_of(group: str) -> tuple[str, str]:
    """Return the service of a provider's API group and its cloud: ``("container.gcp", "gcp")``. Other groups are themselves."""
    match = _PROVIDER.fullmatch(group)
    if match is None:
        return "helm" if group in ("helm.crossplane.io", "helm.m.crossplane.io") else group, ""
    service, cloud = match["service"], match["cloud"]
    return f"{service}.{cloud}" if service else cloud, cloud


@lru_cache(maxsize=1024)
def meter_of(group: str, kind: str) -> Meter | None:
    """Return what says what resources of a kind use; ``None`` where they cost nothing by themselves."""
    service, cloud = service_of(group)
    meter = METERS.get((service, kind))
    free = FREE.get(service)
    if meter is not None or not cloud or (free is not None and free.fullmatch(kind)):
        return meter
    return _unknown


def uses(resource: Resource, prices: Prices, beside: tuple[Resource, ...]) -> Iterable[Use | Unknown]:
    """Return what a resource uses. One that is only observed is somebody else's and costs nothing here.

    Args:
        resource: the resource.
        prices: the list prices.
        beside: all resources that the same author's object makes.
    """
    meter = meter_of(resource.identity.group, resource.identity.kind)
    if meter is None:
        return ()
    spec = resource.body.get("spec")
    if isinstance(spec, dict) and spec.get("managementPolicies") == ["Observe"]:
        return ()
    return meter(Fields(resource, prices, beside))


def _unknown(fields: Fields) -> Iterable[Unknown]:
    return (Unknown(fields.resource.identity.kind, "nothing says what a resource of this kind costs"),)
