"""The Job that copies a model into the service's bucket, whatever command line of a cloud does it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlplatform.blocks.kubernetes import MANIFEST, kubernetes_object, wait_for
from mlplatform.core import Composition, Model, Ref, Template, kept
from mlplatform.core import transforms as t

from .facts import BUCKET, Facts, with_bucket
from .option import MODEL_SERVICE_OPTION
from .server import POD_SECURITY
from .traffic import egress_policy

SELECTOR = "platform.acme.com/modelcopy"
"""Label of the copying Pods; not the servers' label, or requests would be sent to them."""

POD = f"{MANIFEST}.spec.template"
CONTAINER = f"{POD}.spec.containers[0]"
FIRST = 3
"""Index of the first variable that a cloud brings; those before are SOURCE, BUCKET and KEY."""


class Copied(Model):
    """What is copied, and where to."""

    address: str
    bucket: str
    key: str


def copied(composition: Composition) -> Ref:
    """Bring what is copied into the environment."""
    spec, source = MODEL_SERVICE_OPTION.spec, kept("source", Copied)
    composition.into_environment(spec.artifact_source, source.address)
    composition.into_environment(spec.artifact_source, source.bucket, t.regexp("^s3://([^/]+)/", group=1))
    composition.into_environment(spec.model_data_path, source.key)
    return source


def copy_job(
    composition: Composition, known: Facts, *, image: Ref, script: str, env: Sequence[dict[str, Any]], metadata: bool = False
) -> Template:
    """Add the Job and what lets its Pods out; it acts as the service account ``<name>-copy``.

    ``script`` finds the model's address in $SOURCE and copies it to $BUCKET at $KEY. Patches find ``env`` from ``FIRST`` on.
    """
    spec, status, source = MODEL_SERVICE_OPTION.spec, MODEL_SERVICE_OPTION.status, kept("source", Copied)
    egress_policy(composition, "copy-network-policy", suffix="copy", label=SELECTOR, metadata=metadata)
    job = kubernetes_object(
        composition,
        "copy-job",
        _job(script, env),
        suffix=None,
        readiness="DeriveFromCelQuery",
        cel="has(object.status.succeeded) && object.status.succeeded > 0",
    )
    # a Job cannot be changed: its name is made of what it does, so that another source, key or image is another Job
    names = [known.name, source.address, source.key, image]
    job.combine("%s|%s|%s|%s", names, f"{MANIFEST}.metadata.name", t.change("ToSha256"), t.regexp("^.{16}"), t.fmt("copy-%s"))
    labels = composition.api.metadata.labels
    job.patch(labels["crossplane.io/claim-name"], f"{POD}.metadata.labels[{SELECTOR}]")
    job.patch(labels["crossplane.io/claim-name"], f"{POD}.spec.serviceAccountName", t.fmt("%s-copy"))
    wait_for(job, "v1", "ServiceAccount", suffix="copy")
    job.patch(image, f"{CONTAINER}.image", required=True)
    job.patch(spec.artifact_source, f"{CONTAINER}.env[0].value")
    with_bucket(job, known, BUCKET, [], f"{CONTAINER}.env[1].value")
    job.patch(spec.model_data_path, f"{CONTAINER}.env[2].value")
    job.report("status.atProvider.manifest.status.completionTime", status.copied_at)
    return job.say(
        status.message,
        waiting="The model is being copied; the servers start anew when it is there.",
        done="The model was copied.",
        when="status.atProvider.manifest.status.succeeded",
    )


def _job(script: str, env: Sequence[dict[str, Any]]) -> dict[str, Any]:
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
                    "securityContext": POD_SECURITY,
                    "containers": [
                        {
                            "name": "copy",
                            "command": ["/bin/sh", "-c", script],
                            "env": [
                                {"name": "SOURCE"},
                                {"name": "BUCKET"},
                                {"name": "KEY"},
                                *env,
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
