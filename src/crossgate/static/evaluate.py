"""Running one constant through a real transform."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crossgate.render.faults import Fault
from crossgate.render.transforms import compile_chain

_LEAD = "could not resolve: "


class RefusedError(Exception):
    """The transform fails for the value; the message is the function's own, without its frame."""


def evaluator(transform: dict[str, Any]) -> Callable[[Any], Any]:
    """Return the function that a transform is; it raises RefusedError for values that the transform refuses."""
    chain = compile_chain([transform])

    def evaluate(value: Any) -> Any:
        try:
            return chain(value) if chain is not None else value
        except Fault as fault:
            _, lead, message = fault.what.partition(_LEAD)
            raise RefusedError(message if lead else fault.what) from None

    return evaluate
