"""The options of a service on Google Cloud: a copy of the model into the bucket. There is no cache, and a claim that asks is told so."""

from __future__ import annotations

from mlplatform.blocks import identity, podidentity
from mlplatform.blocks.kubernetes import MANIFEST, kubernetes_object
from mlplatform.core import Composition, Folder, Model, Ref, kept
from mlplatform.core import transforms as t
from mlplatform.environments import GCP

from .copyjob import CONTAINER, FIRST, copied, copy_job
from .facts import BUCKET, facts, with_bucket
from .option import COMPOSITION, MODEL_SERVICE_OPTION, option, option_composition
from .server import service_account

COPY = "modelservice-copy.gcp.platform.acme.com"
ACCOUNT = "modelcopy"
"""What the name of the copying account begins with."""

READER = "artifact-reader"
"""Suffix of the Secret of the key of AWS that sources are read with, and its name in the secret store."""

_SCRIPT = """\
set -eu
export CLOUDSDK_CONFIG=/tmp/gcloud
case "$SOURCE" in
  */) gcloud storage cp --recursive "$SOURCE*" "gs://$BUCKET/$KEY/" ;;
  *) gcloud storage cp "$SOURCE" "gs://$BUCKET/$KEY" ;;
esac
"""

_VARIABLES = {"AWS_ACCESS_KEY_ID": "access-key-id", "AWS_SECRET_ACCESS_KEY": "secret-access-key"}
"""Variables that the command line signs requests to S3 with, and the properties of the store that they come from."""


class _Absent(Model):
    message: str


def add_options(composition: Composition, spec: Ref, status: Ref) -> None:
    """Add the copy, nothing until the claim asks for it, and tell who asks for a cache that there is none."""
    copy = option(composition, "copy", status.parts.copy_job)
    copy.patch(spec.artifact_source, COMPOSITION, t.always(COPY))
    copy.patch(spec.artifact_source, "spec.artifactSource")
    copy.patch(spec.model_data_path, "spec.modelDataPath")
    copy.patch(GCP.fields.secret_store, "spec.secretStore")
    copy.report("status.copiedAt", status.copied_at)

    absent = kept("cache", _Absent).message
    composition.into_environment(spec.cache.engine, absent, t.always("There is no cache on Google Cloud; the service runs without one."))
    composition.tell(absent, status.parts.cache)


def copy_composition(folder: Folder) -> Composition:
    """Copy the model with a Job that acts as an account of its own: it may write the bucket, which the server may not.

    Sources are in S3, and what may be copied is what the key in the secret store may read: give it the released models and no more.
    """
    composition = option_composition(folder, COPY, provider="gcp", environment=GCP)
    spec, status, known, cloud = MODEL_SERVICE_OPTION.spec, MODEL_SERVICE_OPTION.status, facts(composition), GCP.fields
    copied(composition)
    account = podidentity.gcp(
        composition,
        pods="%s/%s-copy",
        sources=[known.namespace, known.name],
        project=cloud.project,
        prefix=ACCOUNT,
        name="copy-account-in-cloud",
    )
    account.report("status.atProvider.email", status.role_arn)
    access = identity.gcp_access(composition, "copy-access", project=cloud.project, prefix=ACCOUNT).named("%s-%s-copy")
    with_bucket(access, known, BUCKET, [], "spec.forProvider.bucket")
    service_account(composition, podidentity.GOOGLE_ACCOUNT, status.role_arn, name="copy-account", suffix="copy")

    reader = kubernetes_object(
        composition,
        READER,
        {
            "apiVersion": "external-secrets.io/v1",
            "kind": "ExternalSecret",
            "spec": {
                "refreshInterval": "1h",
                "secretStoreRef": {"kind": "ClusterSecretStore"},
                "target": {"creationPolicy": "Owner"},
                "data": [
                    {"secretKey": variable, "remoteRef": {"key": f"modelservice/{READER}", "property": property_}}
                    for variable, property_ in _VARIABLES.items()
                ],
            },
        },
        suffix=READER,
        readiness="DeriveFromObject",
    )
    reader.patch(spec.secret_store, f"{MANIFEST}.spec.secretStoreRef.name")
    name = composition.api.metadata.labels["crossplane.io/claim-name"]
    reader.patch(name, f"{MANIFEST}.spec.target.name", t.fmt(f"%s-{READER}"))
    variables = [{"name": variable, "valueFrom": {"secretKeyRef": {"key": variable}}} for variable in _VARIABLES]
    job = copy_job(composition, known, image=cloud.gcloud_image, script=_SCRIPT, env=variables, metadata=True)
    for index in range(len(variables)):
        job.patch(name, f"{CONTAINER}.env[{FIRST + index}].valueFrom.secretKeyRef.name", t.fmt(f"%s-{READER}"))
    return composition


OPTIONS = (copy_composition,)
