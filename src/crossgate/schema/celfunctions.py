"""Functions of CEL that the engine lacks or counts differently, as cel-go and Kubernetes define them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crossgate.schema.patterns import found_in


def size(value: Any) -> int:
    """Count the code points of a string, the bytes of bytes, the entries of a list or map."""
    if isinstance(value, (str, bytes, list, dict)):
        return len(value)
    raise ValueError("no such overload: size")


def matches(text: Any, pattern: Any) -> bool:
    """Say whether an RE2 pattern matches somewhere in the text."""
    if not isinstance(text, str) or not isinstance(pattern, str):
        raise ValueError("no such overload: matches")
    return found_in(pattern, text)


def lower_ascii(text: Any) -> str:
    """Return the text with the letters A to Z made small."""
    return "".join(chr(ord(character) + 32) if "A" <= character <= "Z" else character for character in text)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "k8sSize": size,
    "k8sMatches": matches,
    "lowerAscii": lower_ascii,
}
"""Functions by the name that a rule calls; a receiver is the first argument."""
