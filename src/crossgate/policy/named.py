"""Where policies name built-in functions, called or not: dotted, or with the last part quoted in brackets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator


class Named:
    """Finds some built-in functions (``http.send``) in the texts of policies, comments and strings included."""

    def __init__(self, builtins: Iterable[str]) -> None:
        parts = [builtin.partition(".") for builtin in builtins]
        self._names = [name for _, _, name in parts]
        self._written = re.compile(
            "|".join(rf"""(?<![\w.]){space}\s*(?:\.\s*{name}(?!\w)|\[\s*["`]{name}["`]\s*\])""" for space, _, name in parts)
        )

    def within(self, text: str) -> Iterator[re.Match[str]]:
        """Yield the places where a text names one."""
        # few policies do, and the expression takes fifty times as long to say so
        return self._written.finditer(text) if any(name in text for name in self._names) else iter(())
