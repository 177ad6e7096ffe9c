"""The options of a service on AWS: a cache, and a copy of the model into the bucket."""

from __future__ import annotations

from mlplatform.blocks import cache, podidentity
from mlplatform.core import Composition, Folder, Ref
from mlplatform.core import transforms as t
from mlplatform.environments import AWS

from .copyjob import CONTAINER, FIRST, copied, copy_job
from .facts import facts, with_bucket
from .option import COMPOSITION, MODEL_SERVICE_OPTION, option, option_composition
from .server import service_account

CACHE = "modelservice-cache.aws.platform.acme.com"
COPY = "modelservice-copy.aws.platform.acme.com"

CACHE_SECRET, CACHE_KEY = "cache", "token"
"""Suffix of the secret, in the claim's namespace, that the cache's password is in; and its key there."""

_SCRIPT = """\
set -eu
case "$SOURCE" in
  */) aws s3 cp --recursive --no-progress "$SOURCE" "s3://$BUCKET/$KEY/" ;;
  *) aws s3 cp --no-progress "$SOURCE" "s3://$BUCKET/$KEY" ;;
esac
"""

_COPY_POLICY = (
    '{"Version":"2012-10-17","Statement":['
    '{"Effect":"Allow","Action":["s3:GetObject","s3:ListBucket"],"Resource":["arn:aws:s3:::%s","arn:aws:s3:::%s/*"]},'
    '{"Effect":"Deny","Action":["s3:GetObject","s3:ListBucket"],"NotResource":["arn:aws:s3:::%s","arn:aws:s3:::%s/*"]},'
    '{"Effect":"Allow","Action":["s3:PutObject","s3:AbortMultipartUpload"],"Resource":"arn:aws:s3:::<bucket>/*"}]}'
)


def add_options(composition: Composition, spec: Ref, status: Ref) -> None:
    """Add these options to a service, each nothing until the claim asks for it."""
    copy = option(composition, "copy", status.parts.copy_job)
    copy.patch(spec.artifact_source, COMPOSITION, t.always(COPY))
    copy.patch(spec.artifact_source, "spec.artifactSource")
    copy.patch(spec.model_data_path, "spec.modelDataPath")
    copy.report("status.copiedAt", status.copied_at)

    store = option(composition, "cache", status.parts.cache)
    store.patch(spec.cache.engine, COMPOSITION, t.map_({"redis": CACHE}))
    store.patch(spec.cache, "spec.cache")
    store.report("status.address", status.cache_address)


def cache_composition(folder: Folder) -> Composition:
    """Make a cache whose password goes to the claim's namespace."""
    composition = option_composition(folder, CACHE, provider="aws", environment=AWS)
    spec, status = MODEL_SERVICE_OPTION.spec, MODEL_SERVICE_OPTION.status
    made = cache.aws(composition, node_type=spec.cache.node_type, nodes=spec.cache.nodes, cloud=AWS.fields)
    labels = composition.api.metadata.labels
    secret = "spec.forProvider.authTokenSecretRef"  # noqa: S105 - a field's path
    made.base["spec"]["forProvider"]["authTokenSecretRef"] = {"key": CACHE_KEY}
    made.patch(labels["crossplane.io/claim-namespace"], f"{secret}.namespace", required=True)
    made.patch(labels["crossplane.io/claim-name"], f"{secret}.name", t.fmt(f"%s-{CACHE_SECRET}"), required=True)
    made.report("status.atProvider.primaryEndpointAddress", status.address)
    made.say(
        status.message,
        waiting="The cache is being made; this takes about ten minutes.",
        done="The cache is there; its address is in CACHE_URL.",
        when="status.atProvider.primaryEndpointAddress",
    )
    return composition


def copy_composition(folder: Folder) -> Composition:
    """Copy the model with a Job that acts as a role of its own: it may read the source and write the bucket, which the server may not.

    The claim names the source, so the policy refuses whatever the environment does not allow to be copied.
    """
    composition = option_composition(folder, COPY, provider="aws", environment=AWS)
    status, known, cloud = MODEL_SERVICE_OPTION.status, facts(composition), AWS.fields
    source = copied(composition)
    role = podidentity.aws(
        composition, namespace=known.namespace, account=known.name, cloud=cloud, prefix="modelcopy", name="copy-role", suffix="-copy"
    )
    role.report("status.atProvider.arn", status.role_arn)
    policy = podidentity.aws_policy(composition, name="copy-role-policy")
    allowed = cloud.artifact_buckets
    with_bucket(policy, known, _COPY_POLICY, [source.bucket, source.bucket, allowed, allowed], "spec.forProvider.policy")
    service_account(composition, podidentity.ROLE_ARN, status.role_arn, name="copy-account", suffix="copy")
    job = copy_job(composition, known, image=cloud.aws_cli_image, script=_SCRIPT, env=[{"name": "AWS_REGION"}])
    job.patch(cloud.region, f"{CONTAINER}.env[{FIRST}].value", required=True)
    return composition


OPTIONS = (cache_composition, copy_composition)
