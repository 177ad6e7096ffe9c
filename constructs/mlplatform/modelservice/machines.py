"""What an instance type means for a Pod: what it asks for, and what it puts up with."""

from __future__ import annotations

from typing import Any

from mlplatform.core import Model

_GPU = {"nvidia.com/gpu": "1"}
MACHINES: dict[str, dict[str, Any]] = {
    # what a node of the type has left beside the system's own Pods
    "c5.large": {
        "device": "cpu",
        "resources": {"requests": {"cpu": "1", "memory": "1536Mi"}, "limits": {"cpu": "1800m", "memory": "2560Mi"}},
    },
    "g4dn.xlarge": {
        "device": "cuda",
        "resources": {"requests": {"cpu": "2", "memory": "8Gi", **_GPU}, "limits": {"cpu": "3500m", "memory": "12Gi", **_GPU}},
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
    },
    "p3.2xlarge": {
        "device": "cuda",
        "resources": {"requests": {"cpu": "4", "memory": "32Gi", **_GPU}, "limits": {"cpu": "7500m", "memory": "52Gi", **_GPU}},
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
    },
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
    resources: _Resources
    tolerations: list[_Toleration] | None = None
