"""A cluster with GPU nodes and a bucket, on each cloud: what GPUCluster and MLPlatform are both made of.

The APIs differ in what a team chooses; each Composition brings that, and gets the parts, their connection details and their status here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mlplatform.blocks import bucket, cluster, identity, network, nodepool
from mlplatform.blocks.nodepool import Size
from mlplatform.blocks.protection import kept
from mlplatform.core import Composition, Model, Ref, Template
from mlplatform.environments import AWS, AZURE, GCP
from mlplatform.regions import Cloud, nearest

GpuType = Literal["t4", "v100", "a100"]

ACCELERATORS = {"t4": "nvidia-tesla-t4", "v100": "nvidia-tesla-v100", "a100": "nvidia-tesla-a100"}
MACHINES: dict[Cloud, dict[str, str]] = {
    "gcp": {"t4": "n1-standard-8", "v100": "n1-standard-8", "a100": "a2-highgpu-1g"},
    "aws": {"t4": "g4dn.xlarge", "v100": "p3.2xlarge", "a100": "p4d.24xlarge"},
    "azure": {"t4": "Standard_NC4as_T4_v3", "v100": "Standard_NC6s_v3", "a100": "Standard_NC24ads_A100_v4"},
}
"""The machine of each GPU type: one GPU, but for p4d.24xlarge, which has eight: AWS sells none with fewer A100."""

CONNECTION_KEYS = ("kubeconfig", "endpoint", "clusterName", "bucketUrl", "bucketKey")
"""Details of every such platform; ``bucketKey`` is there on Azure only, where it opens the storage account."""


RUNBOOK = {
    "`network` or `cluster` waits for more than 20 minutes": (
        "`kubectl get managed -l crossplane.io/composite=XR` shows what is not ready; `kubectl describe` says why: "
        "quota, permissions of the provider, or a region that the cloud does not have."
    ),
    "`nodePool` waits": (
        "The cloud has no such GPUs in the zone, or no quota for them (clouds start with a quota of 0): ask the cloud "
        "for quota of the machine type above."
    ),
    "No node starts for a training": (
        "The Pod needs the toleration `nvidia.com/gpu` and asks for `nvidia.com/gpu`. On AWS nothing scales by itself: "
        "install the cluster autoscaler as `kube-system/cluster-autoscaler`, its role is there."
    ),
    "`kubectl` does not reach the cluster": "Its API is on private networks only: go through the VPN, or from a machine in the network.",
}
"""What to do when a platform does not become ready."""


class GpuPlatformParts(Model):
    """How far each part is, in plain words."""

    network: str | None = None
    """The private network."""
    cluster: str | None = None
    """The Kubernetes cluster."""
    node_pool: str | None = None
    """The GPU nodes."""
    bucket: str | None = None
    """The bucket for artifacts."""


class GpuPlatformStatus(Model):
    """The platform that there is."""

    cluster_name: str | None = None
    """Name of the cluster in the cloud."""
    endpoint: str | None = None
    """Address of the cluster's API, reached from private networks only."""
    version: str | None = None
    """Kubernetes version of the control plane."""
    region: str | None = None
    """Region that it is in."""
    certificate: str | None = None
    """Certificate of the cluster's API (AWS)."""
    bucket_url: str | None = None
    """Address of the bucket for artifacts."""
    parts: GpuPlatformParts | None = None


@dataclass(frozen=True)
class Wanted:
    """What a Composition makes of its API's fields: references, or numbers that the platform fixes."""

    name: Ref
    region: Ref
    gpu_type: Ref
    size: Size
    status: Ref
    delete_after_days: int | None = None
    """Age at which artifacts are deleted; without it they are kept, and only their old versions go."""


def gcp(composition: Composition, wanted: Wanted) -> None:
    """Make it of GKE, a private network, a node account and a GCS bucket."""
    project, region = GCP.fields.project, _region(composition, wanted.region, GCP.fields.region, "gcp")
    _tell_network(network.gcp(composition, region=region), wanted.status)
    identity.gcp_node_account(composition, project=project)
    identity.gcp_bucket_access(composition, project=project)

    gke = cluster.gcp(composition, region=region, project=project)
    gke.report("status.atProvider.masterVersion", wanted.status.version)
    gke.report("spec.forProvider.location", wanted.status.region)
    gke.connection("kubeconfig", key="kubeconfig")
    _tell_cluster(gke, wanted.status, endpoint="status.atProvider.endpoint")

    pool = nodepool.gcp_gpu(
        composition,
        region=region,
        gpu_type=wanted.gpu_type,
        machines=MACHINES["gcp"],
        accelerators=ACCELERATORS,
        size=wanted.size,
    )
    _tell_pool(pool, wanted.status)
    # the cluster's own Pods (names, metrics) do not run on GPU nodes
    nodepool.gcp(composition, "system-pool", region=region, machine="e2-standard-4", nodes=1, most=3, spread=False)

    forever = wanted.delete_after_days is None
    artifacts = bucket.gcp(composition, region=region, versioned=forever, delete_after_days=wanted.delete_after_days)
    artifacts.report("status.atProvider.url", wanted.status.bucket_url)
    artifacts.connection("bucketUrl", field="status.atProvider.url")
    _tell_bucket(artifacts, wanted)


