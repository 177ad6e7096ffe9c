"""A team: its namespace, and the claims in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from crossgate.model import Place
from mlplatform.blocks.managed import TEAM_NAMESPACE
from mlplatform.core import Folder, Manifest, caller


@dataclass(frozen=True)
class Team:
    """Who a team is. ``owner`` and ``cost_center`` become labels of everything that it claims."""

    name: str
    owner: str
    cost_center: str
    place: Place = field(default_factory=caller)

    @property
    def namespace(self) -> str:
        """Return the namespace that only this team may write into."""
        return f"{TEAM_NAMESPACE}{self.name}"

    @property
    def labels(self) -> Mapping[str, str]:
        """Return the labels of what belongs to the team."""
        return {"team": self.name, "owner": self.owner, "cost-center": self.cost_center}

    def add_to(self, folder: Folder) -> None:
        """Write what the team needs on the cluster before it can claim anything."""
        body: dict[str, Any] = {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": self.namespace, "labels": dict(self.labels)},
        }
        Manifest(folder, f"namespace-{self.name}", body, sources={(): self.place})
