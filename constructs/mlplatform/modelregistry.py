"""ModelRegistry: MLflow with its runs in PostgreSQL and its models in a bucket."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from mlplatform.blocks import bucket, database, helm, identity, podidentity
from mlplatform.blocks.externalsecret import external_secret, published
from mlplatform.blocks.kubernetes import MADE
from mlplatform.blocks.namespace import NAME, guarded, in_own_namespace, own_namespace
from mlplatform.blocks.protection import kept
from mlplatform.core import Api, Composition, Folder, Model, Rule, Template
from mlplatform.environments import GCP

MLFLOW = helm.Chart("mlflow", "https://community-charts.github.io/helm-charts", "0.7.19")

ACCOUNT = "mlflow"
"""Name of the database, of its user, of the service account, and of all that the chart makes."""

AUTH, PASSWORD = "mlflow-auth", "mlflow-database"
USERNAME_KEY, PASSWORD_KEY = "MLFLOW_TRACKING_USERNAME", "MLFLOW_TRACKING_PASSWORD"


class ModelRegistryParameters(Model):
    """What a team chooses."""

    rules = (
        Rule("self.name == oldSelf.name", "name cannot be changed: the registry would be made anew, without what is in it"),
        Rule("self.region == oldSelf.region", "region cannot be changed: the registry would be made anew, without what is in it"),
    )

    name: Annotated[str, Field(min_length=1, max_length=30, pattern="^[a-z]([-a-z0-9]*[a-z0-9])?$")]
    """Name of the registry; what it makes begins with it."""
    region: Annotated[str, Field(pattern="^[a-z][a-z0-9-]*$", max_length=40)] = "us-central1"
    """Region of the database and the bucket."""


class ModelRegistrySpec(Model):
    """MLflow, with its runs in PostgreSQL and its models in a bucket."""

    parameters: ModelRegistryParameters


class ModelRegistryParts(Model):
    """How far each part is, in plain words."""

    namespace: str | None = None
    """The namespace."""
    database: str | None = None
    """The PostgreSQL that runs and models are recorded in."""
    bucket: str | None = None
    """The bucket that models are kept in."""
    login: str | None = None
    """User and password."""
    mlflow: str | None = None
    """The server."""


class ModelRegistryStatus(Model):
    """The registry that there is."""

    tracking_uri: str | None = None
    """Address of the server inside the cluster."""
    namespace: str | None = None
    """Namespace that it runs in."""
    bucket_name: str | None = None
    """Bucket that models are kept in."""
    bucket_url: str | None = None
    """Its address."""
    database_host: str | None = None
    """Private address of the PostgreSQL."""
    parts: ModelRegistryParts | None = None


MODEL_REGISTRY = Api(
    group="ml.hinterbuild.com",
    kind="ModelRegistry",
    claim_kind="ModelRegistryClaim",
    plural="modelregistries",
    spec_model=ModelRegistrySpec,
    status_model=ModelRegistryStatus,
    short_names=("mreg",),
    categories=("platform", "ml"),
    connection_keys=("trackingUri", "username", "password", "bucketUrl"),
    columns=lambda api: {
        "Region": api.spec.parameters.region,
        "Tracking": api.status.tracking_uri,
        "Bucket": api.status.bucket_name,
    },
    default_composition="mlflow-platform",
    stateful=True,
    runbook={
        "`login` waits for the secret store": "Write `username`, `password` and `database-password` under the path above.",
        "`mlflow` says nothing": "The release waits for the database's address: look at `database` first.",
        "`mlflow` waits": (
            "`kubectl logs -n NAMESPACE deploy/mlflow -c dbchecker`: the database is not reached; `-c mlflow-db-migration`: "
            "user or password is wrong, compare the store with the User of Cloud SQL."
        ),
        "Clients cannot write models": (
            "`kubectl logs -n NAMESPACE deploy/mlflow`: 403 from storage means that Workload Identity is off on the "
            "cluster, or the BucketIAMMember is not ready."
        ),
        "Clients are refused": (
            "Only the team's own namespace and Prometheus reach the server; other namespaces need a NetworkPolicy of the platform team."
        ),
    },
)

_URI = "platform.acme.com/tracking-uri"


def mlflow_platform(folder: Folder) -> Composition:
    """Make it of a Helm release, a Cloud SQL instance on the cluster's network, and a GCS bucket that only the server writes."""
    parameters, status, cloud = MODEL_REGISTRY.spec.parameters, MODEL_REGISTRY.status, GCP.fields
    composition = Composition(folder, "mlflow-platform", MODEL_REGISTRY, provider="gcp", named_by=parameters.name, environment=GCP)
    known = composition.identity

    namespace = own_namespace(composition)
    namespace.report("spec.forProvider.manifest.metadata.name", status.namespace)
    namespace.say(status.parts.namespace, waiting="The namespace is being made.", done="The namespace is there.", when=MADE)
    guarded(composition, monitoring=cloud.monitoring_namespace)

    login = external_secret(
        composition,
        "login",
        target=AUTH,
        keys={USERNAME_KEY: "username", PASSWORD_KEY: "password"},
        store=cloud.secret_store,
    )
    in_own_namespace(login)
    published(login, AUTH, {USERNAME_KEY: "username", PASSWORD_KEY: "password"}, NAME)
    login.say(
        status.parts.login,
        waiting="User and password are not in the secret store yet; see the runbook.",
        done="User and password are in the connection secret.",
        when="status.atProvider.manifest.status.refreshTime",
    )
    password = external_secret(
        composition, "database-password", target=PASSWORD, keys={database.PASSWORD: "database-password"}, store=cloud.secret_store
    )
    in_own_namespace(password)

    postgres = database.gcp_postgres(
        composition,
        region=parameters.region,
        network=cloud.network,
        tier="db-custom-4-16384",
        disk_gb=100,
        backup_at="03:00",
        point_in_time=True,
        database=ACCOUNT,
        suffix="mlflow",
        secret=PASSWORD,
        secret_namespace=NAME,
    )
    postgres.report("status.atProvider.privateIpAddress", status.database_host)
    postgres.say(
        status.parts.database,
        waiting="The PostgreSQL is being made; this takes about ten minutes.",
        done="The PostgreSQL answers, on its private address only.",
        when="status.atProvider.privateIpAddress",
    )

    artifacts = bucket.gcp(composition, region=parameters.region, versioned=True, nearline_after_days=30, delete_after_days=365)
    kept(artifacts)
    artifacts.report("metadata.name", status.bucket_name)
    artifacts.report("status.atProvider.url", status.bucket_url)
    artifacts.connection("bucketUrl", field="status.atProvider.url")
    artifacts.say(status.parts.bucket, waiting="The bucket is being made.", done="The bucket is there; models are deleted after a year.")
    podidentity.gcp(composition, pods=f"{NAME}/{ACCOUNT}", sources=[known.name, known.hash], project=cloud.project, prefix=ACCOUNT)
    identity.gcp_bucket_access(composition, project=cloud.project, prefix=ACCOUNT)

    server = helm.release(composition, "mlflow", MLFLOW, _values()).named("%s-%s-mlflow")
    server.named(NAME, to="spec.forProvider.namespace")
    _set_from_secret(server, "backendStore.postgres.password", PASSWORD, database.PASSWORD)
    server.patch(status.database_host, f"{helm.VALUES}.backendStore.postgres.host", required=True)
    server.named("%s-%s-artifacts", to=f"{helm.VALUES}.artifactRoot.gcs.bucket")
    account = f"{helm.VALUES}.serviceAccount.annotations[{podidentity.GOOGLE_ACCOUNT}]"
    podidentity.gcp_account(server, project=cloud.project, prefix=ACCOUNT, to=account)
    server.named(f"http://{ACCOUNT}.{NAME}.svc.cluster.local:5000", to=f"metadata.annotations[{_URI}]")
    server.report(f"metadata.annotations[{_URI}]", status.tracking_uri)
    server.connection("trackingUri", field=f"metadata.annotations[{_URI}]")
    server.say(
        status.parts.mlflow,
        waiting="The server starts: it waits for its database and makes its tables.",
        done="The server answers.",
        when=helm.DEPLOYED,
    )
    return composition


