"""Which policies may say something else tomorrow about the same object, so that what they said is not kept."""

from __future__ import annotations

import re
from collections.abc import Iterable

from crossgate.policy.bundle import Module

_BUILTINS = ("time.now_ns", "rand.intn", "uuid.rfc4122")
"""Built-in functions whose results do not follow from their operands."""
_NAMES = tuple(builtin.partition(".")[2] for builtin in _BUILTINS)
"""What most policies do not name: an expression takes fifty times as long to say so."""
_CALLS = re.compile(
    "|".join(
        rf"""(?<![\w.]){space}\s*(?:\.\s*{name}(?!\w)|\[\s*["`]{name}["`]\s*\])"""
        for space, _, name in (builtin.partition(".") for builtin in _BUILTINS)
    )
)


def fleeting(modules: Iterable[Module]) -> bool:
    """Say whether a policy names such a function; one that only speaks of it in a comment is judged anew for nothing."""
    return any(_CALLS.search(module.text) for module in modules if any(name in module.text for name in _NAMES))