def aws(composition: Composition, wanted: Wanted) -> None:
    """Make it of EKS, a VPC with private subnets, the roles that the cluster and its nodes act as, and an S3 bucket."""
    region, status = _region(composition, wanted.region, AWS.fields.region, "aws"), wanted.status
    _tell_network(network.aws(composition, region=region), status)
    identity.aws_node_role(composition)
    identity.aws_bucket_access(composition)

    eks = cluster.aws(composition, region=region, kubeconfig=(status.endpoint, status.certificate, status.cluster_name, status.region))
    eks.report("status.atProvider.certificateAuthority[0].data", status.certificate)
    eks.report("status.atProvider.version", status.version)
    eks.report("spec.forProvider.region", status.region)
    eks.connection("kubeconfig", field=f"metadata.annotations[{cluster.KUBECONFIG}]")
    _tell_cluster(eks, status, endpoint="status.atProvider.endpoint")

    pool = nodepool.aws_gpu(composition, region=region, gpu_type=wanted.gpu_type, machines=MACHINES["aws"], size=wanted.size)
    _tell_pool(pool, status)
    # the cluster's own Pods (names, metrics) do not run on GPU nodes
    nodepool.aws(composition, "system-pool", region=region, machine="m6i.large", size=Size(1, 2, 3))

    artifacts = bucket.aws(composition, region=region, delete_after_days=wanted.delete_after_days).named("%s-%s-artifacts")
    known = composition.identity
    https = bucket.AWS_HTTPS.replace("<bucket>", "%s-%s-artifacts")
    closed = bucket.aws_policy(composition, region=region)
    closed.combine(https, [known.name, known.hash, known.name, known.hash], "spec.forProvider.policy")
    artifacts.named("s3://%s-%s-artifacts", to=f"metadata.annotations[{_URL}]")
    artifacts.report(f"metadata.annotations[{_URL}]", status.bucket_url)
    artifacts.connection("bucketUrl", field=f"metadata.annotations[{_URL}]")
    _tell_bucket(artifacts, wanted)


def azure(composition: Composition, wanted: Wanted) -> None:
    """Make it of AKS, a virtual network, and a storage account with a container that only that network reaches."""
    region = _region(composition, wanted.region, AZURE.fields.region, "azure")
    _tell_network(network.azure(composition, region=region), wanted.status)

    aks = cluster.azure(composition, region=region)
    aks.report("status.atProvider.currentKubernetesVersion", wanted.status.version)
    aks.report("spec.forProvider.location", wanted.status.region)
    aks.connection("kubeconfig", key="kubeconfig")
    _tell_cluster(aks, wanted.status, endpoint="status.atProvider.privateFqdn")
    _tell_pool(nodepool.azure_gpu(composition, gpu_type=wanted.gpu_type, machines=MACHINES["azure"], size=wanted.size), wanted.status)

    artifacts = bucket.azure(composition, name=wanted.name, region=region, delete_after_days=wanted.delete_after_days)
    artifacts.report("status.atProvider.primaryBlobEndpoint", wanted.status.bucket_url)
    artifacts.connection("bucketUrl", field="status.atProvider.primaryBlobEndpoint")
    artifacts.connection("bucketKey", key="attribute.primary_access_key")
    _tell_bucket(artifacts, wanted)


_URL = "platform.acme.com/url"


def _region(composition: Composition, wanted: Ref, here: Ref, cloud: Cloud) -> Ref:
    """Return the installation's region, which the claim's, or the nearest to it on this cloud, replaces."""
    composition.into_environment(wanted, here, nearest(cloud))
    return here


def _tell_network(made: Template, status: Ref) -> None:
    made.say(status.parts.network, waiting="The network is being made.", done="The network is there.")


def _tell_cluster(made: Template, status: Ref, *, endpoint: str) -> None:
    made.report("metadata.name", status.cluster_name)
    made.report(endpoint, status.endpoint)
    made.connection("endpoint", field=endpoint)
    made.connection("clusterName", field="metadata.name")
    made.say(
        status.parts.cluster,
        waiting="The cluster is being made; this takes about ten minutes.",
        done="The cluster answers.",
        when=endpoint,
    )


def _tell_pool(made: Template, status: Ref) -> None:
    made.say(status.parts.node_pool, waiting="The GPU nodes wait for the cluster.", done="GPU nodes start when a training asks for them.")


def _tell_bucket(made: Template, wanted: Wanted) -> None:
    days = wanted.delete_after_days
    kept(made)
    until = f"what is in it is deleted after {days} days" if days else "it keeps old versions for 90 days"
    made.say(wanted.status.parts.bucket, waiting="The bucket is being made.", done=f"The bucket is there; {until}.")
