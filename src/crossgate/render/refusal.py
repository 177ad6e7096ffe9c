"""A transform, and the one that always fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crossgate.render.faults import Fault

Transform = Callable[[Any], Any]
"""Makes one value of another; raises Fault for a value that it cannot take."""


def refuse(what: str, hint: str = "") -> Transform:
    """Return a transform that always fails.

    Input validation does not look into combine patches, so what is wrong with their transforms must
    show when they run and not before.
    """

    def fail(_value: Any) -> Any:
        raise Fault(what, hint=hint)

    return fail
