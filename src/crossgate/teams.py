"""Whose an object is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crossgate.model import Identity

PREFIX = "ml-team-"
"""What a team's namespace starts with."""

PLATFORM = "platform"
"""Who owns what stands in no namespace and names no team."""


def team_of(body: Any) -> str:
    """Return the team of an object as its author wrote it.

    The namespace says it, since only its team may write into it: ``ml-team-fraud`` is ``fraud``, any other name is itself. Of what
    stands in no namespace the label ``team`` says it, without one it is the platform's.
    """
    identity = Identity.of(body)
    if identity.kind == "Namespace" and not identity.namespace and identity.name.startswith(PREFIX):
        return identity.name.removeprefix(PREFIX)
    if identity.namespace:
        return identity.namespace.removeprefix(PREFIX)
    metadata = body.get("metadata") if isinstance(body, Mapping) else None
    labels = metadata.get("labels") if isinstance(metadata, Mapping) else None
    team = labels.get("team") if isinstance(labels, Mapping) else None
    return team if isinstance(team, str) and team else PLATFORM
