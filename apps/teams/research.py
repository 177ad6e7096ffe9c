"""The team that tries out new architectures; its claims are YAML, in apps/claims/research."""

from __future__ import annotations

from mlplatform.core import Folder
from mlplatform.team import Quota, Team

TEAM = Team(
    "research",
    group="ml-research",
    owner="research-leads",
    cost_center="cc-4713",
    monthly_budget=40_000,
    quota=Quota(gpus=12),
)


def claims(folder: Folder) -> None:
    """Add the claims that the team writes in Python: none."""
