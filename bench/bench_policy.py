"""Speed of the rule pack: 3,000 documents in one process, beside conftest with the same rules on the same files.

Prints one line per measurement; ratios come from one run, so that a busy machine slows both.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from crossgate.model import Document, Resource, Role
from crossgate.policy import Policies

ROOT = Path(__file__).parents[1]
COUNT = 3000


def documents(count: int) -> list[dict[str, Any]]:
    """Return a platform's mix: claims, composed resources, releases, wrapped and plain manifests, 470 bytes each on average."""
    made: list[dict[str, Any]] = []
    for number in range(count):
        kind = KINDS[number % len(KINDS)]
        body = json.loads(json.dumps(kind).replace("NUMBER", str(number)))
        made.append(body)
    return made


def _meta(name: str, **more: Any) -> dict[str, Any]:
    return {"name": f"{name}-NUMBER", "labels": {"app.kubernetes.io/name": name, "owner": "fraud", "cost-center": "c-12"}, **more}


_POD = {
    "metadata": {"labels": {"app.kubernetes.io/name": "model-NUMBER"}},
    "spec": {
        "serviceAccountName": "model-NUMBER",
        "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
        "nodeSelector": {"node.kubernetes.io/instance-type": "g4dn.xlarge"},
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Equal", "value": "true", "effect": "NoSchedule"}],
        "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "ScheduleAnyway"}],
        "containers": [
            {
                "name": "inference-server",
                "image": "ghcr.io/acme/inference-server@sha256:" + "0" * 64,
                "ports": [{"containerPort": 8000, "name": "http"}],
                "env": [{"name": "S3_BUCKET_NAME", "valueFrom": {"secretKeyRef": {"name": "bucket-NUMBER", "key": "bucketName"}}}],
                "readinessProbe": {"httpGet": {"path": "/readyz", "port": "http"}},
                "livenessProbe": {"httpGet": {"path": "/healthz", "port": "http"}},
                "resources": {"requests": {"cpu": "1", "memory": "2Gi"}, "limits": {"memory": "4Gi", "nvidia.com/gpu": 1}},
                "securityContext": {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}},
            }
        ],
    },
}
_DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": _meta("model", namespace="ml-team-fraud"),
    "spec": {"replicas": 2, "selector": {"matchLabels": {"app.kubernetes.io/name": "model-NUMBER"}}, "template": _POD},
}
KINDS: list[dict[str, Any]] = [
    {
        "apiVersion": "ml.hinterbuild.com/v1alpha1",
        "kind": "GPUClusterClaim",
        "metadata": _meta("fraud", namespace="ml-team-fraud"),
        "spec": {
            "parameters": {"name": "fraud-NUMBER", "gpuType": "t4", "maxNodes": 5},
            "compositionSelector": {"matchLabels": {"provider": "gcp"}},
        },
    },
    {
        "apiVersion": "platform.acme.com/v1alpha1",
        "kind": "ModelService",
        "metadata": _meta("model", namespace="ml-team-fraud"),
        "spec": {
            "image": "ghcr.io/acme/m:1",
            "modelDataPath": "m.tar.gz",
            "compute": {"instanceType": "c5.large", "replicas": 1},
            "api": {"path": "/m-NUMBER"},
        },
    },
    {
        "apiVersion": "storage.gcp.upbound.io/v1beta2",
        "kind": "Bucket",
        "metadata": _meta("bucket"),
        "spec": {
            "forProvider": {
                "location": "US",
                "storageClass": "STANDARD",
                "versioning": {"enabled": True},
                "publicAccessPrevention": "enforced",
            }
        },
    },
    {
        "apiVersion": "container.gcp.upbound.io/v1beta2",
        "kind": "NodePool",
        "metadata": _meta("pool"),
        "spec": {
            "forProvider": {
                "clusterSelector": {"matchControllerRef": True},
                "autoscaling": {"minNodeCount": 0, "maxNodeCount": 5},
                "nodeConfig": {
                    "machineType": "n1-standard-8",
                    "guestAccelerator": [{"type": "nvidia-tesla-t4", "count": 1}],
                    "diskSizeGb": 100,
                },
            }
        },
    },
    {
        "apiVersion": "ec2.aws.upbound.io/v1beta1",
        "kind": "SecurityGroupRule",
        "metadata": _meta("rule"),
        "spec": {
            "forProvider": {
                "region": "us-east-1",
                "type": "ingress",
                "cidrBlocks": ["10.0.0.0/8", "172.16.0.0/12"],
                "fromPort": 443,
                "toPort": 443,
            }
        },
    },
    {
        "apiVersion": "helm.crossplane.io/v1beta1",
        "kind": "Release",
        "metadata": _meta("release"),
        "spec": {
            "forProvider": {
                "chart": {"name": "mlflow", "repository": "https://community-charts.github.io/helm-charts", "version": "0.7.19"},
                "namespace": "mlflow",
                "values": {
                    "resources": {"requests": {"cpu": "1", "memory": "2Gi"}},
                    "service": {"type": "ClusterIP"},
                    "existingSecret": "mlflow-auth",
                },
            }
        },
    },
    {
        "apiVersion": "kubernetes.crossplane.io/v1alpha2",
        "kind": "Object",
        "metadata": _meta("object"),
        "spec": {
            "forProvider": {
                "manifest": {
                    "apiVersion": "v1",
                    "kind": "Service",
                    "metadata": {"name": "model-NUMBER", "namespace": "ml-team-fraud"},
                    "spec": {"selector": {"app": "model-NUMBER"}, "ports": [{"port": 80, "targetPort": 8000}]},
                }
            }
        },
    },
    _DEPLOYMENT,
    {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": _meta("policy", namespace="ml-team-fraud"),
        "spec": {
            "podSelector": {},
            "policyTypes": ["Ingress"],
            "ingress": [{"from": [{"namespaceSelector": {"matchLabels": {"kong": "true"}}}]}],
        },
    },
    {
        "apiVersion": "external-secrets.io/v1",
        "kind": "ExternalSecret",
        "metadata": _meta("secret", namespace="ml-team-fraud"),
        "spec": {
            "secretStoreRef": {"name": "platform", "kind": "ClusterSecretStore"},
            "data": [{"secretKey": "password", "remoteRef": {"key": "k-NUMBER"}}],
        },
    },
]


