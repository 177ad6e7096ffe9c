"""GPUCluster: a Kubernetes cluster with an autoscaled GPU node pool and a bucket for what trainings leave behind."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from mlplatform.blocks import bucket, cluster, identity, network, nodepool
from mlplatform.core import Api, Composition, Folder, Model, Rule
from mlplatform.environments import GCP

GpuType = Literal["t4", "v100", "a100"]


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
    """Region of the cloud."""
    gpu_type: GpuType = "t4"
    """GPU of each node: t4 for inference and small trainings, v100 and a100 for larger ones."""
    min_nodes: Annotated[int, Field(ge=0, le=1000)] = 0
    """Nodes that run even when nothing needs them; 0 costs nothing while idle."""
    max_nodes: Annotated[int, Field(ge=1, le=1000)] = 10
    """Nodes that may run at once; the bound of what the cluster can cost."""


class GPUClusterSpec(Model):
    """The cluster that is wanted."""

    parameters: GPUClusterParameters


class GPUClusterParts(Model):
    """How far each part is, in plain words."""

    network: str | None = None
    """The private network."""
    cluster: str | None = None
    """The Kubernetes cluster."""
    node_pool: str | None = None
    """The GPU nodes."""
    bucket: str | None = None
    """The bucket for artifacts."""


class GPUClusterStatus(Model):
    """The cluster that there is."""

    cluster_name: str | None = None
    """Name of the cluster in the cloud."""
    endpoint: str | None = None
    """Address of the cluster's API."""
    version: str | None = None
    """Kubernetes version of the control plane."""
    bucket_url: str | None = None
    """Address of the bucket for artifacts."""
    parts: GPUClusterParts | None = None


GPU_CLUSTER = Api(
    group="ml.hinterbuild.com",
    kind="GPUCluster",
    claim_kind="GPUClusterClaim",
    spec_model=GPUClusterSpec,
    status_model=GPUClusterStatus,
    short_names=("gpuc",),
    categories=("platform", "ml"),
    connection_keys=("kubeconfig", "endpoint", "clusterName", "bucketUrl"),
    columns=lambda api: {
        "GPU": api.spec.parameters.gpu_type,
        "Max": api.spec.parameters.max_nodes,
        "Region": api.spec.parameters.region,
        "Endpoint": api.status.endpoint,
    },
    default_composition="gpu-cluster-gcp",
    stateful=True,
)


def gpu_cluster_gcp(folder: Folder) -> Composition:
    """Make it of GKE, a private network, a node account and a GCS bucket."""
    parameters, status = GPU_CLUSTER.spec.parameters, GPU_CLUSTER.status
    composition = Composition(
        folder,
        "gpu-cluster-gcp",
        GPU_CLUSTER,
        provider="gcp",
        named_by=parameters.name,
        labels={"cluster-type": "gpu", "tier": "standard"},
        environment=GCP,
    )
    project, region = GCP.fields.project, parameters.region

    vpc = network.gcp(composition, region=region)
    vpc.say(status.parts.network, waiting="The network is being made.", done="The network is there.")

    identity.gcp_node_account(composition, project=project)
    identity.gcp_bucket_access(composition, project=project)

    gke = cluster.gcp(composition, region=region, project=project)
    gke.report("metadata.name", status.cluster_name)
    gke.report("status.atProvider.endpoint", status.endpoint)
    gke.report("status.atProvider.masterVersion", status.version)
    gke.connection("kubeconfig", key="kubeconfig")
    gke.connection("endpoint", field="status.atProvider.endpoint")
    gke.connection("clusterName", field="metadata.name")
    gke.say(
        status.parts.cluster,
        waiting="The cluster is being made; this takes about ten minutes.",
        done="The cluster answers.",
        when="status.atProvider.endpoint",
    )

    pool = nodepool.gcp_gpu(
        composition,
        region=region,
        gpu_type=parameters.gpu_type,
        machines={"t4": "n1-standard-8", "v100": "n1-standard-8", "a100": "a2-highgpu-1g"},
        accelerators={"t4": "nvidia-tesla-t4", "v100": "nvidia-tesla-v100", "a100": "nvidia-tesla-a100"},
        min_nodes=parameters.min_nodes,
        max_nodes=parameters.max_nodes,
    )
    pool.say(status.parts.node_pool, waiting="The GPU nodes wait for the cluster.", done="GPU nodes start when a training asks for them.")

    artifacts = bucket.gcp(composition, region=region, delete_after_days=90)
    artifacts.report("status.atProvider.url", status.bucket_url)
    artifacts.connection("bucketUrl", field="status.atProvider.url")
    artifacts.say(
        status.parts.bucket, waiting="The bucket is being made.", done="The bucket is there; what is in it is deleted after 90 days."
    )
    return composition
