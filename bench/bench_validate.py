"""Speed of reading and validating: 3,000 typical documents in one process, beside kubeconform and conftest on the same files.

    python bench/bench_validate.py

Our own times are processor seconds; ratios are by the clock and from one run, so that a busy machine slows all. The other tools
are skipped when they are not installed.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import jsonschema_rs  # noqa: F401  (imported once a process, whichever kind comes first: not a part of a kind's cost)
import yaml

from crossgate.load import load_text
from crossgate.schema import Schemas, validation
from crossgate.schema.editor import json_schema

ROOT = Path(__file__).parents[1]
COUNT = 3000
FILES = 30

_LABELS = {"app.kubernetes.io/name": "model-NUMBER", "team": "fraud", "cost-center": "c-12"}
_POD = {
    "serviceAccountName": "model",
    "containers": [
        {
            "name": "server",
            "image": "registry.example.org/ml/server:1.NUMBER.0",
            "ports": [{"name": "http", "containerPort": 8000}],
            "env": [{"name": "MODEL_PATH", "value": "/models/fraud/NUMBER"}],
            "resources": {"requests": {"cpu": "100m", "memory": "256Mi"}, "limits": {"cpu": "1", "memory": "1Gi"}},
        }
    ],
}


def _object(api_version: str, kind: str, **fields: Any) -> dict[str, Any]:
    metadata = {"name": f"{kind.lower()}-NUMBER", "namespace": "ml-team-fraud", "labels": _LABELS}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **fields}


KINDS = (
    _object(
        "apps/v1",
        "Deployment",
        spec={"replicas": 3, "selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}}, "spec": _POD}},
    ),
    _object("v1", "Service", spec={"selector": {"a": "b"}, "ports": [{"name": "http", "port": 80, "targetPort": 8000}]}),
    _object("v1", "ConfigMap", data={"threshold": "0.NUMBER", "config.yaml": "server:\n  port: 8000\n  workers: 4\n"}),
    _object(
        "storage.gcp.upbound.io/v1beta2",
        "Bucket",
        spec={
            "forProvider": {"location": "EU", "storageClass": "STANDARD", "versioning": {"enabled": True}},
            "providerConfigRef": {"name": "default"},
        },
    ),
    _object(
        "container.gcp.upbound.io/v1beta2",
        "NodePool",
        spec={
            "forProvider": {
                "clusterSelector": {"matchControllerRef": True},
                "location": "us-central1",
                "autoscaling": {"minNodeCount": 0, "maxNodeCount": 10},
                "nodeConfig": {
                    "machineType": "n1-standard-8",
                    "guestAccelerator": [{"type": "nvidia-tesla-t4", "count": 1}],
                    "diskSizeGb": 100,
                },
            }
        },
    ),
    _object(
        "kubernetes.crossplane.io/v1alpha2",
        "Object",
        spec={"forProvider": {"manifest": {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "model", "namespace": "t"}}}},
    ),
    _object(
        "helm.crossplane.io/v1beta1",
        "Release",
        spec={"forProvider": {"namespace": "w", "chart": {"name": "weaviate", "version": "16.8.0"}, "values": {"replicas": 3}}},
    ),
    _object(
        "argoproj.io/v1alpha1",
        "Application",
        spec={
            "project": "ml",
            "source": {"repoURL": "https://git.example.org/ml", "path": "dist", "targetRevision": "main"},
            "destination": {"namespace": "ml", "server": "https://kubernetes.default.svc"},
        },
    ),
)


def documents() -> list[dict[str, Any]]:
    """Return what a platform holds: workloads, managed resources, wrapped manifests, releases and applications."""
    return [json.loads(json.dumps(KINDS[number % len(KINDS)]).replace("NUMBER", str(number))) for number in range(COUNT)]


def as_yaml(bodies: list[dict[str, Any]]) -> str:
    """Return the documents as block YAML, as people and cdk8s write it."""
    return "---\n".join(yaml.dump(body, Dumper=yaml.CSafeDumper, sort_keys=False) for body in bodies)


GKE = {
    "apiVersion": "container.gcp.upbound.io/v1beta2",
    "kind": "Cluster",
    "metadata": {"name": "c"},
    "spec": {"forProvider": {"location": "us-central1"}},
}


def first_use(walked: int) -> float:
    """Return the milliseconds that the GKE Cluster (a CRD of 616 kB) costs when first asked for; with 0 the fast yes is built at once."""
    before, validation.WALKED = validation.WALKED, walked
    taken = []
    try:
        for _ in range(5):
            schemas = Schemas.load([ROOT / "schemas"])
            start = time.process_time()
            assert schemas.validate(GKE) == []
            taken.append((time.process_time() - start) * 1e3)
    finally:
        validation.WALKED = before
    return min(taken)


def cold() -> tuple[float, float]:
    """Return the seconds that a process of its own takes to validate one managed resource, and to start at all."""
    program = f"from crossgate.schema import Schemas; assert Schemas.load([{str(ROOT / 'schemas')!r}]).validate({GKE!r}) == []"
    return _timed([sys.executable, "-c", program]), _timed([sys.executable, "-c", "pass"])


def _timed(command: list[str], **more: Any) -> float:
    taken = []
    for _ in range(3):
        start = time.perf_counter()
        subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)
        taken.append(time.perf_counter() - start)
    return min(taken)


def others(bodies: list[dict[str, Any]], ours: float) -> None:
    """Print the time of the other tools on the same documents, as a ratio of ours."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "files").mkdir()
        for number in range(FILES):
            (folder / "files" / f"{number}.yaml").write_text(as_yaml(bodies[number::FILES]))
        schemas = Schemas.load([ROOT / "schemas"])
        (folder / "schemas").mkdir()
        for body in KINDS:
            schema = schemas.structural(body["apiVersion"], body["kind"])
            version = body["apiVersion"].rpartition("/")[2]
            (folder / "schemas" / f"{body['kind'].lower()}_{version}.json").write_text(json.dumps(json_schema(schema)))
        (folder / "policy.rego").write_text('package main\nimport rego.v1\ndeny contains "no name" if not input.metadata.name\n')
        where = f"{folder}/schemas/{{{{.ResourceKind}}}}_{{{{.ResourceAPIVersion}}}}.json"
        for tool, arguments in {
            "kubeconform": ["-strict", "-schema-location", where, str(folder / "files")],
            "conftest": ["test", "-p", str(folder / "policy.rego"), str(folder / "files")],
        }.items():
            path = os.pathsep.join([os.environ.get("CROSSGATE_TOOLS", ""), os.environ.get("PATH", "")])
            program = shutil.which(tool, path=path)
            if not program:
                print(f"{tool:<34} not installed")
                continue
            taken = _timed([program, *arguments])
            print(f"{tool + ' on the same files':<34} {taken:.3f} s   {taken / ours:.1f} times crossgate")


