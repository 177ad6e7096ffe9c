"""A fault, before it is a finding: what a check decides, without the document."""

from __future__ import annotations

from dataclasses import dataclass

from crossgate.model import Severity
from crossgate.paths import Path


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of a Composition. ``at`` is where it stands in the document; the rest are the parts of the finding."""

    at: Path
    rule: str
    reason: str
    severity: Severity
    message: str
    remediation: str
