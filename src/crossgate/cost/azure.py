"""What the kinds of Azure use: quantities from fields, for the table."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from crossgate.cost.fields import ONE, Fields, Unknown, Use
from crossgate.cost.model import Part, Span

_SIZES = ((4, "p1"), (8, "p2"), (16, "p3"), (32, "p4"), (64, "p6"), (128, "p10"), (256, "p15"), (512, "p20"), (1024, "p30"), (2048, "p40"))
"""Sizes in GiB in which premium disks are sold: a disk costs what the next larger one does."""
_LARGEST = "p50"
_NODE_GIB = 128
"""The disk of an AKS node where no size is said."""
_MIB = 1024


def cluster(fields: Fields) -> Iterator[Use | Unknown]:
    """An AKS cluster: the fee of its tier, and the nodes of its default pool."""
    tier = fields.text("skuTier", "Free").lower()
    if tier != "free":
        yield Use(Part.CLUSTER, f"aks-{tier}", unit="cluster")
    yield from _pool(fields, "defaultNodePool.")


def node_pool(fields: Fields) -> Iterator[Use | Unknown]:
    """An AKS node pool: machines and their disks."""
    yield from _pool(fields, "")


def _pool(fields: Fields, prefix: str) -> Iterator[Use | Unknown]:
    auto = any(fields.at(f"{prefix}{name}") is True for name in ("autoScalingEnabled", "enableAutoScaling"))
    least, most = f"{prefix}minCount", f"{prefix}maxCount"
    nodes = fields.scaled(f"{prefix}nodeCount", least, most) if auto else Span.fixed(fields.count(f"{prefix}nodeCount", 1))
    machine = fields.text(f"{prefix}vmSize").lower()
    spot = fields.text(f"{prefix}priority").lower() == "spot"
    yield Use(Part.NODE, f"{machine} spot" if spot else machine, nodes, "node", gpus=fields.prices.gpus(machine))
    if fields.text(f"{prefix}osDiskType").lower() != "ephemeral":
        size = fields.count(f"{prefix}osDiskSizeGb", _NODE_GIB)
        yield Use(Part.STORAGE, f"premium-{_sold(size)}", nodes, f"disk of {size} GiB", gib=size)


def _sold(size: Decimal) -> str:
    return next((name for largest, name in _SIZES if size <= largest), _LARGEST)


def disk(fields: Fields) -> Iterator[Use | Unknown]:
    """A disk of its own; only premium ones have listed sizes here."""
    size, kind = fields.count("diskSizeGb"), fields.text("storageAccountType", "Standard_LRS")
    if kind == "Premium_LRS":
        yield Use(Part.STORAGE, f"premium-{_sold(size)}", ONE, f"disk of {size} GiB", gib=size)
    else:
        yield Use(Part.STORAGE, kind.lower(), ONE, f"disk of {size} GiB", gib=size)


def machine(fields: Fields) -> Iterator[Use | Unknown]:
    """A virtual machine; its disk is that of the image unless it is said."""
    size = fields.text("size").lower()
    yield Use(Part.NODE, size, ONE, "node", gpus=fields.prices.gpus(size))
    kind = fields.text("osDisk.storageAccountType", "Standard_LRS").lower()
    gib = fields.count("osDisk.diskSizeGb", 32)
    yield Use(Part.STORAGE, f"premium-{_sold(gib)}" if kind == "premium_lrs" else kind, ONE, f"disk of {gib} GiB", gib=gib)


def account(fields: Fields) -> Iterator[Use | Unknown]:
    """A storage account: what it will hold is assumed."""
    held = fields.prices.assumed.get("object-storage-gib")
    name = f"blob-{fields.text('accessTier', 'hot').lower()}-{fields.text('accountReplicationType', 'LRS').lower()}"
    if held is None:
        yield Unknown(name, "what it will hold is not known")
    else:
        yield Use(Part.STORAGE, name, Span.fixed(held), "GiB", assumed=True)


def postgres(fields: Fields) -> Iterator[Use | Unknown]:
    """A flexible server of PostgreSQL and its disk; twice where a copy waits."""
    copies = 2 if fields.at("highAvailability") is not None else 1
    yield Use(Part.DATABASE, f"postgres-{fields.text('skuName').lower()}", Span.fixed(copies), "machine")
    yield Use(Part.STORAGE, "postgres-storage-gib", Span.fixed(fields.count("storageMb", 32768) / _MIB * copies), "GiB", gib=Decimal(1))


def cache(fields: Fields) -> Iterator[Use | Unknown]:
    """A Redis cache of a fixed size."""
    yield Use(Part.CACHE, f"redis-{fields.text('skuName')}-{fields.text('family')}{fields.count('capacity')}".lower(), ONE, "machine")


def load_balancer(fields: Fields) -> Iterator[Use | Unknown]:
    """A load balancer, without its traffic; the basic one is free."""
    if fields.text("sku", "Standard").lower() != "basic":
        yield Use(Part.NETWORK, "load-balancer", unit="load balancer")
