"""The team that finds fraudulent payments; its claims are YAML, in apps/claims/fraud."""

from __future__ import annotations

from mlplatform.core import Folder
from mlplatform.team import Team

TEAM = Team("fraud", group="ml-fraud", owner="fraud-leads", cost_center="cc-4711", monthly_budget=8_000)


def claims(folder: Folder) -> None:
    """Add the claims that the team writes in Python: none."""
