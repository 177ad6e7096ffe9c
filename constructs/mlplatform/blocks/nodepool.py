"""Pools of nodes, with and without GPUs."""

from __future__ import annotations

from collections.abc import Mapping

from mlplatform.core import Composition, Ref, Template
from mlplatform.core import transforms as t

from .managed import managed, owned

GPU_TAINT = "nvidia.com/gpu"
"""Keeps what needs no GPU off the nodes that have one."""


def gcp_gpu(
    composition: Composition,
    *,
    region: Ref,
    gpu_type: Ref,
    machines: Mapping[str, str],
    accelerators: Mapping[str, str],
    min_nodes: Ref,
    max_nodes: Ref,
    disk_gb: int = 100,
) -> Template:
    """Add a GPU node pool to the composition's GKE cluster.

    ``machines`` and ``accelerators`` give the machine type and the accelerator of each value of ``gpu_type``; each node has one GPU.
    """
    pool = composition.add(
        "node-pool",
        managed(
            "container.gcp.upbound.io/v1beta2",
            "NodePool",
            {
                "clusterSelector": {"matchControllerRef": True},
                "management": {"autoRepair": True, "autoUpgrade": True},
                "nodeConfig": {
                    "diskSizeGb": disk_gb,
                    "diskType": "pd-balanced",
                    "guestAccelerator": [{"count": 1, "gpuDriverInstallationConfig": {"gpuDriverVersion": "DEFAULT"}}],
                    "labels": {"workload-type": "ml-training"},
                    "metadata": {"disable-legacy-endpoints": "true"},
                    "oauthScopes": ["https://www.googleapis.com/auth/cloud-platform"],
                    "serviceAccountSelector": {"matchControllerRef": True},
                    "shieldedInstanceConfig": {"enableIntegrityMonitoring": True, "enableSecureBoot": True},
                    "taint": [{"key": GPU_TAINT, "value": "true", "effect": "NO_SCHEDULE"}],
                    "workloadMetadataConfig": {"mode": "GKE_METADATA"},
                },
            },
        ),
    ).named()
    pool.patch(region, "spec.forProvider.location")
    # GKE counts nodes per zone: in one zone the bounds are those of the pool, as the claim means them
    pool.patch(region, "spec.forProvider.nodeLocations[0]", t.fmt("%s-b"))
    pool.patch(min_nodes, "spec.forProvider.autoscaling.minNodeCount")
    pool.patch(max_nodes, "spec.forProvider.autoscaling.maxNodeCount")
    # read at creation only: the cloud would make the pool anew for another number
    pool.patch(min_nodes, "spec.initProvider.initialNodeCount")
    pool.patch(gpu_type, "spec.forProvider.nodeConfig.machineType", t.map_(machines))
    pool.patch(gpu_type, "spec.forProvider.nodeConfig.guestAccelerator[0].type", t.map_(accelerators))
    pool.patch(gpu_type, "spec.forProvider.nodeConfig.labels.gpu-type")
    return owned(pool, "spec.forProvider.nodeConfig.resourceLabels")
