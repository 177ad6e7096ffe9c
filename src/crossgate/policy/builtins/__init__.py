"""Built-ins that the embedded engine lacks or has wrong, exact after OPA, as Python functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crossgate.policy.builtins import cidr, documents, texts, units

FUNCTIONS: dict[str, tuple[int, Callable[..., Any]]] = {
    **cidr.FUNCTIONS,
    **documents.FUNCTIONS,
    **texts.FUNCTIONS,
    **units.FUNCTIONS,
}
"""Built-in to the number of its operands and its function."""

WAYS_OUT: dict[str, int] = {"http.send": 1, "net.lookup_ip_addr": 1, "opa.runtime": 0}
"""Built-ins through which a policy could reach the network or this machine; with the number of their operands."""


def refuse(name: str) -> Callable[..., Any]:
    """Return a function that takes the place of a way out: calling it stops the rule."""

    def refused(*_operands: Any) -> Any:
        raise PermissionError(f"{name} is refused: policies judge what they are given and reach nothing else")

    return refused
