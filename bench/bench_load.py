"""How fast manifests are read: 3,000 typical documents of 470 bytes, with PyYAML's C loader beside it for the ratio.

python bench/bench_load.py [documents]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import yaml

from crossgate.load import load_text

_KINDS = (
    """\
apiVersion: platform.example.org/v1alpha1
kind: GPUClusterClaim
metadata:
  name: training-{i}
  namespace: ml-team-{i}
  labels:
    app.kubernetes.io/managed-by: crossgate
    team: "fraud"
  annotations:
    argocd.argoproj.io/sync-wave: "40"
spec:
  compositionSelector:
    matchLabels:
      provider: gcp
      tier: standard
  parameters:
    name: training-{i}
    region: us-central1
    gpuType: t4
    minNodes: 0
    maxNodes: {i}
""",
    """\
# Made by cdk8s.
apiVersion: apps/v1
kind: Deployment
metadata:
  name: model-{i}
  labels: {{app: model-{i}, tier: "backend"}}
spec:
  replicas: 3
  selector:
    matchLabels:
      app: model-{i}
  template:
    spec:
      containers:
      - name: server
        image: registry.example.org/ml/server:1.{i}.0
        args: ["--port", "8000"]
        env:
        - name: MODEL_PATH
          value: /models/fraud/{i}
        resources:
          limits:
            cpu: 500m
            memory: 1Gi
""",
    """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings-{i}
  namespace: ml-team-{i}
data:
  threshold: "0.{i}"
  debug: 'false'
  empty: ""
  config.yaml: |
    server:
      port: 8000
      # the workers of one pod
      workers: {i}

    features:
    - a
    - b
  note: >-
    Written by hand,
    folded into one line.
""",
    """\
apiVersion: storage.gcp.upbound.io/v1beta2
kind: Bucket
metadata:
  name: artifacts-{i}
  labels:
    purpose: models
spec:
  forProvider:
    location: EU
    storageClass: STANDARD
    uniformBucketLevelAccess: true
    lifecycleRule:
    - action:
        type: Delete
      condition:
        age: 90
    versioning:
      enabled: true
  providerConfigRef:
    name: default
""",
)


def documents(count: int) -> str:
    """Return a text of that many documents, of the kinds that a platform holds."""
    return "---\n".join(_KINDS[i % len(_KINDS)].format(i=i) for i in range(count))


def best_of(run: Callable[[], object], times: int = 5) -> float:
    """Return the processor seconds of the fastest run."""
    taken = []
    for _ in range(times):
        start = time.process_time()
        run()
        taken.append(time.process_time() - start)
    return min(taken)


def main() -> None:
    """Print documents a second of this reader and of PyYAML's C loader."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
    text = documents(count)
    ours = best_of(lambda: load_text(text))
    theirs = best_of(lambda: list(yaml.load_all(text, Loader=yaml.CSafeLoader)), times=2)  # a safe loader
    print(f"{count} documents, {len(text) / 1e6:.2f} MB")
    print(f"crossgate  {ours:.3f} s  {count / ours:>8,.0f} documents/s")
    print(f"PyYAML C   {theirs:.3f} s  {count / theirs:>8,.0f} documents/s  ({theirs / ours:.1f} times the time of crossgate)")


if __name__ == "__main__":
    main()
