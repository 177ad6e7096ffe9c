"""Argo CD: what it syncs, in which order, for whom, and how it tells whether something is healthy."""

from .applications import IN_CLUSTER, Repository, chart, claims, infrastructure, root
from .project import platform_project, team_project
from .readme import readme
from .settings import settings

__all__ = [
    "IN_CLUSTER",
    "Repository",
    "chart",
    "claims",
    "infrastructure",
    "platform_project",
    "readme",
    "root",
    "settings",
    "team_project",
]
