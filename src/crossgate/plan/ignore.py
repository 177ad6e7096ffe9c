"""Path patterns of changes that are counted but not shown."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from crossgate.paths import Path


def ignored(path: Path, patterns: Iterable[str]) -> bool:
    """Say whether a field falls under one of the patterns of ``[plan] ignore``.

    A pattern is a dotted path; keys with dots stand in brackets, as in ``metadata.labels[helm.sh/chart]``. ``*`` is any part of one step,
    ``**`` any number of steps. A pattern that ends above the field takes in everything below.
    """
    steps = tuple(str(step) for step in path)
    return any(_matches(_steps(pattern), steps) for pattern in patterns)


@lru_cache
def _steps(pattern: str) -> tuple[re.Pattern[str] | None, ...]:
    found = re.findall(r"\[([^\]]*)\]|([^.\[\]]+)", pattern)
    return tuple(
        None if (step := one or other) == "**" else re.compile(re.escape(step).replace(r"\*", ".*"), re.DOTALL) for one, other in found
    )


def _matches(pattern: tuple[re.Pattern[str] | None, ...], steps: tuple[str, ...]) -> bool:
    if not pattern:
        return True
    head, *rest = pattern
    if head is None:
        return any(_matches(tuple(rest), steps[count:]) for count in range(len(steps) + 1))
    return bool(steps) and head.fullmatch(steps[0]) is not None and _matches(tuple(rest), steps[1:])
