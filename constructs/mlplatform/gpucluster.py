"""GPUCluster: a Kubernetes cluster with an autoscaled GPU node pool and a bucket for what trainings leave behind."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from mlplatform import gpuplatform
from mlplatform.blocks.nodepool import Size
from mlplatform.core import Api, Composition, Environment, Folder, Model, Rule
from mlplatform.environments import AWS, AZURE, GCP
from mlplatform.gpuplatform import CONNECTION_KEYS, RUNBOOK, GpuPlatformStatus, GpuType


class GPUClusterParameters(Model):
    """What a team chooses."""

    rules = (
        Rule("self.minNodes <= self.maxNodes", "minNodes must not be greater than maxNodes"),
        Rule("self.name == oldSelf.name", "name cannot be changed: the cluster would be made anew, without what runs on it"),
        Rule("self.region == oldSelf.region", "region cannot be changed: the cluster would be made anew, without what runs on it"),
    )

    name: Annotated[str, Field(min_length=1, max_length=30, pattern="^[a-z]([-a-z0-9]*[a-z0-9])?$")]
    """Name of the cluster; what it makes in the cloud begins with it."""
    region: Annotated[str, Field(pattern="^[a-z][a-z0-9-]*$", max_length=40)] = "us-central1"
    """Region of the cloud; another cloud's region stands for the nearest one."""
    gpu_type: GpuType = "t4"
    """GPU of each node: t4 for inference and small trainings, v100 and a100 for larger ones."""
    min_nodes: Annotated[int, Field(ge=0, le=1000)] = 0
    """Nodes that run even when nothing needs them; 0 costs nothing while idle."""
    max_nodes: Annotated[int, Field(ge=1, le=1000)] = 10
    """Nodes that may run at once; the bound of what the cluster can cost."""


class GPUClusterSpec(Model):
    """A Kubernetes cluster with GPU nodes that come and go, and a bucket for what trainings leave behind."""

    parameters: GPUClusterParameters


GPU_CLUSTER = Api(
    group="ml.hinterbuild.com",
    kind="GPUCluster",
    claim_kind="GPUClusterClaim",
    spec_model=GPUClusterSpec,
    status_model=GpuPlatformStatus,
    short_names=("gpuc",),
    categories=("platform", "ml"),
    connection_keys=CONNECTION_KEYS,
    columns=lambda api: {
        "GPU": api.spec.parameters.gpu_type,
        "Max": api.spec.parameters.max_nodes,
        "Region": api.spec.parameters.region,
        "Endpoint": api.status.endpoint,
    },
    default_composition="gpu-cluster-gcp",
    stateful=True,
    runbook=RUNBOOK,
)


def gpu_cluster_gcp(folder: Folder) -> Composition:
    """Make it on Google Cloud; see ``gpuplatform.gcp``."""
    composition = _composition(folder, "gcp", GCP)
    gpuplatform.gcp(composition, WANTED)
    return composition


def gpu_cluster_aws(folder: Folder) -> Composition:
    """Make it on AWS; see ``gpuplatform.aws``."""
    composition = _composition(folder, "aws", AWS)
    gpuplatform.aws(composition, WANTED)
    return composition


def gpu_cluster_azure(folder: Folder) -> Composition:
    """Make it on Azure; see ``gpuplatform.azure``."""
    composition = _composition(folder, "azure", AZURE)
    gpuplatform.azure(composition, WANTED)
    return composition


_PARAMETERS = GPU_CLUSTER.spec.parameters
WANTED = gpuplatform.Wanted(
    name=_PARAMETERS.name,
    region=_PARAMETERS.region,
    gpu_type=_PARAMETERS.gpu_type,
    size=Size(_PARAMETERS.min_nodes, _PARAMETERS.min_nodes, _PARAMETERS.max_nodes),
    status=GPU_CLUSTER.status,
    delete_after_days=90,
)


def _composition(folder: Folder, provider: str, environment: Environment[Any]) -> Composition:
    return Composition(
        folder,
        f"gpu-cluster-{provider}",
        GPU_CLUSTER,
        provider=provider,
        named_by=GPU_CLUSTER.spec.parameters.name,
        labels={"cluster-type": "gpu", "tier": "standard"},
        environment=environment,
    )


APIS = (GPU_CLUSTER,)
COMPOSITIONS = (gpu_cluster_gcp, gpu_cluster_aws, gpu_cluster_azure)
