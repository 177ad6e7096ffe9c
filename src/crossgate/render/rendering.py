"""What a render gives back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from crossgate.model import Flow
from crossgate.paths import Path


@dataclass(frozen=True, slots=True, eq=False)
class ComposedResource:
    """One composed resource and where it comes from.

    ``base`` is the path of its template's base in the Composition's document, ``flows`` say what each
    patch read in the XR and wrote here, in the order in which they ran (one per variable for a combine
    patch, one per element for a wildcard). What was read from the environment has a source that starts
    with ``(environment)``, unless a patch of the same step had put it there from the XR.
    """

    body: dict[str, Any]
    step: str = ""
    template: str = ""
    base: Path = ()
    flows: tuple[Flow, ...] = ()
    ready: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Rendering:
    """What Crossplane makes of an XR.

    ``xr`` is the XR with the status that it would get, ``context`` the pipeline's context at its end,
    ``warnings`` what Crossplane would report as warning events. ``hints`` are crossgate's own: things
    that render but are hardly meant so. ``connection`` are the connection details that a legacy XR
    publishes; any other XR gets a Secret among its composed resources.
    """

    resources: tuple[ComposedResource, ...]
    xr: dict[str, Any]
    context: dict[str, Any]
    warnings: list[str]
    hints: tuple[str, ...] = ()
    connection: dict[str, bytes] = field(default_factory=dict)

    @property
    def composed(self) -> list[dict[str, Any]]:
        """Return the bodies of the composed resources."""
        return [resource.body for resource in self.resources]
