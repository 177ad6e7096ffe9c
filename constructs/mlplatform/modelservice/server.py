"""The servers: a Deployment, how many of it there are, what they may reach, and what is measured.

Manifests are written out here instead of taken from cdk8s-plus, whose selectors are made of the chart's addresses: those would be the
same for every claim, and the services of one namespace would select each other's Pods.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mlplatform.blocks.kubernetes import MADE, MANIFEST, kubernetes_object, wait_for
from mlplatform.core import Composition, Ref, Template, kept
from mlplatform.core import transforms as t

from .facts import BUCKET, Facts, with_bucket
from .machines import Machine

PORT = 8000
USER = 10001
"""User and group of the server's image."""
POD_SECURITY: Mapping[str, Any] = {
    "runAsNonRoot": True,
    "runAsUser": USER,
    "runAsGroup": USER,
    "fsGroup": USER,
    "seccompProfile": {"type": "RuntimeDefault"},
}
"""The security context of every Pod of a model service."""
MODEL_BYTES = 10 * 2**30
"""The largest model that is fetched; the volume is a little larger."""
DRAIN_SECONDS = 15

SELECTOR = "platform.acme.com/modelservice"
"""Label of a service's Pods; its value is the claim's name."""

POD = f"{MANIFEST}.spec.template"
SERVER = f"{POD}.spec.containers[0]"


def selected(template: Template, *paths: str) -> Template:
    """Write the label of the service's Pods into each of ``paths``."""
    name = template.composition.api.metadata.labels["crossplane.io/claim-name"]
    for path in paths:
        template.patch(name, f"{path}[{SELECTOR}]")
    return template


def service_account(composition: Composition, annotation: str, value: Ref, *, name: str = "service-account", suffix: str = "") -> Template:
    """Add the account that Pods act as; it waits for ``value``, for a Pod that starts without the annotation never gets a role."""
    account = kubernetes_object(
        composition, name, {"apiVersion": "v1", "kind": "ServiceAccount", "automountServiceAccountToken": False}, suffix=suffix
    )
    return account.patch(value, f"{MANIFEST}.metadata.annotations[{annotation}]", required=True)


@dataclass(frozen=True)
class Source:
    """How the server comes to its model: what its container and its Pod need for it; patches find ``env`` from index 0 on."""

    env: tuple[dict[str, Any], ...] = ()
    args: tuple[str, ...] = ()
    volumes: tuple[dict[str, Any], ...] = ()
    mounts: tuple[dict[str, Any], ...] = ()
    annotations: Mapping[str, str] = field(default_factory=dict)


def deployment(composition: Composition, spec: Ref, status: Ref, *, machines: Mapping[str, Any], source: Source) -> Template:
    """Add the servers, as ``inference/`` in this repository wants to be run.

    ``machines`` say what an instance type means on the cloud. The Deployment waits for the service account, whose role a Pod gets when it
    is made and never later, and starts its Pods anew when the model was copied.
    """
    labels = composition.api.metadata.labels
    machine = kept("machine", Machine)
    composition.into_environment(spec.compute.instance_type, machine, t.map_(machines))
    servers = kubernetes_object(
        composition,
        "deployment",
        _deployment(source),
        readiness="DeriveFromCelQuery",
        cel='has(object.status.conditions) && object.status.conditions.exists(c, c.type == "Available" && c.status == "True")',
    )
    selected(
        servers,
        f"{MANIFEST}.metadata.labels",
        f"{MANIFEST}.spec.selector.matchLabels",
        f"{POD}.metadata.labels",
        f"{POD}.spec.topologySpreadConstraints[0].labelSelector.matchLabels",
        f"{POD}.spec.topologySpreadConstraints[1].labelSelector.matchLabels",
    )
    wait_for(servers, "v1", "ServiceAccount")
    servers.patch(status.copied_at, f"{POD}.metadata.annotations[platform.acme.com/copied-at]")
    servers.patch(spec.compute.replicas, f"{MANIFEST}.spec.replicas")
    servers.patch(labels["crossplane.io/claim-name"], f"{POD}.spec.serviceAccountName")
    servers.patch(machine.node_selector, f"{POD}.spec.nodeSelector")
    servers.patch(machine.tolerations, f"{POD}.spec.tolerations")
    servers.patch(machine.resources, f"{SERVER}.resources")
    servers.patch(spec.image, f"{SERVER}.image")
    servers.patch(machine.device, f"{SERVER}.env[{len(source.env)}].value")
    # what only some services have goes to the end of the list
    servers.patch(spec.model_sha256, f"{SERVER}.env", t.fmt(_SHA256), t.convert("array", text="json"), merge=_APPEND)
    servers.report("status.atProvider.manifest.status.readyReplicas", status.ready_replicas)
    servers.say(status.phase, waiting="Pending", done="Serving", when="status.atProvider.manifest.status.readyReplicas")
    return servers.say(
        status.parts.server,
        waiting="The servers start: a node is found, the image pulled, the model fetched and checked.",
        done="The servers answer.",
        when="status.atProvider.manifest.status.readyReplicas",
    )


