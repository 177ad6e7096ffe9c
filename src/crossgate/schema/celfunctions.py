"""Functions of CEL that the engine lacks or answers differently: strings, lists, sets and patterns.

As cel-go's ``ext`` package (strings version 2, lists version 3, sets) and Kubernetes' lists and regex
libraries (1.36). Strings are counted in code points. A receiver is the first argument; a ValueError is the
error that the rule ends with on the server.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import reduce
from itertools import pairwise
from typing import Any

from crossgate.schema.celmacros import FUNCTIONS
from crossgate.schema.patterns import found_in, matches_in
from crossgate.schema.textformats import go_nanoseconds

Function = Callable[..., Any]

_SPACES = "\t\n\v\f\r \u0085\u00a0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
"""White space of Unicode, as Go's ``unicode.IsSpace`` has it."""


def equal(left: Any, right: Any) -> bool:
    """Compare as CEL does: numbers by value, but a boolean is no number."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(equal, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(equal(left[key], right[key]) for key in left)
    return bool(left == right)


def _size(value: Any) -> int:
    if isinstance(value, (str, bytes, list, dict)):
        return len(value)
    raise ValueError("no such overload: size")


def _duration(value: Any) -> timedelta:
    if isinstance(value, timedelta):
        return value
    found = go_nanoseconds(value) if isinstance(value, str) else None
    if found is None:
        raise ValueError(f"{value!r} is no duration")
    return timedelta(microseconds=found / 1000)


def _bool(value: Any) -> bool:
    """Read a boolean as Go's ``strconv.ParseBool``."""
    if isinstance(value, bool):
        return value
    if value in ("1", "t", "T", "TRUE", "true", "True"):
        return True
    if value in ("0", "f", "F", "FALSE", "false", "False"):
        return False
    raise ValueError(f"type conversion error from {value!r} to 'bool'")


def _lower(text: str) -> str:
    return "".join(chr(ord(letter) + 32) if "A" <= letter <= "Z" else letter for letter in text)


def _upper(text: str) -> str:
    return "".join(chr(ord(letter) - 32) if "a" <= letter <= "z" else letter for letter in text)


def _char_at(text: str, index: int) -> str:
    if not 0 <= index <= len(text):
        raise ValueError(f"index out of range: {index}")
    return text[index : index + 1]


def _index_of(where: Any, what: Any, offset: int = 0) -> int:
    if isinstance(where, list):
        return next((index for index, one in enumerate(where) if equal(one, what)), -1)
    if what == "":
        return offset
    if offset < 0:
        raise ValueError(f"index out of range: {offset}")
    return int(where.find(what, offset))


def _last_index_of(where: Any, what: Any, offset: int | None = None) -> int:
    if isinstance(where, list):
        return next((index for index in range(len(where) - 1, -1, -1) if equal(where[index], what)), -1)
    if what == "":
        return len(where) if offset is None else offset
    if offset is None:
        return int(where.rfind(what))
    if offset < 0:
        raise ValueError(f"index out of range: {offset}")
    return int(where.rfind(what, 0, offset + len(what))) if offset < len(where) else -1


def _replace(text: str, old: str, new: str, times: int = -1) -> str:
    return text.replace(old, new, times)


def _split(text: str, separator: str, times: int = -1) -> list[str]:
    if times == 0:
        return []
    if separator == "":
        parts = list(text)
        return parts if times < 0 or len(parts) <= times else [*parts[: times - 1], "".join(parts[times - 1 :])]
    return text.split(separator, times - 1 if times > 0 else -1)


def _join(parts: list[Any], separator: str = "") -> str:
    if not all(isinstance(part, str) for part in parts):
        raise ValueError("no such overload: join")
    return separator.join(parts)


def _substring(text: str, start: int, end: int | None = None) -> str:
    end = len(text) if end is None else end
    if not 0 <= start <= end <= len(text):
        raise ValueError(f"index out of range: {start if not 0 <= start <= len(text) else end}")
    return text[start:end]


def _quote(text: str) -> str:
    escapes = {"\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v", "\\": "\\\\", '"': '\\"'}
    return '"' + "".join(escapes.get(letter, letter) for letter in text) + '"'


def _find(text: str, pattern: str) -> str:
    found = matches_in(pattern, text, 1)
    return found[0] if found else ""


def _find_all(text: str, pattern: str, times: int = -1) -> list[str]:
    return matches_in(pattern, text, times)


def _is_sorted(values: list[Any]) -> bool:
    return all(left <= right for left, right in pairwise(values))


def _sum(values: list[Any]) -> Any:
    return reduce(lambda total, value: total + value, values) if values else 0


def _least(values: list[Any]) -> Any:
    if not values:
        raise ValueError("min called on empty list")
    return min(values)


def _most(values: list[Any]) -> Any:
    if not values:
        raise ValueError("max called on empty list")
    return max(values)


def _slice(values: list[Any], start: int, end: int) -> list[Any]:
    if not 0 <= start <= end <= len(values):
        raise ValueError(f"cannot slice({start}, {end}), list is length {len(values)}")
    return values[start:end]


def _flatten(values: list[Any], depth: int = 1) -> list[Any]:
    if depth < 0:
        raise ValueError("level must be non-negative")
    flat: list[Any] = []
    for value in values:
        flat.extend((_flatten(value, depth - 1) if depth > 1 else value) if isinstance(value, list) and depth else [value])
    return flat


def _distinct(values: list[Any]) -> list[Any]:
    kept: list[Any] = []
    for value in values:
        if not any(equal(value, other) for other in kept):
            kept.append(value)
    return kept


def _contains_all(whole: list[Any], part: list[Any]) -> bool:
    return all(any(equal(value, other) for other in whole) for value in part)


def _intersects(left: list[Any], right: list[Any]) -> bool:
    return any(equal(value, other) for value in left for other in right)


def _range(count: int) -> list[int]:
    if count < 0:
        raise ValueError(f"lists.range: size must be non-negative: {count}")
    return list(range(count))


STRINGS_AND_LISTS: dict[str, Function] = {
    "k8sSize": _size,
    "k8sMatches": lambda text, pattern: found_in(pattern, text),
    "k8sDuration": _duration,
    "bool": _bool,
    "charAt": _char_at,
    "indexOf": _index_of,
    "lastIndexOf": _last_index_of,
    "lowerAscii": _lower,
    "upperAscii": _upper,
    "replace": _replace,
    "split": _split,
    "join": _join,
    "substring": _substring,
    "trim": lambda text: text.strip(_SPACES),
    "strings.quote": _quote,
    "find": _find,
    "findAll": _find_all,
    "isSorted": _is_sorted,
    "sum": _sum,
    "min": _least,
    "max": _most,
    "slice": _slice,
    "flatten": _flatten,
    "distinct": _distinct,
    "sort": sorted,
    "reverse": lambda values: values[::-1],
    "lists.range": _range,
    "sets.contains": _contains_all,
    "sets.equivalent": lambda left, right: _contains_all(left, right) and _contains_all(right, left),
    "sets.intersects": _intersects,
    **FUNCTIONS,
}
"""Functions by the name that a rule calls (``OWN_NAMES`` of ``celtext`` are renamed)."""
