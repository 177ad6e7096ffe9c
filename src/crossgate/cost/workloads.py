"""What workloads use: whole machines where they name one, cores and memory of the platform's cluster elsewhere, volumes and GPUs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from crossgate.cost.fields import Fields, Unknown, Use, below, gpu_type, mappings, storage
from crossgate.cost.model import ZERO, Part, Span
from crossgate.cost.quantity import decimal, gib, quantity
from crossgate.model import Identity

_MACHINE = "node.kubernetes.io/instance-type"
_ACCELERATOR = "cloud.google.com/gke-accelerator"
_CLOUDS = (
    ("azure", re.compile(r"standard_", re.IGNORECASE)),
    ("aws", re.compile(r"[a-z][a-z0-9-]*\.(?:\d*x?large|metal[a-z0-9-]*|medium|small|micro|nano)")),
    ("gcp", re.compile(r"[a-z]\d[a-z]*-[a-z]+")),
)
_CLASSES = {"standard": "pd-balanced", "standard-rwo": "pd-balanced", "premium-rwo": "pd-ssd", "ssd": "pd-ssd", "gp2": "gp2", "gp3": "gp3"}
"""Kinds of disk behind the names of storage classes."""
_GPU_RESOURCE = "nvidia.com/gpu"


def cloud_of(machine: str) -> str:
    """Return the cloud that a machine type is of, by its form; empty for an unknown form."""
    return next((cloud for cloud, form in _CLOUDS if form.match(machine)), "")


def deployment(fields: Fields) -> Iterator[Use | Unknown]:
    """A Deployment or ReplicaSet: its replicas, or those that an autoscaler beside it keeps."""
    yield from pods(fields, _pod(fields), _replicas(fields))


def stateful_set(fields: Fields) -> Iterator[Use | Unknown]:
    """A StatefulSet: its replicas, each with the volumes that it claims."""
    replicas = _replicas(fields)
    yield from pods(fields, _pod(fields), replicas)
    for template in mappings(below(fields.body, "spec.volumeClaimTemplates") or []):
        yield volume(fields, below(template, "spec.resources.requests.storage"), below(template, "spec.storageClassName"), replicas)


def pod(fields: Fields) -> Iterator[Use | Unknown]:
    """A Pod by itself."""
    spec = fields.body.get("spec")
    yield from pods(fields, spec if isinstance(spec, Mapping) else {}, Span.fixed(1))


def daemon_set(_fields: Fields) -> Iterator[Use | Unknown]:
    """A DaemonSet: it takes a share of nodes that are paid for already."""
    yield from ()


def volume_claim(fields: Fields) -> Iterator[Use | Unknown]:
    """A volume of its own."""
    yield volume(fields, below(fields.body, "spec.resources.requests.storage"), below(fields.body, "spec.storageClassName"), Span.fixed(1))


def service(fields: Fields) -> Iterator[Use | Unknown]:
    """A Service: only one that asks for a load balancer costs."""
    if below(fields.body, "spec.type") == "LoadBalancer":
        cloud = fields.prices.workloads.get("default", "")
        name = {"gcp": "forwarding-rule", "aws": "nlb", "azure": "load-balancer"}.get(cloud, "load-balancer")
        yield Use(Part.NETWORK, name, unit="load balancer", cloud=cloud, region=fields.prices.workloads.get(cloud, ""))


def volume(fields: Fields, size: Any, storage_class: Any, times: Span) -> Use | Unknown:
    """Return the disks of a volume: ``size`` is a Kubernetes quantity."""
    cloud = fields.prices.workloads.get("default", "")
    name = storage_class if isinstance(storage_class, str) and storage_class else "standard"
    kind = _CLASSES.get(name, name) if cloud == "gcp" else {"aws": "gp3"}.get(cloud, name)
    found = storage(kind, size, times)
    if isinstance(found, Unknown):
        return found
    return Use(
        found.part, found.what, found.quantity, found.unit, gib=found.gib, cloud=cloud, region=fields.prices.workloads.get(cloud, "")
    )


def pods(fields: Fields, spec: Mapping[str, Any], replicas: Span) -> Iterator[Use | Unknown]:
    """Yield what so many Pods use.

    A Pod that names a machine type is counted as a whole machine of it: that is what an autoscaler starts for it at worst. Any other is
    counted by the cores and the memory that it requests.
    """
    machine = _selected(spec, _MACHINE)
    gpus = _gpus(spec)
    if machine:
        cloud = cloud_of(machine)
        where = fields.prices.workloads.get(cloud, "")
        name = machine.lower() if cloud == "azure" else machine
        included = fields.prices.gpus(name)
        yield Use(Part.NODE, name, replicas, "node", gpus=included, cloud=cloud, region=where)
        kind = _selected(spec, _ACCELERATOR)
        if gpus and included is None and kind:
            short = gpu_type(kind)
            yield Use(Part.GPU, f"gpu-{short}", replicas.times(gpus), "GPU", gpus=(short, 1), cloud=cloud, region=where)
        elif gpus and included is None:
            yield Unknown(f"{gpus} GPUs", f"neither {machine} nor the Pod says their type")
        return
    cloud = fields.prices.workloads.get("default", "")
    where = fields.prices.workloads.get(cloud, "")
    cores, memory = _requests(spec, "cpu", quantity), _requests(spec, "memory", gib)
    if cores:
        yield Use(Part.WORKLOAD, "workload-vcpu", replicas.times(cores), "vCPU", cloud=cloud, region=where)
    if memory:
        yield Use(Part.WORKLOAD, "workload-memory-gib", replicas.times(memory), "GiB of memory", cloud=cloud, region=where)
    if gpus:
        yield Unknown(f"{gpus} GPUs", "the Pod does not say on which machine")


def _selected(spec: Mapping[str, Any], label: str) -> str:
    selector = spec.get("nodeSelector")
    value = selector.get(label) if isinstance(selector, Mapping) else None
    return value if isinstance(value, str) else ""


def _pod(fields: Fields) -> Mapping[str, Any]:
    found = below(fields.body, "spec.template.spec")
    return found if isinstance(found, Mapping) else {}


def _replicas(fields: Fields) -> Span:
    said = decimal(below(fields.body, "spec.replicas"))
    wanted = said if said is not None and said >= 0 else Decimal(1)
    own = fields.resource.identity
    for other in fields.beside:
        target = below(other.body, "spec.scaleTargetRef")
        if Identity.of(other.body).kind != "HorizontalPodAutoscaler" or other.identity.namespace != own.namespace:
            continue
        if (below(target, "kind"), below(target, "name")) == (own.kind, own.name):
            least = decimal(below(other.body, "spec.minReplicas"))
            most = decimal(below(other.body, "spec.maxReplicas"))
            low = least if least is not None else Decimal(1)
            return Span(low, max(low, most if most is not None else low))
    return Span.fixed(wanted)


def _containers(spec: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    return mappings(spec.get("containers") or [])


def _requests(spec: Mapping[str, Any], name: str, read: Callable[[Any], Decimal | None]) -> Decimal:
    """Return what the containers request together; a limit without a request is one."""
    total = ZERO
    for container in _containers(spec):
        for kind in ("requests", "limits"):
            found = read(below(container, f"resources.{kind}.{name}"))
            if found is not None:
                total += found
                break
    return total


def _gpus(spec: Mapping[str, Any]) -> Decimal:
    total = ZERO
    for container in _containers(spec):
        resources = container.get("resources")
        for kind in ("limits", "requests"):
            listed = resources.get(kind) if isinstance(resources, Mapping) else None
            found = quantity(listed.get(_GPU_RESOURCE)) if isinstance(listed, Mapping) else None
            if found is not None:
                total += found
                break
    return total
