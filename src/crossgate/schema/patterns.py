"""Patterns as Go's ``regexp`` matches them: RE2, found anywhere in the text."""

from __future__ import annotations

from functools import lru_cache
from typing import Any


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> Any:
    import re2  # type: ignore[import-untyped]  # noqa: PLC0415 (20 ms that a run without patterns does not pay)

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        raise ValueError(f"{pattern!r} is no pattern: {error}") from error


def found_in(pattern: str, text: str) -> bool:
    """Say whether the pattern matches somewhere in the text. Raises ValueError when RE2 does not take the pattern."""
    return _compiled(pattern).search(text) is not None


def matches_in(pattern: str, text: str, times: int = -1) -> list[str]:
    """Return what matches, from left to right, at most ``times`` of it. Raises ValueError when RE2 does not take the pattern."""
    found: list[str] = []
    for match in _compiled(pattern).finditer(text):
        if len(found) == times:
            break
        found.append(match.group())
    return found


def pattern_fault(pattern: str) -> str:
    """Return why RE2 does not take a pattern, or the empty string."""
    try:
        _compiled(pattern)
    except ValueError as error:
        return str(error).partition(" is no pattern: ")[2] or str(error)
    return ""
