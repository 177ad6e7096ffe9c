"""What an export is: objects to apply, and rules that could not be exported with the reason."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


class CannotExportError(Exception):
    """A rule cannot be enforced at admission; the text says why, in one line."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A rule that was not exported, and why."""

    rule: str
    why: str


@dataclass(frozen=True, slots=True)
class Options:
    """How the exported objects act.

    ``audit`` reports and refuses nothing, whatever a rule's severity. ``excluded`` are namespaces that are not judged: the
    cluster's own Pods have to start before anything else works.
    """

    audit: bool = False
    excluded: tuple[str, ...] = ("kube-system",)


@dataclass(frozen=True, slots=True)
class Export:
    """What was made: the objects of each file by its name, the rules that they enforce (with what they leave out), and refusals."""

    files: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    exported: dict[str, str] = field(default_factory=dict)
    refused: tuple[Refusal, ...] = ()