def main() -> None:
    """Print one line a measurement."""
    bodies = documents()
    text = as_yaml(bodies)
    runs = []
    for _ in range(3):
        schemas = Schemas.load([ROOT / "schemas"])
        start, used = time.perf_counter(), time.process_time()
        read = load_text(text)
        middle = time.process_time()
        problems = [problem for document in read for problem in schemas.validate(document.body)]
        runs.append((time.process_time() - used, middle - used, time.perf_counter() - start))
        assert not problems, problems[:3]
    whole, reading, _ = min(runs)
    wall = min(run[2] for run in runs)
    one, nothing = cold()
    print(f"{COUNT} documents, {len(text) / 1e6:.2f} MB")
    print(f"{'read':<34} {reading:.3f} s")
    print(f"{'validate, from nothing':<34} {whole - reading:.3f} s   {(whole - reading) / COUNT * 1e6:.0f} µs a document")
    print(f"{'read and validate':<34} {whole:.3f} s   (promised: under 0.6 s; {wall:.3f} s by the clock)")
    print(f"{'GKE Cluster, first use':<34} {first_use(validation.WALKED):.1f} ms   (promised: under 15 ms)")
    print(f"{'the same with the fast yes at once':<34} {first_use(0):.1f} ms")
    print(f"{'a process for one resource':<34} {one:.3f} s   of which Python's own start {nothing:.3f} s")
    others(bodies, wall)


if __name__ == "__main__":
    main()
