"""Kubernetes' own kinds, by example; thousands of recorded answers stand in tests/conformance."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from crossgate.schema import Schemas

POD = {
    "containers": [
        {
            "name": "main",
            "image": "nginx:1",
            "ports": [{"name": "http", "containerPort": 80}],
            "volumeMounts": [{"name": "data", "mountPath": "/data"}],
            "resources": {"limits": {"cpu": 0.5, "memory": "1Gi", "nvidia.com/gpu": 1}},
            "readinessProbe": {"httpGet": {"path": "/", "port": "http"}},
        }
    ],
    "volumes": [{"name": "data", "emptyDir": {}}],
}
DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "d"},
    "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}}, "spec": POD}},
}
CONTAINER = ("spec", "template", "spec", "containers", 0)


@pytest.fixture(scope="module")
def schemas(root: Path) -> Schemas:
    return Schemas.load([root / "schemas"])


def _with(path: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    body = copy.deepcopy(DEPLOYMENT)
    parent: Any = body
    for step in path[:-1]:
        parent = parent[step]
    parent[path[-1]] = value
    return body


def test_a_good_deployment(schemas: Schemas) -> None:
    assert schemas.validate(DEPLOYMENT) == []


@pytest.mark.parametrize(
    ("reason", "path", "value", "named"),
    [
        ("a word for a number cannot be decoded", ("spec", "replicas"), "three", ["spec.replicas"]),
        ("a null stands for nothing", ("spec", "replicas"), None, []),
        ("YAML's 2.0 reaches the server as 2", ("spec", "replicas"), 2.0, []),
        ("half a replica is none", ("spec", "replicas"), 2.5, ["spec.replicas"]),
        ("negative replicas", ("spec", "replicas"), -1, ["spec.replicas"]),
        ("an unknown field", (*CONTAINER, "imagee"), "x", ["spec.template.spec.containers[0].imagee"]),
        ("the selector must match", ("spec", "selector", "matchLabels"), {"app": "api"}, ["spec.template.metadata.labels"]),
        ("an empty selector would select everything", ("spec", "selector"), {}, ["spec.selector"]),
        (
            "a port out of range",
            (*CONTAINER, "ports", 0, "containerPort"),
            99999,
            ["spec.template.spec.containers[0].ports[0].containerPort"],
        ),
        (
            "a volume that is not there",
            ("spec", "template", "spec", "volumes"),
            [],
            ["spec.template.spec.containers[0].volumeMounts[0].name"],
        ),
        ("a Deployment restarts always", ("spec", "template", "spec", "restartPolicy"), "Never", ["spec.template.spec.restartPolicy"]),
        (
            "a resource without a domain",
            (*CONTAINER, "resources", "limits", "gpu"),
            1,
            ["spec.template.spec.containers[0].resources.limits.gpu"],
        ),
        ("no quantity", (*CONTAINER, "resources", "limits", "cpu"), "one", ["spec.template.spec.containers[0].resources.limits.cpu"]),
        ("a probe needs a handler", (*CONTAINER, "readinessProbe"), {}, ["spec.template.spec.containers[0].readinessProbe"]),
    ],
)
def test_faults_of_a_deployment(reason: str, path: tuple[str | int, ...], value: Any, named: list[str], schemas: Schemas) -> None:
    assert [problem.path for problem in schemas.validate(_with(path, value))] == named, reason


def _object(api_version: str, kind: str, **fields: Any) -> dict[str, Any]:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "x"}, **fields}


RBAC = "rbac.authorization.k8s.io"


@pytest.mark.parametrize(
    ("body", "named"),
    [
        (_object("v1", "Secret", data={"a": "plain text"}), ["data.a"]),
        (_object("v1", "Secret", type="kubernetes.io/tls", data={"tls.crt": "YQ=="}), ["data[tls.key]"]),
        (_object("v1", "ConfigMap", data={"a b": "c"}), ["data.a b"]),
        (_object("v1", "ConfigMap", data={"a": "b"}, binaryData={"a": "YQ=="}), ["data.a"]),
        (_object("v1", "Service", spec={"selector": {"a": "b"}}), ["spec.ports"]),
        (_object("v1", "Service", spec={"ports": [{"port": 80}, {"port": 81}]}), ["spec.ports[0].name", "spec.ports[1].name"]),
        (_object("v1", "Service", spec={"clusterIP": "None"}), []),
        (_object(f"{RBAC}/v1", "Role", rules=[{"apiGroups": [""], "resources": ["pods"], "verbs": []}]), ["rules[0].verbs"]),
        (_object(f"{RBAC}/v1", "ClusterRole", rules=[{"nonResourceURLs": ["/healthz"], "verbs": ["get"]}]), []),
        (
            _object(f"{RBAC}/v1", "ClusterRoleBinding", roleRef={"apiGroup": RBAC, "kind": "Role", "name": "r"}),
            ["roleRef.kind"],
        ),
        (_object("networking.k8s.io/v1", "Ingress", spec={}), ["spec"]),
        (
            _object(
                "networking.k8s.io/v1", "NetworkPolicy", spec={"podSelector": {}, "egress": [{"to": [{"ipBlock": {"cidr": "10.0.0.0"}}]}]}
            ),
            ["spec.egress[0].to[0].ipBlock.cidr"],
        ),
        (_object("policy/v1", "PodDisruptionBudget", spec={"minAvailable": 1, "maxUnavailable": "50%"}), ["spec"]),
        (
            _object(
                "autoscaling/v2",
                "HorizontalPodAutoscaler",
                spec={"minReplicas": 5, "maxReplicas": 2, "scaleTargetRef": {"kind": "D", "name": "d"}},
            ),
            ["spec.maxReplicas"],
        ),
        (
            _object(
                "batch/v1",
                "CronJob",
                spec={"schedule": "* * *", "jobTemplate": {"spec": {"template": {"spec": {**POD, "restartPolicy": "Never"}}}}},
            ),
            ["spec.schedule"],
        ),
        ({**_object("v1", "Service", spec={"ports": [{"port": 80}]}), "metadata": {"name": "1st"}}, ["metadata.name"]),
        ({**_object(f"{RBAC}/v1", "ClusterRole"), "metadata": {"name": "system:any:Thing"}}, []),
        ({**_object("v1", "Namespace"), "metadata": {"name": "a.b"}}, ["metadata.name"]),
    ],
)
def test_other_kinds(body: dict[str, Any], named: list[str], schemas: Schemas) -> None:
    assert [problem.path for problem in schemas.validate(body)] == named


def test_a_stateful_sets_claims_are_volumes_of_its_pods(schemas: Schemas) -> None:
    claim = {"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}
    body = copy.deepcopy(DEPLOYMENT)
    body["kind"] = "StatefulSet"
    body["spec"]["serviceName"] = "d"
    del body["spec"]["template"]["spec"]["volumes"]
    body["spec"]["volumeClaimTemplates"] = [claim]
    assert schemas.validate(body) == []
