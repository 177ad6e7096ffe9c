"""The options of a service on AWS: a cache, and a copy of the model into the bucket."""

from __future__ import annotations

from typing import Any

from mlplatform.blocks import cache, podidentity
from mlplatform.blocks.kubernetes import MANIFEST, kubernetes_object, wait_for
from mlplatform.core import Composition, Folder, Model, Ref, kept
from mlplatform.core import transforms as t
from mlplatform.environments import AWS

from .facts import BUCKET, facts, with_bucket
from .option import COMPOSITION, MODEL_SERVICE_OPTION, option, option_composition
from .server import USER, service_account
from .traffic import egress_policy

CACHE = "modelservice-cache.aws.platform.acme.com"
COPY = "modelservice-copy.aws.platform.acme.com"

CACHE_SECRET, CACHE_KEY = "cache", "token"
"""Suffix of the secret, in the claim's namespace, that the cache's password is in; and its key there."""

COPY_SELECTOR = "platform.acme.com/modelcopy"
"""Label of the copying Pods; not the servers' label, or requests would be sent to them."""

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
    spec, status, known, cloud = MODEL_SERVICE_OPTION.spec, MODEL_SERVICE_OPTION.status, facts(composition), AWS.fields
    source = kept("source", _Source)
    composition.into_environment(spec.artifact_source, source.address)
    composition.into_environment(spec.artifact_source, source.bucket, t.regexp("^s3://([^/]+)/", group=1))
    composition.into_environment(spec.model_data_path, source.key)

    role = podidentity.aws(
        composition, namespace=known.namespace, account=known.name, cloud=cloud, prefix="modelcopy", name="copy-role", suffix="-copy"
    )
    role.report("status.atProvider.arn", status.role_arn)
    policy = podidentity.aws_policy(composition, name="copy-role-policy")
    allowed = cloud.artifact_buckets
    with_bucket(policy, known, _COPY_POLICY, [source.bucket, source.bucket, allowed, allowed], "spec.forProvider.policy")
    service_account(composition, podidentity.ROLE_ARN, status.role_arn, name="copy-account", suffix="copy")
    egress_policy(composition, "copy-network-policy", suffix="copy", label=COPY_SELECTOR)

    job = kubernetes_object(
        composition,
        "copy-job",
        _job(),
        suffix=None,
        readiness="DeriveFromCelQuery",
        cel="has(object.status.succeeded) && object.status.succeeded > 0",
    )
    # a Job cannot be changed: its name is made of what it does, so that another source, key or image is another Job
    names = [known.name, source.address, source.key, cloud.aws_cli_image]
    job.combine("%s|%s|%s|%s", names, f"{MANIFEST}.metadata.name", t.change("ToSha256"), t.regexp("^.{16}"), t.fmt("copy-%s"))
    labels = composition.api.metadata.labels
    job.patch(labels["crossplane.io/claim-name"], f"{_POD}.metadata.labels[{COPY_SELECTOR}]")
    job.patch(labels["crossplane.io/claim-name"], f"{_POD}.spec.serviceAccountName", t.fmt("%s-copy"))
    wait_for(job, "v1", "ServiceAccount", suffix="copy")
    job.patch(cloud.aws_cli_image, f"{_CONTAINER}.image", required=True)
    job.patch(spec.artifact_source, f"{_CONTAINER}.env[0].value")
    with_bucket(job, known, BUCKET, [], f"{_CONTAINER}.env[1].value")
    job.patch(spec.model_data_path, f"{_CONTAINER}.env[2].value")
    job.patch(cloud.region, f"{_CONTAINER}.env[3].value", required=True)
    job.report("status.atProvider.manifest.status.completionTime", status.copied_at)
    job.say(
        status.message,
        waiting="The model is being copied; the servers start anew when it is there.",
        done="The model was copied.",
        when="status.atProvider.manifest.status.succeeded",
    )
    return composition


class _Source(Model):
    """What is copied."""

    address: str
    bucket: str
    key: str


_POD = f"{MANIFEST}.spec.template"
_CONTAINER = f"{_POD}.spec.containers[0]"


def _job() -> dict[str, Any]:
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "spec": {
            "backoffLimit": 6,
            "activeDeadlineSeconds": 6 * 3600,
            "template": {
                "spec": {
                    "restartPolicy": "OnFailure",
                    "automountServiceAccountToken": False,
                    "securityContext": {
                        "runAsNonRoot": True,
                        "runAsUser": USER,
                        "runAsGroup": USER,
                        "fsGroup": USER,
                        "seccompProfile": {"type": "RuntimeDefault"},
                    },
                    "containers": [
                        {
                            "name": "copy",
                            "command": ["/bin/sh", "-c", _SCRIPT],
                            "env": [
                                {"name": "SOURCE"},
                                {"name": "BUCKET"},
                                {"name": "KEY"},
                                {"name": "AWS_REGION"},
                                {"name": "HOME", "value": "/tmp"},  # noqa: S108 - the only folder that can be written
                            ],
                            "resources": {"requests": {"cpu": "250m", "memory": "256Mi"}, "limits": {"cpu": "1", "memory": "1Gi"}},
                            "securityContext": {
                                "allowPrivilegeEscalation": False,
                                "readOnlyRootFilesystem": True,
                                "capabilities": {"drop": ["ALL"]},
                            },
                            "volumeMounts": [{"name": "tmp", "mountPath": "/tmp"}],  # noqa: S108
                        }
                    ],
                    "volumes": [{"name": "tmp", "emptyDir": {"sizeLimit": "1Gi"}}],
                }
            },
        },
    }


OPTIONS = (cache_composition, copy_composition)
