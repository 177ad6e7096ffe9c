"""Tell new findings from those that the base has already."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable

from crossgate.model import Finding

_INDEX = re.compile(r"\[\d+\]")


def divided(findings: Iterable[Finding], base: Iterable[Finding]) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """Divide findings into new ones and those that are known from the base.

    A finding is known by its fingerprint (no file, line or generated name is in it) and its severity, as often as the base has it. Of the
    rest, one that says the same of the same object at another index is known too: something was put into a list before it.
    """
    fresh, left = list(findings), list(base)
    known: list[Finding] = []
    for key in (_exact, _shifted):
        fresh, left, same = _matched(fresh, left, key)
        known += same
    return tuple(fresh), tuple(known)


def _matched(
    findings: list[Finding], base: list[Finding], key: Callable[[Finding], Hashable]
) -> tuple[list[Finding], list[Finding], list[Finding]]:
    """Return the findings without a partner, what is left of the base's, and the findings with one."""
    there = Counter(map(key, base))
    fresh: list[Finding] = []
    known: list[Finding] = []
    used: Counter[Hashable] = Counter()
    for finding in findings:
        name = key(finding)
        if used[name] < there[name]:
            used[name] += 1
            known.append(finding)
        else:
            fresh.append(finding)
    left = []
    for finding in base:
        name = key(finding)
        if used[name]:
            used[name] -= 1
        else:
            left.append(finding)
    return fresh, left, known


def _exact(finding: Finding) -> Hashable:
    return finding.fingerprint, finding.severity


def _shifted(finding: Finding) -> Hashable:
    return (
        finding.rule,
        finding.reason,
        finding.severity,
        finding.resource,
        finding.origin,
        _INDEX.sub("[]", finding.path),
        _INDEX.sub("[]", finding.message),
    )