FROM_S3 = Source(
    env=(
        {"name": "S3_BUCKET_NAME", "valueFrom": {"secretKeyRef": {"key": "bucketName"}}},
        {"name": "MODEL_PATH"},
        {"name": "AWS_REGION"},
    )
)


def from_s3(servers: Template, spec: Ref, *, region: Ref, secret: str) -> Template:
    """Say where the model is in S3; ``secret`` is the suffix of the secret that holds the bucket's name."""
    name = servers.composition.api.metadata.labels["crossplane.io/claim-name"]
    servers.patch(name, f"{SERVER}.env[0].valueFrom.secretKeyRef.name", t.fmt(f"%s-{secret}"))
    servers.patch(spec.model_data_path, f"{SERVER}.env[1].value")
    return servers.patch(region, f"{SERVER}.env[2].value")


_BUCKET = "/bucket"
_FUSE = {"mountOptions": "implicit-dirs", "gcsfuseLoggingSeverity": "warning"}
FROM_GCS = Source(
    # the server reads the model from a folder that is the bucket, and checks its digest as it does a download's
    args=("run", _BUCKET),
    volumes=({"name": "bucket", "csi": {"driver": "gcsfuse.csi.storage.gke.io", "readOnly": True, "volumeAttributes": _FUSE}},),
    mounts=({"name": "bucket", "mountPath": _BUCKET, "readOnly": True},),
    annotations={"gke-gcsfuse/volumes": "true", "gke-gcsfuse/cpu-limit": "500m", "gke-gcsfuse/memory-limit": "512Mi"},
)


def from_gcs(servers: Template, spec: Ref, known: Facts) -> Template:
    """Say where the model is in Google's storage; the Pod's account must be allowed to read the bucket."""
    servers.patch(spec.model_data_path, f"{SERVER}.args[1]", t.fmt(f"{_BUCKET}/%s"))
    return with_bucket(servers, known, BUCKET, [], f"{POD}.spec.volumes[2].csi.volumeAttributes.bucketName")


def cached(servers: Template, status: Ref) -> Template:
    """Tell the server where its cache is, once there is one."""
    name = servers.composition.api.metadata.labels["crossplane.io/claim-name"]
    return servers.combine(_CACHE, [status.cache_address, name], f"{SERVER}.env", t.convert("array", text="json"), merge=_APPEND)


_APPEND = "MergeObjectsAppendArrays"
_SHA256 = '[{"name":"MODEL_SHA256","value":"%s"}]'
_CACHE = (
    '[{"name":"CACHE_URL","value":"rediss://%s:6379"},'
    '{"name":"CACHE_TOKEN","valueFrom":{"secretKeyRef":{"name":"%s-cache","key":"token"}}}]'
)


