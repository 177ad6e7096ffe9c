"""The team that orders what a search finds; its claims are YAML, in apps/claims/ranking."""

from __future__ import annotations

from mlplatform.core import Folder
from mlplatform.team import Quota, Team

TEAM = Team(
    "ranking",
    group="ml-ranking",
    owner="ranking-leads",
    cost_center="cc-4715",
    monthly_budget=40_000,
    quota=Quota(gpus=12),
)


def claims(folder: Folder) -> None:
    """Add the claims that the team writes in Python: none."""
