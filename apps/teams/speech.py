"""The team that turns calls into text; its claims are YAML, in apps/claims/speech."""

from __future__ import annotations

from mlplatform.core import Folder
from mlplatform.team import Quota, Team

TEAM = Team(
    "speech",
    group="ml-speech",
    owner="speech-leads",
    cost_center="cc-4714",
    monthly_budget=40_000,
    quota=Quota(gpus=12),
)


def claims(folder: Folder) -> None:
    """Add the claims that the team writes in Python: none."""
