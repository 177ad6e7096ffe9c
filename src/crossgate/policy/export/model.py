"""What an export is: objects to apply, and rules that could not be exported with the reason."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


class CannotExportError(Exception):
    """A rule cannot be enforced at admission; the text says why, in one line."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A rule (or a waiver) that was not exported, and why."""

    rule: str
    why: str


@dataclass(frozen=True, slots=True)
class Exemption:
    """What of a rule's findings is let pass, by whom (``owner``) and until which day (that day included).

    ``resource`` and ``path`` are regular expressions (RE2) for the object's name (``Kind namespace/name``) and the finding's place, empty
    where everything fits; ``annotated`` is what the object must name in its annotation (``WAIVER``), empty where it need not.
    """

    rule: str
    id: str
    owner: str
    until: str
    resource: str
    path: str = ""
    annotated: str = ""

    def __str__(self) -> str:
        return f"{self.id} until {self.until} ({self.owner})"


@dataclass(frozen=True, slots=True)
class Options:
    """How the exported objects act.

    ``audit`` reports and refuses nothing, whatever a rule's severity. ``excluded`` are namespaces that are not judged: the
    cluster's own Pods have to start before anything else works. ``exempt`` is what is let pass.
    """

    audit: bool = False
    excluded: tuple[str, ...] = ("kube-system",)
    exempt: tuple[Exemption, ...] = ()

    def exempt_from(self, rule: str) -> tuple[Exemption, ...]:
        """Return what is let pass of a rule's findings."""
        return tuple(exemption for exemption in self.exempt if exemption.rule == rule)


def waivers_of(exempt: tuple[Exemption, ...]) -> dict[str, str]:
    """Return the annotation that says what is let pass until when; none where nothing is."""
    return {"crossgate/waivers": "; ".join(map(str, exempt))} if exempt else {}


@dataclass(frozen=True, slots=True)
class Export:
    """What was made: the objects of each file by its name, the rules that they enforce (with what they leave out), and refusals.

    ``waived`` are the exemptions that the objects hold, ``not_waived`` those that they cannot, with the reason.
    """

    files: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    exported: dict[str, str] = field(default_factory=dict)
    refused: tuple[Refusal, ...] = ()
    waived: tuple[Exemption, ...] = ()
    not_waived: tuple[Refusal, ...] = ()
