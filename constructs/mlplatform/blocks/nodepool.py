"""Pools of nodes, with and without GPUs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mlplatform.core import Composition, Ref, Template
from mlplatform.core import transforms as t

from .identity import NODES
from .managed import managed, owned
from .network import PRIVATE

GPU_TAINT = "nvidia.com/gpu"
"""Keeps what needs no GPU off the nodes that have one."""

TRAINING = {"workload-type": "ml-training"}
"""Label of the nodes that trainings run on."""


@dataclass(frozen=True)
class Size:
    """How many nodes a pool has: at least, at first, and at most; each as the claim or the platform says."""

    least: Ref | int
    first: Ref | int
    most: Ref | int


def gcp_gpu(
    composition: Composition,
    *,
    region: Ref,
    gpu_type: Ref,
    machines: Mapping[str, str],
    accelerators: Mapping[str, str],
    size: Size,
    disk_gb: int = 100,
) -> Template:
    """Add a GPU node pool to the composition's GKE cluster.

    ``machines`` and ``accelerators`` give the machine type and the accelerator of each value of ``gpu_type``; each node has one GPU.
    """
    pool = _gcp_pool(
        composition,
        "node-pool",
        {
            "diskSizeGb": disk_gb,
            "guestAccelerator": [{"count": 1, "gpuDriverInstallationConfig": {"gpuDriverVersion": "DEFAULT"}}],
            "labels": dict(TRAINING),
            "taint": [{"key": GPU_TAINT, "value": "true", "effect": "NO_SCHEDULE"}],
        },
        region=region,
    )
    # GKE counts nodes per zone: in one zone the bounds are those of the pool, as the claim means them
    pool.patch(region, "spec.forProvider.nodeLocations[0]", t.fmt("%s-b"))
    pool.put(size.least, "spec.forProvider.autoscaling.minNodeCount")
    pool.put(size.most, "spec.forProvider.autoscaling.maxNodeCount")
    # read at creation only: the cloud would make the pool anew for another number
    pool.put(size.first, "spec.initProvider.initialNodeCount")
    pool.patch(gpu_type, "spec.forProvider.nodeConfig.machineType", t.map_(machines))
    pool.patch(gpu_type, "spec.forProvider.nodeConfig.guestAccelerator[0].type", t.map_(accelerators))
    return pool.patch(gpu_type, "spec.forProvider.nodeConfig.labels.gpu-type")


def gcp(
    composition: Composition, name: str, *, region: Ref, machine: str, nodes: int, most: int = 0, spread: bool, disk_gb: int = 100
) -> Template:
    """Add a pool of ``nodes`` machines, and up to ``most`` when they are asked for: in one zone, or ``spread`` over the region's."""
    pool = _gcp_pool(composition, name, {"machineType": machine, "diskSizeGb": disk_gb}, region=region)
    settings = pool.base["spec"]["forProvider"]
    settings["autoscaling"] = {"totalMinNodeCount": nodes, "totalMaxNodeCount": most or nodes, "locationPolicy": "BALANCED"}
    if not spread:
        pool.patch(region, "spec.forProvider.nodeLocations[0]", t.fmt("%s-b"))
    pool.put(1, "spec.initProvider.initialNodeCount")  # in each zone
    return pool


def _gcp_pool(composition: Composition, name: str, node: dict[str, Any], *, region: Ref) -> Template:
    pool = composition.add(
        name,
        managed(
            "container.gcp.upbound.io/v1beta2",
            "NodePool",
            {
                "clusterSelector": {"matchControllerRef": True},
                "management": {"autoRepair": True, "autoUpgrade": True},
                "nodeConfig": {
                    "diskType": "pd-balanced",
                    "metadata": {"disable-legacy-endpoints": "true"},
                    "oauthScopes": ["https://www.googleapis.com/auth/cloud-platform"],
                    "serviceAccountSelector": {"matchControllerRef": True},
                    "shieldedInstanceConfig": {"enableIntegrityMonitoring": True, "enableSecureBoot": True},
                    "workloadMetadataConfig": {"mode": "GKE_METADATA"},
                    **node,
                },
            },
        ),
    )
    if name == "node-pool":
        pool.named()
    else:  # at most 40 characters: the unique part alone
        pool.combine(f"{name.removesuffix('-pool')}-%s", [composition.identity.hash], "metadata.name")
    pool.patch(region, "spec.forProvider.location")
    return owned(pool, "spec.forProvider.nodeConfig.resourceLabels")


