"""ModelService on Google Cloud: a bucket that is mounted into the servers, an account for them, and the cluster's parts."""

from __future__ import annotations

from mlplatform.blocks import bucket, identity, podidentity
from mlplatform.core import Composition, Folder
from mlplatform.environments import GCP

from . import entrance, gcp_options, machines, options, server, traffic
from .facts import BUCKET, facts, with_bucket
from .spec import MODEL_SERVICE

ACCOUNT = "modelservice"
"""What the name of the servers' account begins with."""


def modelservice_gcp(folder: Folder) -> Composition:
    """Make a service of Cloud Storage, Workload Identity and the GKE cluster that Crossplane runs in.

    The cluster needs its Cloud Storage FUSE driver switched on.
    """
    spec, status, cloud = MODEL_SERVICE.spec, MODEL_SERVICE.status, GCP.fields
    composition = Composition(
        folder,
        "modelservice.gcp.platform.acme.com",
        MODEL_SERVICE,
        provider="gcp",
        named_by=MODEL_SERVICE.metadata.labels["crossplane.io/claim-name"],
        environment=GCP,
    )
    known = facts(composition)

    artifacts = with_bucket(bucket.gcp(composition, region=cloud.region, suffix=None, versioned=True), known, BUCKET, [], "metadata.name")
    artifacts.report("metadata.name", status.bucket_name)
    artifacts.connection("bucketName", field="metadata.name")
    artifacts.say(status.parts.bucket, waiting="The bucket is being made.", done="The bucket is there: put the model into it.")

    account = podidentity.gcp(composition, pods="%s/%s", sources=[known.namespace, known.name], project=cloud.project, prefix=ACCOUNT)
    account.report("status.atProvider.email", status.role_arn)
    account.connection("roleArn", field="status.atProvider.email")
    account.say(
        status.parts.role,
        waiting="The account is being made; the servers wait for it.",
        done="The servers may read the bucket.",
        when="status.atProvider.email",
    )
    identity.gcp_bucket_access(composition, project=cloud.project, role="roles/storage.objectViewer", prefix=ACCOUNT)
    server.service_account(composition, podidentity.GOOGLE_ACCOUNT, status.role_arn)

    servers = server.deployment(composition, spec, status, machines=machines.GCP, source=server.FROM_GCS)
    server.from_gcs(servers, spec, known)
    server.autoscaler(composition, spec, status.parts.scaling)
    server.service_monitor(composition)
    traffic.server_policy(composition, gateway=cloud.gateway_namespace, monitoring=cloud.monitoring_namespace, metadata=True)

    entrance.service(composition, spec, known)
    entrance.key_plugins(composition, known)
    entrance.ingress(composition, spec, status, known, host=cloud.api_host)

    options.add_options(composition, spec, status.parts, secret_store=cloud.secret_store)
    gcp_options.add_options(composition, spec, status)
    return composition
