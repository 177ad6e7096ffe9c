"""What an instance type means for a Pod: what it asks for, and what it puts up with."""

from __future__ import annotations

from typing import Any

from mlplatform.core import Model

_GPU = {"nvidia.com/gpu": "1"}
_TOLERATIONS = [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]
_PODS: dict[str, dict[str, Any]] = {
    # what a node of the type has left beside the system's own Pods
    "c5.large": {
        "device": "cpu",
        "resources": {"requests": {"cpu": "1", "memory": "1536Mi"}, "limits": {"cpu": "1800m", "memory": "2560Mi"}},
    },
    "g4dn.xlarge": {
        "device": "cuda",
        "resources": {"requests": {"cpu": "2", "memory": "8Gi", **_GPU}, "limits": {"cpu": "3500m", "memory": "12Gi", **_GPU}},
        "tolerations": _TOLERATIONS,
    },
    "p3.2xlarge": {
        "device": "cuda",
        "resources": {"requests": {"cpu": "4", "memory": "32Gi", **_GPU}, "limits": {"cpu": "7500m", "memory": "52Gi", **_GPU}},
        "tolerations": _TOLERATIONS,
    },
}

_TYPE, _ACCELERATOR = "node.kubernetes.io/instance-type", "cloud.google.com/gke-accelerator"
AWS = {name: {**pod, "nodeSelector": {_TYPE: name}} for name, pod in _PODS.items()}
GCP = {
    # the machine of Google Cloud that has at least the same
    "c5.large": {**_PODS["c5.large"], "nodeSelector": {_TYPE: "e2-standard-2"}},
    "g4dn.xlarge": {**_PODS["g4dn.xlarge"], "nodeSelector": {_TYPE: "n1-standard-4", _ACCELERATOR: "nvidia-tesla-t4"}},
    "p3.2xlarge": {**_PODS["p3.2xlarge"], "nodeSelector": {_TYPE: "n1-highmem-8", _ACCELERATOR: "nvidia-tesla-v100"}},
}


class _Resources(Model):
    requests: dict[str, str]
    limits: dict[str, str]


class _Toleration(Model):
    key: str
    operator: str
    effect: str


class Machine(Model):
    """What an instance type means for a Pod; tolerations are there only where there is a GPU."""

    device: str
    node_selector: dict[str, str]
    resources: _Resources
    tolerations: list[_Toleration] | None = None
