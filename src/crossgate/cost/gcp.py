"""What the kinds of Google Cloud use: quantities from fields, for the table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from crossgate.cost.fields import ONE, Fields, Unknown, Use, accelerators, below, mappings, storage
from crossgate.cost.model import Part, Span
from crossgate.cost.network import gateway

_ZONE = re.compile(r"-[a-z]$")
_CUSTOM = re.compile(r"db-custom-(\d+)-(\d+)")
_ZONES = 3
"""Zones of a region in which GKE places nodes when none is named."""
_DISK_GIB = 100
"""The disk of a node where no size is said."""
_MIB = 1024


def cluster(fields: Fields) -> Iterator[Use | Unknown]:
    """A GKE cluster: its fee, and the nodes of its default pool where that is kept."""
    yield Use(Part.CLUSTER, "gke-cluster", unit="cluster")
    if fields.at("enableAutopilot") is True:
        yield Unknown("Autopilot", "it is billed by what Pods ask for")
    elif fields.at("removeDefaultNodePool") is not True and not any(mappings(fields.at("nodePool"))):
        nodes = Span.fixed(fields.count("initialNodeCount", 1) * _zones(fields))
        yield from _nodes(fields, "nodeConfig", nodes)


def node_pool(fields: Fields) -> Iterator[Use | Unknown]:
    """A GKE node pool: machines, their disks and accelerators.

    Counts are for each zone, those that begin with ``total`` for all of them.
    """
    zones = _zones(fields)
    if fields.at("autoscaling") is None:
        nodes = Span.fixed(fields.count("nodeCount", 1) * zones)
    elif fields.number("autoscaling.totalMaxNodeCount") is not None:
        nodes = _between(fields, "autoscaling.totalMinNodeCount", "autoscaling.totalMaxNodeCount", fields.number("initialNodeCount"), zones)
    else:
        per_zone = fields.scaled("initialNodeCount", "autoscaling.minNodeCount", "autoscaling.maxNodeCount")
        nodes = per_zone.times(zones)
    yield from _nodes(fields, "nodeConfig", nodes)


def _between(fields: Fields, least: str, most: str, initial: Decimal | None, zones: int) -> Span:
    low, high = fields.count(least), fields.count(most)
    wanted = max(low, initial * zones if initial is not None else low)
    return Span(min(wanted, high), high)


def _nodes(fields: Fields, config: str, nodes: Span) -> Iterator[Use | Unknown]:
    machine = fields.text(f"{config}.machineType", "e2-medium")
    spot = fields.at(f"{config}.spot") is True or fields.at(f"{config}.preemptible") is True
    included = fields.prices.gpus(machine)
    yield Use(Part.NODE, f"{machine} spot" if spot else machine, nodes, "node", gpus=included)
    disk = fields.text(f"{config}.diskType", "pd-balanced")
    yield storage(disk, fields.at(f"{config}.diskSizeGb", _DISK_GIB), nodes)
    for kind, count in accelerators(fields.at(f"{config}.guestAccelerator")):
        if included is None and count > 0:
            yield Use(Part.GPU, f"gpu-{kind} spot" if spot else f"gpu-{kind}", nodes.times(count), "GPU", gpus=(kind, 1))


def _zones(fields: Fields) -> int:
    locations = fields.at("nodeLocations")
    if isinstance(locations, list) and locations:
        return len(locations)
    location = fields.text("location") or next(
        (text for other in fields.beside if isinstance(text := below(other.body, "spec.forProvider.location"), str) and _of(other.body)), ""
    )
    return 1 if _ZONE.search(location) and location.count("-") > 1 else _ZONES


def _of(body: object) -> bool:
    return "container.gcp" in str(below(body, "apiVersion"))


def database(fields: Fields) -> Iterator[Use | Unknown]:
    """A Cloud SQL instance: cores and memory, or a machine of a fixed size, and its disk; twice in a regional instance."""
    copies = 2 if fields.text("settings.availabilityType") == "REGIONAL" else 1
    edition = "" if fields.text("settings.edition", "ENTERPRISE") == "ENTERPRISE" else "-plus"
    engine = "-sqlserver" if fields.text("databaseVersion").startswith("SQLSERVER") else ""
    tier = fields.text("settings.tier")
    if match := _CUSTOM.fullmatch(tier):
        yield Use(Part.DATABASE, f"cloudsql{engine}{edition}-vcpu", Span.fixed(int(match[1]) * copies), "vCPU")
        memory = Decimal(match[2]) / _MIB * copies
        yield Use(Part.DATABASE, f"cloudsql{engine}{edition}-memory-gib", Span.fixed(memory), "GiB of memory")
    elif tier:
        yield Use(Part.DATABASE, f"{tier}{edition}", Span.fixed(copies), "machine")
    else:
        yield Unknown("the machine", "spec.forProvider.settings.tier does not say it")
    kind = fields.text("settings.diskType", "PD_SSD").lower().replace("_", "-")
    yield storage(f"cloudsql-{kind}", fields.at("settings.diskSize", 10), Span.fixed(copies))


def bucket(fields: Fields) -> Iterator[Use | Unknown]:
    """A bucket: what it will hold is assumed."""
    held = fields.prices.assumed.get("object-storage-gib")
    name = f"gcs-{fields.text('storageClass', 'standard').lower()}"
    yield (
        Unknown(name, "what it will hold is not known") if held is None else Use(Part.STORAGE, name, Span.fixed(held), "GiB", assumed=True)
    )


def disk(fields: Fields) -> Iterator[Use | Unknown]:
    """A disk of its own."""
    yield storage(fields.text("type", "pd-standard"), fields.at("size", 10))


def instance(fields: Fields) -> Iterator[Use | Unknown]:
    """A virtual machine with its boot disk and accelerators."""
    machine = fields.text("machineType")
    included = fields.prices.gpus(machine)
    yield Use(Part.NODE, machine, ONE, "node", gpus=included)
    boot = "bootDisk.initializeParams"
    yield storage(fields.text(f"{boot}.type", "pd-balanced"), fields.at(f"{boot}.size", 10))
    for kind, count in accelerators(fields.at("guestAccelerator")):
        if included is None and count > 0:
            yield Use(Part.GPU, f"gpu-{kind}", Span.fixed(count), "GPU", gpus=(kind, 1))


def nat(fields: Fields) -> Iterator[Use | Unknown]:
    """Cloud NAT."""
    yield from gateway(fields, "cloud-nat")


def address(fields: Fields) -> Iterator[Use | Unknown]:
    """A static address; one inside the network is free."""
    if fields.text("addressType", "EXTERNAL") == "EXTERNAL":
        yield Use(Part.NETWORK, "public-ipv4", unit="address")
