"""Helm releases: charts of pinned versions, on the cluster that Crossplane runs in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mlplatform.core import Composition, Template

VALUES = "spec.forProvider.values"
"""Where a patch finds the chart's values: ``f"{VALUES}.replicas"``."""

DEPLOYED = "status.atProvider.revision"
"""Field of the release that is there once it was installed."""


@dataclass(frozen=True)
class Chart:
    """A chart, where it comes from, and its version."""

    name: str
    repository: str
    version: str


def release(composition: Composition, name: str, chart: Chart, values: Mapping[str, Any]) -> Template:
    """Add a release of ``chart``; callers name it and say which namespace it goes to.

    It is ready when all that it made is (the provider waits as ``helm --wait`` does) and is rolled back three times when it fails.
    """
    return composition.add(
        name,
        {
            "apiVersion": "helm.crossplane.io/v1beta1",
            "kind": "Release",
            "spec": {
                "forProvider": {
                    "chart": {"name": chart.name, "repository": chart.repository, "version": chart.version},
                    "values": dict(values),
                    "skipCreateNamespace": True,
                    "wait": True,
                    "waitTimeout": "15m",
                },
                "rollbackLimit": 3,
                "providerConfigRef": {"name": "default"},
            },
        },
    )
