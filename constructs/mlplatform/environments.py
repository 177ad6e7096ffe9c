"""What an installation of the platform must know of its clouds; ``apps/platform.py`` gives the values."""

from __future__ import annotations

from mlplatform.core import Environment, Model


class ClusterEnvironment(Model):
    """The cluster that the platform runs on, whatever cloud it is in."""

    monitoring_namespace: str
    """Namespace of Prometheus."""
    secret_store: str
    """ClusterSecretStore that ExternalSecrets read."""


class ServingEnvironment(ClusterEnvironment):
    """The cluster that serves models."""

    api_host: str
    """Host name under which models are called."""
    gateway_namespace: str
    """Namespace of the Kong gateway, the only one that may call the servers."""


class GcpEnvironment(ServingEnvironment):
    """A Google Cloud project that holds the platform's resources, with the GKE cluster that Crossplane runs in."""

    project: str
    """Id of the project."""
    region: str
    """Region of the cluster and of what no claim gives a region for."""
    network: str
    """Network of the cluster (projects/…/global/networks/…); databases get their private addresses from its peering with Google."""
    gcloud_image: str
    """Image with the Google Cloud command line, for copy jobs."""


class AwsEnvironment(ServingEnvironment):
    """An AWS account with the EKS cluster that serves models."""

    region: str
    """Region of the cluster, of what is made for it, and of what no claim gives a region for."""
    oidc_provider_arn: str
    """ARN of the cluster's OIDC provider in IAM."""
    oidc_issuer: str
    """Issuer of the cluster's tokens, without https://."""
    vpc_id: str
    """Network of the cluster."""
    private_subnet_ids: list[str]
    """Its private subnets, in different zones."""
    node_security_group_id: str
    """Security group of the nodes."""
    artifact_buckets: str
    """Pattern of the buckets that models may be copied from; others stay closed, whatever a claim says."""
    aws_cli_image: str
    """Image with the AWS command line, for copy jobs."""


class AzureEnvironment(Model):
    """An Azure subscription that holds the platform's resources."""

    region: str
    """Region of what no claim gives a region for."""


CLUSTER = Environment("platform-cluster", "cluster", ClusterEnvironment)
GCP = Environment("platform-gcp", "gcp", GcpEnvironment)
AZURE = Environment("platform-azure", "azure", AzureEnvironment)
AWS = Environment("platform-aws", "aws", AwsEnvironment)
