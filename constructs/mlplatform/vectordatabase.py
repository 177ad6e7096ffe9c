"""VectorDatabase: Weaviate in a namespace of its own, with a PostgreSQL beside it for metadata."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from mlplatform.blocks import database, helm
from mlplatform.blocks.externalsecret import external_secret, published
from mlplatform.blocks.kubernetes import MADE
from mlplatform.blocks.namespace import NAME, guarded, in_own_namespace, own_namespace
from mlplatform.core import Api, Composition, Folder, Model, Rule
from mlplatform.environments import GCP
from mlplatform.storageclass import SSD

WEAVIATE = helm.Chart("weaviate", "https://weaviate.github.io/weaviate-helm", "16.8.0")

METADATA = "metadata"
"""Name of the database, and of its user."""

KEYS, KEY = "weaviate-api-keys", "AUTHENTICATION_APIKEY_ALLOWED_KEYS"
"""Secret of the key that clients show, and its key there: Weaviate reads the variable of that name."""

PASSWORD = "metadata-database"  # noqa: S105 - the name of a Secret


class VectorDatabaseParameters(Model):
    """What a team chooses."""

    rules = (Rule("self.name == oldSelf.name", "name cannot be changed: the database would be made anew, without what is in it"),)

    name: Annotated[str, Field(min_length=1, max_length=30, pattern="^[a-z]([-a-z0-9]*[a-z0-9])?$")]
    """Name of the database; what it makes begins with it."""
    replicas: Annotated[int, Field(ge=1, le=20)] = 3
    """Servers; from three on the loss of one is survived."""
    storage_size: Annotated[str, Field(pattern="^[1-9][0-9]{0,4}(Gi|Ti)$", max_length=10)] = "100Gi"
    """Disk of each server. It cannot be changed later: Kubernetes lets nobody resize the disks of a StatefulSet."""


class VectorDatabaseSpec(Model):
    """Weaviate, with a PostgreSQL beside it for metadata."""

    parameters: VectorDatabaseParameters


class VectorDatabaseParts(Model):
    """How far each part is, in plain words."""

    namespace: str | None = None
    """The namespace."""
    keys: str | None = None
    """The key that clients show."""
    weaviate: str | None = None
    """The servers."""
    metadata: str | None = None
    """The PostgreSQL for metadata."""


class VectorDatabaseStatus(Model):
    """The database that there is."""

    url: str | None = None
    """Address of the database inside the cluster."""
    namespace: str | None = None
    """Namespace that it runs in."""
    metadata_host: str | None = None
    """Private address of the PostgreSQL."""
    parts: VectorDatabaseParts | None = None


VECTOR_DATABASE = Api(
    group="ml.hinterbuild.com",
    kind="VectorDatabase",
    claim_kind="VectorDatabaseClaim",
    spec_model=VectorDatabaseSpec,
    status_model=VectorDatabaseStatus,
    short_names=("vecdb",),
    categories=("platform", "ml"),
    connection_keys=("url", "apiKey", "metadataHost", "metadataDatabase", "metadataUser", "metadataPassword"),
    columns=lambda api: {
        "Replicas": api.spec.parameters.replicas,
        "Storage": api.spec.parameters.storage_size,
        "URL": api.status.url,
    },
    default_composition="weaviate-gcp",
    stateful=True,
    runbook={
        "`keys` waits for the secret store": (
            "Write `api-key` and `metadata-password` under the path above; the ExternalSecret is read again within the "
            "hour, or at once: `kubectl annotate externalsecret -n NAMESPACE --all force-sync=$(date +%s) --overwrite`."
        ),
        "`metadata` waits for more than 20 minutes": (
            "`kubectl describe databaseinstance`: *private services access* means that the network's peering is missing, "
            "see `dist/16-network`."
        ),
        "`weaviate` waits": (
            "`kubectl get pods -n NAMESPACE`: *Pending* means that there is no storage class `ssd` or no room for 2 CPU and "
            "4Gi; `kubectl describe release` has Helm's last words."
        ),
        "Clients get 401": (
            "They send `Authorization: Bearer` with the key `apiKey` of the connection secret. 422 from a vectorizer: send "
            "the vendor's key along (`X-OpenAI-Api-Key`, `X-Cohere-Api-Key`)."
        ),
    },
)

_URL = "platform.acme.com/url"


def weaviate_gcp(folder: Folder) -> Composition:
    """Make it of a Helm release on the platform's cluster and a Cloud SQL instance on that cluster's network."""
    parameters, status, cloud = VECTOR_DATABASE.spec.parameters, VECTOR_DATABASE.status, GCP.fields
    composition = Composition(
        folder,
        "weaviate-gcp",
        VECTOR_DATABASE,
        provider="gcp",
        named_by=parameters.name,
        labels={"database": "weaviate"},
        environment=GCP,
    )
    namespace = own_namespace(composition)
    namespace.report("spec.forProvider.manifest.metadata.name", status.namespace)
    namespace.say(status.parts.namespace, waiting="The namespace is being made.", done="The namespace is there.", when=MADE)
    guarded(composition, monitoring=cloud.monitoring_namespace)

    keys = external_secret(composition, "api-keys", target=KEYS, keys={KEY: "api-key"}, store=cloud.secret_store)
    in_own_namespace(keys)
    published(keys, KEYS, {KEY: "apiKey"}, NAME)
    keys.say(
        status.parts.keys,
        waiting="The keys are not in the secret store yet; see the runbook.",
        done="Clients need the key apiKey of the connection secret.",
        when="status.atProvider.manifest.status.refreshTime",
    )
    password = external_secret(
        composition, "database-password", target=PASSWORD, keys={database.PASSWORD: "metadata-password"}, store=cloud.secret_store
    )
    in_own_namespace(password)
    published(password, PASSWORD, {database.PASSWORD: "metadataPassword"}, NAME)

    weaviate = helm.release(composition, "weaviate", WEAVIATE, _values()).named("%s-%s-weaviate")
    weaviate.named(NAME, to="spec.forProvider.namespace")
    weaviate.patch(parameters.replicas, f"{helm.VALUES}.replicas")
    weaviate.patch(parameters.storage_size, f"{helm.VALUES}.storage.size")
    weaviate.named(f"http://weaviate.{NAME}.svc.cluster.local", to=f"metadata.annotations[{_URL}]")
    weaviate.report(f"metadata.annotations[{_URL}]", status.url)
    weaviate.connection("url", field=f"metadata.annotations[{_URL}]")
    weaviate.say(
        status.parts.weaviate,
        waiting="The servers start; this takes some minutes.",
        done="The servers answer.",
        when=helm.DEPLOYED,
    )

    postgres = database.gcp_postgres(
        composition,
        region=cloud.region,
        network=cloud.network,
        tier="db-custom-2-8192",
        disk_gb=50,
        backup_at="02:00",
        point_in_time=False,
        database=METADATA,
        suffix="metadata",
        secret=PASSWORD,
        secret_namespace=NAME,
    )
    postgres.report("status.atProvider.privateIpAddress", status.metadata_host)
    postgres.connection("metadataHost", field="status.atProvider.privateIpAddress")
    postgres.connection("metadataDatabase", value=METADATA)
    postgres.connection("metadataUser", value=METADATA)
    postgres.say(
        status.parts.metadata,
        waiting="The PostgreSQL is being made; this takes about ten minutes.",
        done="The PostgreSQL answers, on its private address only.",
        when="status.atProvider.privateIpAddress",
    )
    return composition


def _values() -> dict[str, object]:
    """Return the chart's values: keys come from the Secret, nothing is reached from outside the cluster."""
    return {
        "resources": {"requests": {"cpu": "2", "memory": "4Gi"}, "limits": {"cpu": "4", "memory": "8Gi"}},
        "storage": {"storageClassName": SSD},
        "service": {"type": "ClusterIP"},
        "grpcService": {"enabled": True, "type": "ClusterIP"},
        # it raises vm.max_map_count of the node as root; with pread the server maps no files
        "initContainers": {"sysctlInitContainer": {"enabled": False}},
        "authentication": {"anonymous_access": {"enabled": False}, "apikey": {"enabled": True}},
        "env": {
            "AUTHENTICATION_APIKEY_ENABLED": "true",
            "AUTHENTICATION_APIKEY_USERS": "team",
            "PERSISTENCE_LSM_ACCESS_STRATEGY": "pread",
            "PROMETHEUS_MONITORING_ENABLED": True,
        },
        "envSecrets": {KEY: KEYS},
        "serviceMonitor": {"enabled": True},
        # clients send their own key of OpenAI or Cohere with a request (header X-OpenAI-Api-Key, X-Cohere-Api-Key)
        "modules": {module: {"enabled": True} for module in ("text2vec-openai", "text2vec-cohere", "qna-openai")},
    }


APIS = (VECTOR_DATABASE,)
COMPOSITIONS = (weaviate_gcp,)