def main() -> None:
    made = documents(COUNT)
    size = sum(len(json.dumps(body)) for body in made)
    cold = time.process_time()
    policies = Policies.load([ROOT / "policies"])
    cold = time.process_time() - cold
    resources = [Resource(body, Role.DOCUMENT, Document(body, "bench.yaml", 1)) for body in made]
    before, start = _cpu(), time.perf_counter()
    judgement = policies.judge(resources)
    wall, cpu = time.perf_counter() - start, _cpu() - before
    assert not judgement.could_not_check, judgement.could_not_check[:3]
    print(f"{len(policies.rules)} rules, {COUNT} documents, {size / 1e6:.2f} MB in {wall:.2f} s")
    print(f"processor time: {cpu:.2f} s, {cpu / COUNT * 1e6:.0f} µs a document")
    print(f"load: {cold * 1e3:.0f} ms; findings: {len(judgement.findings)}")
    conftest = shutil.which("conftest", path=os.pathsep.join([os.environ.get("CROSSGATE_TOOLS", ""), os.environ["PATH"]]))
    if conftest is None:
        print("conftest: not installed (make tools), no ratio")
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "all.yaml")
        file.write_text("\n---\n".join(json.dumps(body) for body in made))
        before = _cpu()
        subprocess.run(
            [conftest, "test", "--all-namespaces", "-p", ROOT / "policies", "-o", "json", file], stdout=subprocess.DEVNULL, check=False
        )
        theirs = _cpu() - before
    print(f"conftest: {theirs:.2f} s processor time, {theirs / cpu:.1f} times ours")


def _cpu() -> float:
    """Return the processor time of this process and its children so far, in seconds."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


if __name__ == "__main__":
    sys.exit(main())
