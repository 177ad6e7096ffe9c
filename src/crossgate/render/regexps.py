"""Regular expressions with Go's meaning: RE2 syntax, leftmost-first, run on the bytes of a string."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from crossgate.render.faults import Fault
from crossgate.render.gojson import raw, unraw


class Regexp:
    """A compiled expression."""

    __slots__ = ("_compiled",)

    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled

    def matches(self, value: str) -> bool:
        """Say whether the expression matches anywhere in a string."""
        return self._compiled.search(raw(value)) is not None

    def groups(self, value: str) -> list[str]:
        """Return the first match and its groups ("" for one that took no part), or an empty list."""
        match = self._compiled.search(raw(value))
        if match is None:
            return []
        return [unraw(match.group(0)), *(unraw(group or b"") for group in match.groups())]


@lru_cache(maxsize=1024)
def compile_regexp(pattern: str) -> Regexp:
    """Compile an expression; raises Fault for one that Go refuses (look-around, back references …)."""
    import re2  # type: ignore[import-untyped]  # it has no stubs  # noqa: PLC0415 - 20 ms that only Compositions with expressions need to pay

    options = re2.Options()
    options.log_errors = False
    if "\\C" in pattern.replace("\\\\", ""):
        raise Fault(f"error parsing regexp: invalid escape sequence: `\\C` in {pattern!r}")
    try:
        return Regexp(re2.compile(raw(pattern), options))
    except re2.error as error:
        reason = error.args[0].decode() if error.args and isinstance(error.args[0], bytes) else str(error)
        raise Fault(f"error parsing regexp: {reason}") from None
