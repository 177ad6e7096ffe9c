"""What this platform offers, to whom, and where it runs."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from apps import gitops
from apps.teams import TEAMS

from mlplatform.core import Definition, Platform, written_claims
from mlplatform.environments import AWS, AZURE, CLUSTER, GCP, AwsEnvironment, AzureEnvironment, ClusterEnvironment, GcpEnvironment
from mlplatform.privateservices import private_services
from mlplatform.storageclass import storage_class

OFFERED = (
    "gpucluster",
    "vectordatabase",
    "modelregistry",
    "observabilitystack",
    "mlenvironment",
    "mlplatform",
    "modelservice",
)
"""The modules of ``mlplatform`` whose APIs this platform offers, in the order of the catalogue."""

_MODULES = [import_module(f"mlplatform.{name}") for name in OFFERED]
APIS = tuple(api for module in _MODULES for api in module.APIS)
COMPOSITIONS = tuple(composition for module in _MODULES for composition in module.COMPOSITIONS)

CLAIMS = Path("apps/claims")


def build() -> Platform:
    """Put the whole platform together, in sync order."""
    platform = Platform()
    definitions = platform.folder("10-xrds")
    for api in APIS:
        Definition(definitions, api)

    environments = platform.folder("15-environments")
    cluster = ClusterEnvironment(monitoring_namespace="monitoring", secret_store="platform")  # noqa: S106 - a name
    CLUSTER.config(environments, cluster)
    google = GcpEnvironment(
        **cluster.model_dump(),
        api_host="models.acme.com",
        gateway_namespace="kong",
        project="acme-ml-platform",
        region="us-central1",
        network="projects/acme-ml-platform/global/networks/platform",
        gcloud_image="registry.acme.com/mirror/google-cloud-cli:529.0.0",
    )
    GCP.config(environments, google)
    AZURE.config(environments, AzureEnvironment(region="germanywestcentral"))
    shared = platform.folder("16-network")
    private_services(shared, google)
    storage_class(shared)
    AWS.config(
        environments,
        AwsEnvironment(
            api_host="models.acme.com",
            gateway_namespace="kong",
            **cluster.model_dump(),
            region="eu-central-1",
            oidc_provider_arn="arn:aws:iam::111122223333:oidc-provider/oidc.eks.eu-central-1.amazonaws.com/id/EXAMPLED539D4633E53DE1B71EXAMPLE",
            oidc_issuer="oidc.eks.eu-central-1.amazonaws.com/id/EXAMPLED539D4633E53DE1B71EXAMPLE",
            vpc_id="vpc-0a1b2c3d4e5f60718",
            private_subnet_ids=["subnet-0a1b2c3d4e5f60711", "subnet-0a1b2c3d4e5f60712", "subnet-0a1b2c3d4e5f60713"],
            node_security_group_id="sg-0a1b2c3d4e5f60718",
            artifact_buckets="acme-models-*",
            aws_cli_image="registry.acme.com/mirror/aws-cli:2.17.0",
        ),
    )

    compositions = platform.folder("20-compositions")
    for composition in COMPOSITIONS:
        composition(compositions)

    by_claim_kind = {api.claim_kind: api for api in APIS if api.claim_kind}
    for module in TEAMS:
        team = module.TEAM
        team.add_to(platform.folder(f"30-teams/{team.name}"), APIS, repository=gitops.REPOSITORY.url)
        claims = platform.folder(f"40-claims/{team.name}")
        written_claims(claims, CLAIMS / team.name, by_claim_kind, namespace=team.namespace, labels=team.labels)
        module.claims(claims)
    gitops.add(platform, APIS, [module.TEAM.name for module in TEAMS])
    return platform
