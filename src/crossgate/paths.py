"""Places inside a JSON value.

Inside crossgate a place is a ``Path``: a tuple of object keys and list indices. On paper it is written
as Crossplane and the API server write it: dotted, list indices in brackets, and keys that hold dots or
brackets in brackets too (``metadata.annotations[example.org/tier]``). Crossplane's own field-path
grammar, with its error cases, is ``crossgate.render.fieldpath``; this module only prints and follows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Path = tuple[str | int, ...]

MISSING: Any = object()
"""What ``follow`` returns for a place that does not exist (``None`` is a value: null)."""


def format_path(path: Sequence[str | int]) -> str:
    """Write a path: ``("spec", "tags", 0)`` as ``spec.tags[0]``; the empty path is the empty string."""
    parts: list[str] = []
    for step in path:
        if isinstance(step, int) or not step or any(character in step for character in ".[]"):
            parts.append(f"[{step}]")
        else:
            parts.append(f".{step}" if parts else step)
    return "".join(parts)


def follow(value: Any, path: Sequence[str | int]) -> Any:
    """Return what stands at ``path`` in a JSON value, or ``MISSING``."""
    for step in path:
        if isinstance(step, int):
            if not isinstance(value, list) or not -len(value) <= step < len(value):
                return MISSING
            value = value[step]
        else:
            # Asking what an abstract class knows is dear, and nearly everything here is a plain dict.
            if not (type(value) is dict or isinstance(value, Mapping)) or step not in value:
                return MISSING
            value = value[step]
    return value
