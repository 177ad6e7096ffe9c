"""What Kubernetes' hand-written validation says about single fields, laid over the OpenAPI schemas at import.

The OpenAPI document gives types and required fields; the bounds, choices and patterns stand in Go functions
(``k8s.io/kubernetes/pkg/apis/*/validation``, 1.36). Those about one field are data here, by Go type. Empty strings and zeros
mean "not given" in Go, so an optional field always allows them.
"""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]
Fields = dict[str, Schema]

_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_KEY_NAME = "([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]"
_LABEL_KEY = rf"({_SUBDOMAIN}/)?{_KEY_NAME}"
_PORT_NAME = r"([a-z0-9]+-)*[a-z0-9]*[a-z][a-z0-9]*(-[a-z0-9]+)*"


def _one(*choices: str) -> Schema:
    return {"enum": ["", *choices]}


def _needed(*choices: str) -> Schema:
    return {"enum": list(choices)}


def _text(pattern: str, longest: int | None = None, *, needed: bool = False) -> Schema:
    bound: Schema = {} if longest is None else {"maxLength": longest}
    return {"pattern": f"^{pattern}$" if needed else f"^({pattern})?$", **bound}


def _some() -> Schema:
    return {"minLength": 1}


def _between(low: int, high: int | None = None) -> Schema:
    return {"minimum": low} if high is None else {"minimum": low, "maximum": high}


_LABEL_NAME = _text(_LABEL, 63)
_NAME = _text(_SUBDOMAIN, 253)
_NEEDED_NAME = _text(_SUBDOMAIN, 253, needed=True)
_PORT = _between(1, 65535)
_PORT_OR_NAME = {**_PORT, **_text(_PORT_NAME, 15, needed=True)}
_AT_LEAST_0 = _between(0)
_CONFIG_KEY = _text("[-._a-zA-Z0-9]+", 253, needed=True)
_PROTOCOL = _one("TCP", "UDP", "SCTP")
_MODE = _between(0, 0o777)
_COUNT_OR_PERCENT = {"minimum": 0, "pattern": "^[0-9]+%$"}
_ID = _between(0, 2**31 - 1)
_WEIGHT = _between(1, 100)
_TOPOLOGY = _text(_LABEL_KEY, 317, needed=True)
_POD_FIELDS = r"metadata\.(name|namespace|uid|labels|annotations)|spec\.(nodeName|serviceAccountName)|status\.(hostIPs?|podIPs?)"
_PROBE_TIMES = ("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")
_DEPLOYMENT_NUMBERS = ("replicas", "minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds")
_RBAC = "rbac.authorization.k8s.io"

