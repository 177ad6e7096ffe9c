"""Bring findings together that have one cause."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from crossgate.model import Finding


def grouped(findings: Iterable[Finding]) -> list[list[Finding]]:
    """Bring together what one line of the author's caused, the worst first: a claim's value is often faulty in all that it feeds."""
    groups: dict[tuple[Any, ...], list[Finding]] = {}
    for finding in findings:
        place = finding.place
        groups.setdefault((finding.severity.rank, place.file, place.line, place.column, finding.rule, finding.message), []).append(finding)
    return [groups[key] for key in sorted(groups)]
