"""``strings.*`` and ``array.flatten`` that the embedded engine lacks or has wrong, as Go's ``strings`` package works."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"operand must be string but got {type(value).__name__}")
    return value


def count(text: Any, part: Any) -> int:
    """``strings.count``: how often ``part`` stands in ``text``, not counting overlaps."""
    return _text(text).count(_text(part))


def replace_n(patterns: Any, text: Any) -> str:
    """``strings.replace_n``: replace all keys at once, each place by the first key (in order) that fits; nothing is replaced twice."""
    if not isinstance(patterns, dict):
        raise ValueError("operand 1 must be object")
    pairs = {_text(key): _text(patterns[key]) for key in sorted(patterns, key=_text)}
    if "" in pairs:
        raise ValueError("an empty key has no place to stand")
    return re.sub("|".join(map(re.escape, pairs)), lambda match: pairs[match[0]], _text(text)) if pairs else _text(text)


def split_n(text: Any, delimiter: Any, number: Any) -> list[str]:
    """``strings.split_n``: the first parts, or the last ones for a negative number."""
    if not isinstance(number, (int, float)) or isinstance(number, bool) or number != int(number):
        raise ValueError("operand 3 must be integer")
    parts = _text(text).split(delimiter) if _text(delimiter) else list(_text(text))
    number = int(number)
    return parts[:number] if number >= 0 else parts[max(len(parts) + number, 0) :]


def flatten(values: Any) -> list[Any]:
    """``array.flatten``: put the items of arrays in the array in their place, one level deep."""
    if not isinstance(values, (list, tuple)):
        raise ValueError("operand must be array")
    return [item for value in values for item in (value if isinstance(value, (list, tuple)) else [value])]


FUNCTIONS: dict[str, tuple[int, Callable[..., Any]]] = {
    "strings.count": (2, count),
    "strings.replace_n": (2, replace_n),
    "strings.split_n": (3, split_n),
    "array.flatten": (1, flatten),
}
"""Built-in to the number of its operands and its function."""