def _deployment(source: Source) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "spec": {
            "revisionHistoryLimit": 3,
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
            "template": {
                **({"metadata": {"annotations": dict(source.annotations)}} if source.annotations else {}),
                "spec": {
                    "automountServiceAccountToken": False,  # the cloud hands its own token to the Pod
                    "enableServiceLinks": False,
                    # the drain, the last requests, and a margin
                    "terminationGracePeriodSeconds": DRAIN_SECONDS + 45,
                    "securityContext": POD_SECURITY,
                    "topologySpreadConstraints": [
                        {"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": "ScheduleAnyway"}
                        for key in ("topology.kubernetes.io/zone", "kubernetes.io/hostname")
                    ],
                    "containers": [
                        {
                            "name": "inference-server",
                            **({"args": list(source.args)} if source.args else {}),
                            "ports": [{"name": "http", "containerPort": PORT}],
                            "env": [
                                *source.env,
                                {"name": "DEVICE"},
                                {"name": "PORT", "value": str(PORT)},
                                {"name": "MODEL_DIR", "value": "/models"},
                                {"name": "MODEL_MAX_BYTES", "value": str(MODEL_BYTES)},
                                {"name": "DRAIN_SECONDS", "value": str(DRAIN_SECONDS)},
                            ],
                            # it answers while the model is being fetched, which may take long
                            "startupProbe": {"httpGet": {"path": "/healthz", "port": "http"}, "periodSeconds": 2, "failureThreshold": 60},
                            "readinessProbe": {"httpGet": {"path": "/readyz", "port": "http"}, "periodSeconds": 5, "failureThreshold": 2},
                            "livenessProbe": {
                                "httpGet": {"path": "/healthz", "port": "http"},
                                "periodSeconds": 10,
                                "timeoutSeconds": 3,
                                "failureThreshold": 3,
                            },
                            "securityContext": {
                                "allowPrivilegeEscalation": False,
                                "readOnlyRootFilesystem": True,
                                "capabilities": {"drop": ["ALL"]},
                            },
                            "volumeMounts": [
                                {"name": "models", "mountPath": "/models"},
                                {"name": "tmp", "mountPath": "/tmp"},  # noqa: S108
                                *source.mounts,
                            ],
                        }
                    ],
                    "volumes": [
                        {"name": "models", "emptyDir": {"sizeLimit": "11Gi"}},
                        {"name": "tmp", "emptyDir": {"sizeLimit": "1Gi"}},
                        *source.volumes,
                    ],
                },
            },
        },
    }


def autoscaler(composition: Composition, spec: Ref, message: Ref) -> Template:
    """Add the HorizontalPodAutoscaler: between ``replicas`` and ``maxReplicas``, which are the same unless a claim says otherwise.

    It and the Deployment's ``replicas`` do not fight: provider-kubernetes compares what it applied last, not what the autoscaler wrote.
    """
    scaler = kubernetes_object(
        composition,
        "autoscaler",
        {
            "apiVersion": "autoscaling/v2",
            "kind": "HorizontalPodAutoscaler",
            "spec": {
                "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment"},
                "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 70}}}],
                "behavior": {"scaleDown": {"stabilizationWindowSeconds": 300}},
            },
        },
    )
    scaler.patch(composition.api.metadata.labels["crossplane.io/claim-name"], f"{MANIFEST}.spec.scaleTargetRef.name")
    scaler.patch(spec.compute.replicas, f"{MANIFEST}.spec.minReplicas")
    scaler.patch(spec.compute.replicas, f"{MANIFEST}.spec.maxReplicas")
    scaler.patch(spec.compute.max_replicas, f"{MANIFEST}.spec.maxReplicas")
    return scaler.say(
        message,
        waiting="The autoscaler is being made.",
        done="Servers are added while they are busy, up to maxReplicas.",
        when=MADE,
    )


def service_monitor(composition: Composition) -> Template:
    """Let Prometheus read /metrics of every server."""
    monitor = kubernetes_object(
        composition,
        "service-monitor",
        {
            "apiVersion": "monitoring.coreos.com/v1",
            "kind": "ServiceMonitor",
            "spec": {"endpoints": [{"port": "http", "path": "/metrics", "interval": "30s"}]},
        },
    )
    return selected(monitor, f"{MANIFEST}.metadata.labels", f"{MANIFEST}.spec.selector.matchLabels")
