"""What the kinds of AWS use: quantities from fields, for the table."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from crossgate.cost.fields import ONE, Fields, Unknown, Use, storage
from crossgate.cost.model import Part, Span

_NODE_GIB = 20
"""The disk of an EKS node where no size is said."""


def cluster(fields: Fields) -> Iterator[Use | Unknown]:
    """The fee of an EKS cluster."""
    yield Use(Part.CLUSTER, "eks-cluster", unit="cluster")


def node_group(fields: Fields) -> Iterator[Use | Unknown]:
    """An EKS node group: machines and their disks. Of several machine types the first is taken: EKS tries them in this order."""
    nodes = fields.scaled("scalingConfig.desiredSize", "scalingConfig.minSize", "scalingConfig.maxSize")
    kinds = fields.at("instanceTypes")
    machine = kinds[0] if isinstance(kinds, list) and kinds and isinstance(kinds[0], str) else "t3.medium"
    spot = fields.text("capacityType") == "SPOT"
    yield Use(Part.NODE, f"{machine} spot" if spot else machine, nodes, "node", gpus=fields.prices.gpus(machine))
    yield storage("gp3", fields.at("diskSize", _NODE_GIB), nodes)


def instance(fields: Fields) -> Iterator[Use | Unknown]:
    """A virtual machine with its root disk."""
    machine = fields.text("instanceType")
    yield Use(Part.NODE, machine, ONE, "node", gpus=fields.prices.gpus(machine))
    yield storage(fields.text("rootBlockDevice.volumeType", "gp3"), fields.at("rootBlockDevice.volumeSize", 8))


def volume(fields: Fields) -> Iterator[Use | Unknown]:
    """A disk of its own."""
    yield storage(fields.text("type", "gp2"), fields.at("size"))


def bucket(fields: Fields) -> Iterator[Use | Unknown]:
    """A bucket: what it will hold is assumed."""
    held = fields.prices.assumed.get("object-storage-gib")
    if held is None:
        yield Unknown("s3-standard", "what it will hold is not known")
    else:
        yield Use(Part.STORAGE, "s3-standard", Span.fixed(held), "GiB", assumed=True)


def load_balancer(fields: Fields) -> Iterator[Use | Unknown]:
    """A load balancer, without its traffic."""
    kinds = {"application": "alb", "network": "nlb"}
    kind = fields.text("loadBalancerType", "application")
    yield Use(Part.NETWORK, kinds.get(kind, kind), unit="load balancer")


def cache_group(fields: Fields) -> Iterator[Use | Unknown]:
    """An ElastiCache replication group: machines of one type, as many as it has shards and replicas."""
    shards = fields.number("numNodeGroups")
    replicas = fields.count("replicasPerNodeGroup")
    clusters = fields.count("numCacheClusters", 1)
    machines = shards * (replicas + 1) if shards is not None else clusters
    yield Use(Part.CACHE, fields.text("nodeType"), Span.fixed(max(machines, Decimal(1))), "machine")


def cache_cluster(fields: Fields) -> Iterator[Use | Unknown]:
    """An ElastiCache cluster; one that belongs to a replication group is counted there."""
    if not any(fields.at(name) for name in ("replicationGroupId", "replicationGroupIdRef", "replicationGroupIdSelector")):
        yield Use(Part.CACHE, fields.text("nodeType"), Span.fixed(fields.count("numCacheNodes", 1)), "machine")


def database(fields: Fields) -> Iterator[Use | Unknown]:
    """An RDS instance and its disk, which may grow; twice where a copy waits in another zone."""
    copies = 2 if fields.at("multiAz") is True else 1
    yield Use(Part.DATABASE, f"{fields.text('instanceClass')} {fields.text('engine', '?')}", Span.fixed(copies), "machine")
    size = fields.number("allocatedStorage")
    if size is None:
        yield Unknown("its disk", "spec.forProvider.allocatedStorage does not say its size")
    else:
        most = max(size, fields.count("maxAllocatedStorage"))
        yield Use(Part.STORAGE, f"rds-{fields.text('storageType', 'gp2')}", Span(size, most).times(copies), "GiB", gib=Decimal(1))