def _set_from_secret(server: Template, value: str, secret: str, key: str) -> None:
    """Take a value of the chart from a Secret in the registry's namespace; the provider reads it, no manifest holds it."""
    reference = {"name": secret, "key": key}
    server.base["spec"]["forProvider"]["set"] = [{"name": value, "valueFrom": {"secretKeyRef": reference}}]
    server.named(NAME, to="spec.forProvider.set[0].valueFrom.secretKeyRef.namespace")


def _values() -> dict[str, Any]:
    """Return the chart's values; what the database's address and the bucket's name are is patched in."""
    return {
        "fullnameOverride": ACCOUNT,
        "resources": {"requests": {"cpu": "1", "memory": "2Gi"}, "limits": {"cpu": "2", "memory": "4Gi"}},
        "serviceAccount": {"create": True, "name": ACCOUNT},
        "service": {"type": "ClusterIP"},
        "backendStore": {
            "databaseMigration": True,
            "databaseConnectionCheck": True,
            "postgres": {"enabled": True, "port": database.PORT, "database": ACCOUNT, "user": ACCOUNT},
        },
        # clients send models to the server, which alone may write the bucket
        "artifactRoot": {"proxiedArtifactStorage": True, "gcs": {"enabled": True, "path": "artifacts"}},
        "extraSecretNamesForEnvFrom": [AUTH],
        "extraEnvVars": {"HOME": "/tmp"},  # noqa: S108 - the user has no other
        "podSecurityContext": {"runAsNonRoot": True, "runAsUser": 1001, "runAsGroup": 1001, "fsGroup": 1001},
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
    }


APIS = (MODEL_REGISTRY,)
COMPOSITIONS = (mlflow_platform,)
