"""MLEnvironment: a Kubernetes cluster without GPUs, small for development, large and protected for production."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from mlplatform.blocks import cluster, identity, network, nodepool
from mlplatform.blocks.protection import KEEP
from mlplatform.core import Api, Composition, Folder, Model, Rule, Template
from mlplatform.environments import GCP


class MLEnvironmentParameters(Model):
    """What a team chooses."""

    rules = (
        Rule("self.name == oldSelf.name", "name cannot be changed: the cluster would be made anew, without what runs on it"),
        Rule("self.region == oldSelf.region", "region cannot be changed: the cluster would be made anew, without what runs on it"),
    )

    name: Annotated[str, Field(min_length=1, max_length=30, pattern="^[a-z]([-a-z0-9]*[a-z0-9])?$")]
    """Name of the environment; what it makes in the cloud begins with it."""
    region: Annotated[str, Field(pattern="^[a-z][a-z0-9-]*$", max_length=40)] = "us-central1"
    """Region of Google Cloud."""


class MLEnvironmentSpec(Model):
    """A Kubernetes cluster without GPUs: small for development, large and protected for production."""

    parameters: MLEnvironmentParameters


class MLEnvironmentParts(Model):
    """How far each part is, in plain words."""

    network: str | None = None
    """The private network."""
    cluster: str | None = None
    """The Kubernetes cluster."""
    nodes: str | None = None
    """The nodes."""


class MLEnvironmentStatus(Model):
    """The environment that there is."""

    cluster_name: str | None = None
    """Name of the cluster in the cloud."""
    endpoint: str | None = None
    """Address of the cluster's API, reached from private networks only."""
    version: str | None = None
    """Kubernetes version of the control plane."""
    environment: str | None = None
    """What it is for: development or production."""
    parts: MLEnvironmentParts | None = None


ML_ENVIRONMENT = Api(
    group="ml.hinterbuild.com",
    kind="MLEnvironment",
    claim_kind="MLEnvironmentClaim",
    spec_model=MLEnvironmentSpec,
    status_model=MLEnvironmentStatus,
    short_names=("mlenv",),
    categories=("platform", "ml"),
    connection_keys=("kubeconfig", "endpoint", "clusterName"),
    columns=lambda api: {
        "Environment": api.status.environment,
        "Region": api.spec.parameters.region,
        "Endpoint": api.status.endpoint,
    },
    default_composition="ml-env-dev",
    stateful=True,
    runbook={
        "`cluster` waits for more than 20 minutes": (
            "`kubectl describe cluster.container.gcp.upbound.io`: quota of addresses or CPUs in the region."
        ),
        "`nodes` waits": (
            "`kubectl describe nodepool`: *ZONE_RESOURCE_POOL_EXHAUSTED* means that the zone has no such machines; they come when it has."
        ),
        "Deleting a production environment": (
            "It is protected twice: the cluster by Google and by its management policies. Whoever means it takes "
            "`deletionProtection` away in the cloud and deletes it there."
        ),
    },
)


def ml_env_dev(folder: Folder) -> Composition:
    """Make one small node, and nothing that keeps it from being deleted."""
    composition, _ = _environment(folder, "ml-env-dev", "dev", machine="n1-standard-4", nodes=1, spread=False)
    return composition


def ml_env_prod(folder: Folder) -> Composition:
    """Make three large nodes in different zones, and a cluster that the cloud refuses to delete."""
    composition, gke = _environment(folder, "ml-env-prod", "production", machine="n1-standard-16", nodes=3, spread=True)
    gke.put(True, "spec.forProvider.deletionProtection")
    gke.base["spec"]["managementPolicies"] = list(KEEP)
    return composition


def _environment(folder: Folder, name: str, environment: str, *, machine: str, nodes: int, spread: bool) -> tuple[Composition, Template]:
    """Make a private GKE cluster with a pool of ``nodes``; return it too."""
    parameters, status, project = ML_ENVIRONMENT.spec.parameters, ML_ENVIRONMENT.status, GCP.fields.project
    composition = Composition(
        folder,
        name,
        ML_ENVIRONMENT,
        provider="gcp",
        named_by=parameters.name,
        labels={"environment": environment},
        environment=GCP,
    )
    vpc = network.gcp(composition, region=parameters.region)
    vpc.say(status.parts.network, waiting="The network is being made.", done="The network is there.")
    identity.gcp_node_account(composition, project=project)

    gke = cluster.gcp(composition, region=parameters.region, project=project, protected=False)
    gke.put(environment, "spec.forProvider.resourceLabels.environment")
    gke.report("spec.forProvider.resourceLabels.environment", status.environment)
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
    pool = nodepool.gcp(composition, "node-pool", region=parameters.region, machine=machine, nodes=nodes, spread=spread)
    pool.say(status.parts.nodes, waiting="The nodes wait for the cluster.", done="The nodes are there.")
    return composition, gke


APIS = (ML_ENVIRONMENT,)
COMPOSITIONS = (ml_env_dev, ml_env_prod)