FIELDS: dict[str, Fields] = {
    "core.v1.Container": {
        "name": _text(_LABEL, 63, needed=True),
        "image": _some(),
        "imagePullPolicy": _one("Always", "IfNotPresent", "Never"),
        "terminationMessagePolicy": _one("File", "FallbackToLogsOnError"),
    },
    "core.v1.ContainerPort": {
        "containerPort": _PORT,
        "hostPort": _between(0, 65535),
        "protocol": _PROTOCOL,
        "name": _text(_PORT_NAME, 15),
    },
    "core.v1.EnvVar": {"name": _some()},
    "core.v1.SecretKeySelector": {"key": _CONFIG_KEY, "name": _NAME},
    "core.v1.ConfigMapKeySelector": {"key": _CONFIG_KEY, "name": _NAME},
    "core.v1.SecretEnvSource": {"name": _NEEDED_NAME},
    "core.v1.ConfigMapEnvSource": {"name": _NEEDED_NAME},
    "core.v1.ObjectFieldSelector": {"fieldPath": {"pattern": rf"^({_POD_FIELDS}|metadata\.(labels|annotations)\['[^']+'\])$"}},
    "core.v1.VolumeMount": {"name": _some(), "mountPath": _some()},
    "core.v1.Volume": {"name": _text(_LABEL, 63, needed=True)},
    "core.v1.ConfigMapVolumeSource": {"name": _some(), "defaultMode": _MODE},
    "core.v1.SecretVolumeSource": {"secretName": _some(), "defaultMode": _MODE},
    "core.v1.ProjectedVolumeSource": {"defaultMode": _MODE},
    "core.v1.PersistentVolumeClaimVolumeSource": {"claimName": _some()},
    "core.v1.ServiceAccountTokenProjection": {"path": _some(), "expirationSeconds": _between(600, 2**32)},
    "core.v1.KeyToPath": {"key": _some(), "path": _some(), "mode": _MODE},
    "core.v1.HostPathVolumeSource": {"path": _some()},
    "core.v1.HTTPGetAction": {"port": _PORT_OR_NAME, "scheme": _one("HTTP", "HTTPS")},
    "core.v1.TCPSocketAction": {"port": _PORT_OR_NAME},
    "core.v1.GRPCAction": {"port": _PORT},
    "core.v1.ExecAction": {"command": {"minItems": 1}},
    "core.v1.Probe": dict.fromkeys(_PROBE_TIMES, _AT_LEAST_0),
    "core.v1.PodSpec": {
        "containers": {"minItems": 1},
        "restartPolicy": _one("Always", "OnFailure", "Never"),
        "dnsPolicy": _one("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"),
        "preemptionPolicy": _one("PreemptLowerPriority", "Never"),
        "activeDeadlineSeconds": _between(1, 2**31 - 1),
        "serviceAccountName": _NAME,
        "nodeName": _NAME,
        "hostname": _LABEL_NAME,
        "subdomain": _LABEL_NAME,
        "priorityClassName": _NAME,
        "runtimeClassName": _NAME,
    },
    "core.v1.PodSecurityContext": dict.fromkeys(("runAsUser", "runAsGroup", "fsGroup"), _ID),
    "core.v1.SecurityContext": {"runAsUser": _ID, "runAsGroup": _ID, "procMount": _one("Default", "Unmasked")},
    "core.v1.SeccompProfile": {"type": _needed("Localhost", "RuntimeDefault", "Unconfined")},
    "core.v1.Toleration": {
        "operator": _one("Equal", "Exists", "Lt", "Gt"),
        "effect": _one("NoSchedule", "PreferNoSchedule", "NoExecute"),
        "key": _text(_LABEL_KEY, 317),
    },
    "core.v1.TopologySpreadConstraint": {
        "maxSkew": _between(1),
        "topologyKey": _some(),
        "whenUnsatisfiable": _needed("DoNotSchedule", "ScheduleAnyway"),
        "nodeAffinityPolicy": _one("Honor", "Ignore"),
        "nodeTaintsPolicy": _one("Honor", "Ignore"),
        "minDomains": _between(1),
    },
    "core.v1.PodAffinityTerm": {"topologyKey": _TOPOLOGY},
    "core.v1.WeightedPodAffinityTerm": {"weight": _WEIGHT},
    "core.v1.PreferredSchedulingTerm": {"weight": _WEIGHT},
    "core.v1.NodeSelector": {"nodeSelectorTerms": {"minItems": 1}},
    "core.v1.NodeSelectorRequirement": {
        "operator": _needed("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"),
        "key": _text(_LABEL_KEY, 317, needed=True),
    },
    "meta.v1.LabelSelectorRequirement": {
        "operator": _needed("In", "NotIn", "Exists", "DoesNotExist"),
        "key": _text(_LABEL_KEY, 317, needed=True),
    },
    "core.v1.ServiceSpec": {
        "type": _one("ClusterIP", "ExternalName", "LoadBalancer", "NodePort"),
        "sessionAffinity": _one("ClientIP", "None"),
        "externalTrafficPolicy": _one("Cluster", "Local"),
        "internalTrafficPolicy": _one("Cluster", "Local"),
        "loadBalancerSourceRanges": {"items": {"format": "cidr"}},
        "ipFamilyPolicy": _one("SingleStack", "PreferDualStack", "RequireDualStack"),
    },
    "core.v1.ServicePort": {
        "port": _PORT,
        "protocol": _PROTOCOL,
        "nodePort": _between(0, 65535),
        "targetPort": {**_between(0, 65535), **_text(_PORT_NAME, 15)},
        "name": _LABEL_NAME,
    },
    "core.v1.PersistentVolumeClaimSpec": {
        "accessModes": {"items": _needed("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"), "minItems": 1},
        "volumeMode": _one("Block", "Filesystem"),
        "storageClassName": _NAME,
    },
    "core.v1.LimitRangeItem": {"type": _text(_LABEL_KEY, 317, needed=True)},
    "apps.v1.DeploymentSpec": dict.fromkeys(_DEPLOYMENT_NUMBERS, _AT_LEAST_0),
    "apps.v1.DeploymentStrategy": {"type": _one("Recreate", "RollingUpdate")},
    "apps.v1.RollingUpdateDeployment": {"maxSurge": _COUNT_OR_PERCENT, "maxUnavailable": _COUNT_OR_PERCENT},
    "apps.v1.RollingUpdateDaemonSet": {"maxSurge": _COUNT_OR_PERCENT, "maxUnavailable": _COUNT_OR_PERCENT},
    "apps.v1.DaemonSetUpdateStrategy": {"type": _one("OnDelete", "RollingUpdate")},
    "apps.v1.StatefulSetSpec": {
        "replicas": _AT_LEAST_0,
        "minReadySeconds": _AT_LEAST_0,
        "revisionHistoryLimit": _AT_LEAST_0,
        "podManagementPolicy": _one("OrderedReady", "Parallel"),
        "serviceName": _LABEL_NAME,
    },
    "apps.v1.StatefulSetUpdateStrategy": {"type": _one("OnDelete", "RollingUpdate")},
    "apps.v1.RollingUpdateStatefulSetStrategy": {"partition": _AT_LEAST_0},
    "batch.v1.JobSpec": {
        **dict.fromkeys(("parallelism", "completions", "backoffLimit", "activeDeadlineSeconds", "ttlSecondsAfterFinished"), _AT_LEAST_0),
        "completionMode": _one("Indexed", "NonIndexed"),
        "podReplacementPolicy": _one("Failed", "TerminatingOrFailed"),
    },
    "batch.v1.CronJobSpec": {
        "schedule": _some(),
        "concurrencyPolicy": _one("Allow", "Forbid", "Replace"),
        "successfulJobsHistoryLimit": _AT_LEAST_0,
        "failedJobsHistoryLimit": _AT_LEAST_0,
        "startingDeadlineSeconds": _AT_LEAST_0,
    },
    "networking.v1.IngressSpec": {"ingressClassName": _NAME},
    "networking.v1.IngressRule": {"host": _text(rf"(\*\.)?{_SUBDOMAIN}", 253)},
    "networking.v1.IngressTLS": {"secretName": _NAME, "hosts": {"items": _text(rf"(\*\.)?{_SUBDOMAIN}", 253, needed=True)}},
    "networking.v1.HTTPIngressPath": {
        "pathType": _needed("Exact", "ImplementationSpecific", "Prefix"),
        "path": {"pattern": "^(/.*)?$"},
    },
    "networking.v1.IngressServiceBackend": {"name": _text(r"[a-z]([-a-z0-9]*[a-z0-9])?", 63, needed=True)},
    "networking.v1.ServiceBackendPort": {"number": _between(0, 65535), "name": _text(_PORT_NAME, 15)},
    "networking.v1.NetworkPolicySpec": {"policyTypes": {"items": _needed("Egress", "Ingress"), "maxItems": 2}},
    "networking.v1.NetworkPolicyPort": {"protocol": _PROTOCOL, "port": _PORT_OR_NAME, "endPort": _PORT},
    "networking.v1.IPBlock": {"cidr": {"format": "cidr"}, "except": {"items": {"format": "cidr"}}},
    "rbac.v1.RoleRef": {"apiGroup": _one(_RBAC), "name": _some(), "kind": _needed("ClusterRole", "Role")},
    "rbac.v1.Subject": {"kind": _needed("Group", "ServiceAccount", "User"), "name": _some()},
    "rbac.v1.PolicyRule": {"verbs": {"minItems": 1}},
    "autoscaling.v2.HorizontalPodAutoscalerSpec": {"minReplicas": _between(1), "maxReplicas": _between(1)},
    "autoscaling.v2.CrossVersionObjectReference": {"kind": _some(), "name": _some()},
    "autoscaling.v2.MetricSpec": {"type": _needed("ContainerResource", "External", "Object", "Pods", "Resource")},
    "autoscaling.v2.MetricTarget": {"type": _needed("Utilization", "Value", "AverageValue"), "averageUtilization": _between(1)},
    "autoscaling.v2.ResourceMetricSource": {"name": _some()},
    "autoscaling.v2.HPAScalingPolicy": {"type": _needed("Pods", "Percent"), "value": _between(1), "periodSeconds": _between(1, 1800)},
    "autoscaling.v2.HPAScalingRules": {"stabilizationWindowSeconds": _between(0, 3600), "selectPolicy": _one("Max", "Min", "Disabled")},
    "policy.v1.PodDisruptionBudgetSpec": {
        "minAvailable": _COUNT_OR_PERCENT,
        "maxUnavailable": _COUNT_OR_PERCENT,
        "unhealthyPodEvictionPolicy": _one("AlwaysAllow", "IfHealthyBudget"),
    },
    "storage.v1.StorageClass": {
        "provisioner": _text(rf"({_LABEL}(\.{_LABEL})*/)?{_KEY_NAME}", 253, needed=True),
        "reclaimPolicy": _one("Delete", "Retain"),
        "volumeBindingMode": _one("Immediate", "WaitForFirstConsumer"),
    },
    "scheduling.v1.PriorityClass": {"preemptionPolicy": _one("PreemptLowerPriority", "Never")},
}
"""Keywords by Go type (``<group>.<version>.<type>``) and field."""

