"""Prices that are easy to add up, and resources to be priced."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossgate.cost.estimate import estimate
from crossgate.cost.model import Estimate
from crossgate.cost.prices import Prices
from crossgate.model import Document, Resource, Role

TEXT = """
prices:
  currency: USD
  sources: {gcp: {name: a list, date: "2025-01-31"}}
  assumed: {object-storage-gib: 10, nat-gib: 5}
  workloads: {default: gcp, gcp: europe-west4, aws: eu-central-1}
  gpus: {a2-highgpu-1g: {a100: 1}, g4dn.xlarge: {t4: 1}, standard_nc6s_v3: {v100: 1}}
  regions:
    gcp:
      "*": {hourly: {gke-cluster: 0.1}}
      us-central1:
        hourly: {n1-standard-4: 1, a2-highgpu-1g: 4, gpu-t4: 0.5, cloudsql-vcpu: 0.01, cloudsql-memory-gib: 0.001, db-f1-micro: 0.2}
        monthly: {pd-balanced: 0.1, cloudsql-pd-ssd: 0.2, gcs-standard: 0.02}
      europe-west4:
        like: us-central1
        factor: 1.1
        hourly: {n1-standard-4: 2, workload-vcpu: 0.1, workload-memory-gib: 0.01}
        monthly: {pd-ssd: 0.3}
        approximate: [workload-vcpu]
    aws:
      "*": {hourly: {eks-cluster: 0.1}}
      eu-central-1:
        hourly: {g4dn.xlarge: 1, c5.large: 0.1, nat-gateway: 0.05, cache.t4g.small: 0.03, db.t4g.medium postgres: 0.07}
        monthly: {gp3: 0.1, s3-standard: 0.02, nat-gateway-gib: 0.05, rds-gp3: 0.2}
    azure:
      westeurope:
        hourly: {aks-standard: 0.1, standard_nc6s_v3: 3, standard_d4s_v5: 0.2}
        monthly: {premium-p10: 20, blob-hot-lrs: 0.02}
"""


def made(api_version: str, kind: str, spec: dict[str, Any], role: Role = Role.COMPOSED, name: str = "x") -> Resource:
    body = {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, "namespace": "ml-team-a"}, "spec": spec}
    return Resource(body, role, Document(body, "claim.yaml", 1))


@pytest.fixture
def prices(tmp_path: Path) -> Prices:
    file = tmp_path / "prices.yaml"
    file.write_text(TEXT)
    return Prices.read(file)


@pytest.fixture
def bill(prices: Prices) -> Callable[..., Estimate]:
    """Return what managed resources cost: each is API, kind and fields of ``forProvider``."""

    def bill(*resources: tuple[str, str, dict[str, Any]]) -> Estimate:
        return estimate([made(api, kind, {"forProvider": fields}) for api, kind, fields in resources], prices)

    return bill


@pytest.fixture
def work(prices: Prices) -> Callable[..., Estimate]:
    """Return what objects of Kubernetes cost: each is API, kind and ``spec``."""

    def work(*resources: tuple[str, str, dict[str, Any]]) -> Estimate:
        return estimate([made(api, kind, spec, Role.WRAPPED) for api, kind, spec in resources], prices)

    return work
