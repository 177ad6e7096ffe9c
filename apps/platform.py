"""What this platform offers, to whom, and where it runs."""

from __future__ import annotations

from pathlib import Path

from apps import gitops
from apps.teams import TEAMS

from mlplatform import modelservice
from mlplatform.core import Definition, Platform, written_claims
from mlplatform.environments import AWS, AZURE, CLUSTER, GCP, AwsEnvironment, AzureEnvironment, ClusterEnvironment, GcpEnvironment
from mlplatform.gpucluster import GPU_CLUSTER, gpu_cluster_aws, gpu_cluster_azure, gpu_cluster_gcp
from mlplatform.mlenvironment import ML_ENVIRONMENT, ml_env_dev, ml_env_prod
from mlplatform.mlplatform import ML_PLATFORM, ml_platform_aws, ml_platform_azure, ml_platform_gcp
from mlplatform.modelregistry import MODEL_REGISTRY, mlflow_platform
from mlplatform.observabilitystack import OBSERVABILITY_STACK, ml_observability
from mlplatform.privateservices import private_services
from mlplatform.storageclass import storage_class
from mlplatform.vectordatabase import VECTOR_DATABASE, weaviate_gcp

APIS = (
    GPU_CLUSTER,
    VECTOR_DATABASE,
    MODEL_REGISTRY,
    OBSERVABILITY_STACK,
    ML_ENVIRONMENT,
    ML_PLATFORM,
    modelservice.MODEL_SERVICE,
    modelservice.MODEL_SERVICE_OPTION,
)
COMPOSITIONS = (
    gpu_cluster_gcp,
    gpu_cluster_aws,
    gpu_cluster_azure,
    weaviate_gcp,
    mlflow_platform,
    ml_observability,
    ml_env_dev,
    ml_env_prod,
    ml_platform_gcp,
    ml_platform_aws,
    ml_platform_azure,
    *modelservice.COMPOSITIONS,
)

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
