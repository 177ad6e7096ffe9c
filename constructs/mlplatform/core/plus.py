"""Take manifests from cdk8s-plus (or any cdk8s construct): its defaults are safe ones, and its objects fit each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import node  # noqa: F401  # isort: skip - it must run before cdk8s is imported
import cdk8s


def manifests(build: Callable[[cdk8s.Chart], object]) -> list[dict[str, Any]]:
    """Return what ``build`` adds to a chart, as manifests in the order of their dependencies; the chart goes nowhere else."""
    chart = cdk8s.Chart(cdk8s.App(), "manifests", disable_resource_name_hashes=True)
    build(chart)
    made: list[dict[str, Any]] = chart.to_json()
    return made
