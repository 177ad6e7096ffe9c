"""ModelService on AWS: S3, an IAM role for the Pods' account, and the cluster's parts."""

from __future__ import annotations

from mlplatform.blocks import bucket, podidentity
from mlplatform.blocks.kubernetes import MANIFEST, kubernetes_object
from mlplatform.core import Composition, Folder
from mlplatform.environments import AWS

from . import aws_options, entrance, machines, options, server, traffic
from .facts import BUCKET, facts, with_bucket
from .spec import MODEL_SERVICE

CONNECTION = "bucket"
"""Suffix of the secret that the server reads. Its name is known before the claim is bound, unlike that of the claim's own secret."""

_READ = (
    '{"Version":"2012-10-17","Statement":['
    '{"Effect":"Allow","Action":["s3:GetObject","s3:GetObjectVersion"],"Resource":"arn:aws:s3:::<bucket>/*"},'
    '{"Effect":"Allow","Action":"s3:ListBucket","Resource":"arn:aws:s3:::<bucket>"}]}'
)


def modelservice_aws(folder: Folder) -> Composition:
    """Make a service of S3, IAM and the cluster that Crossplane runs in."""
    spec, status, cloud = MODEL_SERVICE.spec, MODEL_SERVICE.status, AWS.fields
    composition = Composition(
        folder,
        "modelservice.aws.platform.acme.com",
        MODEL_SERVICE,
        provider="aws",
        named_by=MODEL_SERVICE.metadata.labels["crossplane.io/claim-name"],
        environment=AWS,
    )
    known = facts(composition)

    artifacts = with_bucket(bucket.aws(composition, region=cloud.region), known, BUCKET, [], "metadata.name")
    artifacts.patch(MODEL_SERVICE.metadata.labels["crossplane.io/claim-name"], "spec.forProvider.tags.modelService")
    artifacts.report("metadata.name", status.bucket_name)
    artifacts.connection("bucketName", field="metadata.name")
    artifacts.say(status.parts.bucket, waiting="The bucket is being made.", done="The bucket is there: put the model into it.")
    with_bucket(bucket.aws_policy(composition, region=cloud.region), known, bucket.AWS_HTTPS, [], "spec.forProvider.policy")

    role = podidentity.aws(composition, namespace=known.namespace, account=known.name, cloud=cloud, prefix="modelservice")
    role.report("status.atProvider.arn", status.role_arn)
    role.connection("roleArn", field="status.atProvider.arn")
    role.say(
        status.parts.role,
        waiting="The role is being made; the servers wait for it.",
        done="The servers may read the bucket.",
        when="status.atProvider.arn",
    )
    with_bucket(podidentity.aws_policy(composition), known, _READ, [], "spec.forProvider.policy")
    server.service_account(composition, podidentity.ROLE_ARN, status.role_arn)

    connection = kubernetes_object(composition, "connection", {"apiVersion": "v1", "kind": "Secret"}, suffix=CONNECTION)
    with_bucket(connection, known, BUCKET, [], f"{MANIFEST}.stringData.bucketName")

    servers = server.deployment(composition, spec, status, machines=machines.AWS, source=server.FROM_S3)
    server.from_s3(servers, spec, region=cloud.region, secret=CONNECTION)
    server.cached(servers, status)
    server.autoscaler(composition, spec, status.parts.scaling)
    server.service_monitor(composition)
    traffic.server_policy(composition, gateway=cloud.gateway_namespace, monitoring=cloud.monitoring_namespace)

    entrance.service(composition, spec, known)
    entrance.key_plugins(composition, known)
    entrance.ingress(composition, spec, status, known, host=cloud.api_host)

    options.add_options(composition, spec, status.parts, secret_store=cloud.secret_store)
    aws_options.add_options(composition, spec, status)
    return composition
