"""Patterns as Go's ``regexp`` matches them: RE2, found anywhere in the text."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=8192)
def found_in(pattern: str, text: str) -> bool:
    """Say whether the pattern matches somewhere in the text. Raises ValueError when RE2 does not take the pattern."""
    import re2  # type: ignore[import-untyped]  # noqa: PLC0415 (20 ms that a run without patterns does not pay)

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.search(pattern, text, options) is not None
    except re2.error as error:
        raise ValueError(str(error)) from error
