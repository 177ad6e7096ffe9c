"""When function-auto-ready takes a Kubernetes object for ready: its health checks by kind.

A check looks at the object as observed (wire form: numbers are floats). What is missing or of the wrong
type makes an object not ready.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from crossgate.paths import follow

Check = Callable[[dict[str, Any]], bool]


def _number(body: dict[str, Any], *path: str) -> int | None:
    found = follow(body, path)
    return int(found) if isinstance(found, int | float) and not isinstance(found, bool) else None


def _conditions(body: dict[str, Any]) -> list[tuple[Any, Any]]:
    found = follow(body, ("status", "conditions"))
    if not isinstance(found, list):
        return []
    return [(condition.get("type"), condition.get("status")) for condition in found if isinstance(condition, dict)]


def _time(body: dict[str, Any], name: str) -> datetime | None:
    found = follow(body, ("status", name))
    try:
        return datetime.fromisoformat(found) if isinstance(found, str) else None
    except ValueError:
        return None


def _always(_body: dict[str, Any]) -> bool:
    return True


def _cron_job(body: dict[str, Any]) -> bool:
    if follow(body, ("spec", "suspend")) is True:
        return True
    scheduled, succeeded = _time(body, "lastScheduleTime"), _time(body, "lastSuccessfulTime")
    if scheduled is None:
        return False
    active = follow(body, ("status", "active"))
    if isinstance(active, list) and active:
        return True
    return succeeded is not None and succeeded >= scheduled


def _daemon_set(body: dict[str, Any]) -> bool:
    names = ("desiredNumberScheduled", "numberReady", "updatedNumberScheduled", "numberAvailable")
    found = {_number(body, "status", name) for name in names}
    return None not in found and len(found) == 1


def _replicas(body: dict[str, Any]) -> int:
    found = _number(body, "spec", "replicas")
    return 1 if found is None else found


def _deployment(body: dict[str, Any]) -> bool:
    found = {_number(body, "status", name) for name in ("updatedReplicas", "availableReplicas")}
    return found == {_replicas(body)} and ("Available", "True") in _conditions(body)


def _autoscaler(body: dict[str, Any]) -> bool:
    failures = ("FailedGetScale", "FailedUpdateScale", "FailedGetResourceMetric", "InvalidSelector")
    for kind, status in _conditions(body):
        if status == "True" and (kind in failures or kind in ("ScalingActive", "ScalingLimited")):
            return kind not in failures
    return False


def _address(body: dict[str, Any]) -> bool:
    found = follow(body, ("status", "loadBalancer", "ingress"))
    return isinstance(found, list) and len(found) > 0


def _job(body: dict[str, Any]) -> bool:
    for kind, status in _conditions(body):
        if status == "True" and kind in ("Failed", "Suspended", "Complete"):
            return bool(kind == "Complete")
    return False


def _volume_claim(body: dict[str, Any]) -> bool:
    return bool(follow(body, ("status", "phase")) == "Bound")


def _pod(body: dict[str, Any]) -> bool:
    phase = follow(body, ("status", "phase"))
    if phase == "Running" and follow(body, ("spec", "restartPolicy")) == "Always":
        return ("Ready", "True") in _conditions(body)
    return bool(phase == "Succeeded")


def _replica_set(body: dict[str, Any]) -> bool:
    if (_number(body, "status", "observedGeneration") or 0) < (_number(body, "metadata", "generation") or 0):
        return False
    if ("ReplicaFailure", "True") in _conditions(body):
        return False
    return (_number(body, "status", "availableReplicas") or 0) >= _replicas(body)


def _service(body: dict[str, Any]) -> bool:
    return follow(body, ("spec", "type")) != "LoadBalancer" or _address(body)


def _stateful_set(body: dict[str, Any]) -> bool:
    if {_number(body, "status", name) for name in ("readyReplicas", "currentReplicas")} != {_replicas(body)}:
        return False
    current, updated = (follow(body, ("status", name)) for name in ("currentRevision", "updateRevision"))
    return isinstance(current, str) and bool(current == updated)


CHECKS: dict[tuple[str, str, str], Check] = {
    ("", "v1", "ConfigMap"): _always,
    ("", "v1", "Namespace"): _always,
    ("", "v1", "Secret"): _always,
    ("", "v1", "ServiceAccount"): _always,
    ("", "v1", "PersistentVolumeClaim"): _volume_claim,
    ("", "v1", "Pod"): _pod,
    ("", "v1", "Service"): _service,
    ("apps", "v1", "DaemonSet"): _daemon_set,
    ("apps", "v1", "Deployment"): _deployment,
    ("apps", "v1", "ReplicaSet"): _replica_set,
    ("apps", "v1", "StatefulSet"): _stateful_set,
    ("autoscaling", "v2", "HorizontalPodAutoscaler"): _autoscaler,
    ("batch", "v1", "CronJob"): _cron_job,
    ("batch", "v1", "Job"): _job,
    ("networking.k8s.io", "v1", "Ingress"): _address,
}
"""Per group, version and kind."""