def aws_gpu(
    composition: Composition, *, region: Ref, gpu_type: Ref, machines: Mapping[str, str], size: Size, disk_gb: int = 100
) -> Template:
    """Add a GPU node group to the composition's EKS cluster; ``machines`` gives the machine of each value of ``gpu_type``."""
    taint = [{"key": GPU_TAINT, "value": "true", "effect": "NO_SCHEDULE"}]
    settings = {"amiType": "AL2023_x86_64_NVIDIA", "diskSize": disk_gb, "labels": dict(TRAINING), "taint": taint}
    group = _aws_group(composition, "node-pool", settings, region=region, size=size)
    group.patch(gpu_type, "spec.forProvider.instanceTypes[0]", t.map_(machines))
    return group.patch(gpu_type, "spec.forProvider.labels.gpu-type")


def aws(composition: Composition, name: str, *, region: Ref, machine: str, size: Size) -> Template:
    """Add a node group without GPUs."""
    settings = {"amiType": "AL2023_x86_64_STANDARD", "diskSize": 50, "instanceTypes": [machine]}
    return _aws_group(composition, name, settings, region=region, size=size)


def _aws_group(composition: Composition, name: str, settings: dict[str, Any], *, region: Ref, size: Size) -> Template:
    group = composition.add(
        name,
        managed(
            "eks.aws.upbound.io/v1beta2",
            "NodeGroup",
            {
                "clusterNameSelector": {"matchControllerRef": True},
                "nodeRoleArnSelector": {"matchControllerRef": True, "matchLabels": {"role": NODES}},
                "subnetIdSelector": {"matchControllerRef": True, "matchLabels": PRIVATE},
                "capacityType": "ON_DEMAND",
                "nodeRepairConfig": {"enabled": True},
                "updateConfig": {"maxUnavailable": 1},
                **settings,
            },
        ),
    ).named(f"%s-%s-{name.removesuffix('-pool')}")
    group.patch(region, "spec.forProvider.region")
    group.put(size.least, "spec.forProvider.scalingConfig.minSize")
    group.put(size.most, "spec.forProvider.scalingConfig.maxSize")
    # at creation only: afterwards the autoscaler says how many there are
    group.put(size.first, "spec.initProvider.scalingConfig.desiredSize")
    return owned(group, "spec.forProvider.tags")


def azure_gpu(composition: Composition, *, gpu_type: Ref, machines: Mapping[str, str], size: Size, disk_gb: int = 100) -> Template:
    """Add a GPU node pool to the composition's AKS cluster; ``machines`` gives the machine of each value of ``gpu_type``."""
    body = managed(
        "containerservice.azure.upbound.io/v1beta2",
        "KubernetesClusterNodePool",
        {
            "kubernetesClusterIdSelector": {"matchControllerRef": True},
            "vnetSubnetIdSelector": {"matchControllerRef": True},
            "mode": "User",
            "autoScalingEnabled": True,
            "osDiskSizeGb": disk_gb,
            "nodeLabels": dict(TRAINING),
            "nodeTaints": [f"{GPU_TAINT}=true:NoSchedule"],
            "upgradeSettings": {"maxSurge": "10%"},
            "temporaryNameForRotation": "gputmp",
        },
    )
    # names of pools have at most 12 letters and digits, and are unique in their cluster only
    body["metadata"] = {"annotations": {"crossplane.io/external-name": "gpu"}}
    pool = composition.add("node-pool", body).named("%s-%s-gpu")
    pool.put(size.least, "spec.forProvider.minCount")
    pool.put(size.most, "spec.forProvider.maxCount")
    # at creation only: afterwards the autoscaler says how many there are
    pool.put(size.first, "spec.initProvider.nodeCount")
    pool.patch(gpu_type, "spec.forProvider.vmSize", t.map_(machines))
    pool.patch(gpu_type, "spec.forProvider.nodeLabels.gpu-type")
    return owned(pool, "spec.forProvider.tags")
