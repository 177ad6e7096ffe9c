"""Which policies may say something else tomorrow about the same object, so that what they said is not kept."""

from __future__ import annotations

from collections.abc import Iterable

from crossgate.policy.bundle import Module
from crossgate.policy.named import Named

_FLEETING = Named(("time.now_ns", "rand.intn", "uuid.rfc4122"))
"""Built-in functions whose results do not follow from their operands."""


def fleeting(modules: Iterable[Module]) -> bool:
    """Say whether a policy names such a function; one that only speaks of it in a comment is judged anew for nothing."""
    return any(True for module in modules for _ in _FLEETING.within(module.text))