REQUIRED: dict[str, tuple[str, ...]] = {
    "core.v1.Container": ("image",),
    "core.v1.ConfigMapEnvSource": ("name",),
    "core.v1.ConfigMapVolumeSource": ("name",),
    "core.v1.ExecAction": ("command",),
    "core.v1.SecretEnvSource": ("name",),
    "core.v1.SecretVolumeSource": ("secretName",),
}
"""Fields that the server requires although the OpenAPI document does not say so."""

OPTIONAL: dict[str, tuple[str, ...]] = {"core.v1.LimitRangeSpec": ("limits",)}
"""Fields that the OpenAPI document calls required although the server takes objects without them."""


def laid_over(name: str, schema: Schema) -> Schema:
    """Return a definition's schema with what is known about its fields; ``name`` is its name in the OpenAPI document."""
    short = ".".join(name.split(".")[-3:])
    fields = FIELDS.get(short, {})
    for field, keywords in fields.items():
        inner = schema["properties"][field]
        items = {"items": {**inner["items"], **keywords["items"]}} if "items" in keywords else {}
        schema["properties"][field] = {**inner, **keywords, **items}
    required = [*schema.get("required", ()), *REQUIRED.get(short, ())]
    if required:
        schema["required"] = [field for field in required if field not in OPTIONAL.get(short, ())]
    return schema
