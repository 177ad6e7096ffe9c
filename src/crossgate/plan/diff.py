"""Compare two JSON values down to their leaves; lists by what their items are called, text that holds YAML or JSON by what is in it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from crossgate.load.embedded import embedded
from crossgate.paths import MISSING, Path

_NAMES = ("name", "key", "id", "type", "step", "rangeName", "displayName")
"""Fields that tell the items of a list apart, in the order of preference."""

_DEPTH = 100
"""Below this many levels a value is compared as one: deeper ones are made to exhaust a reader."""

_ALIGNED = 500
"""Longer lists without names are compared item by item: aligning them takes the square of the time."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One leaf: where it stands before and after (list items move), within which text, and its values."""

    before_path: Path
    after_path: Path
    before: Any
    after: Any
    inside_before: Path = ()
    inside_after: Path = ()


def differences(before: Any, after: Any) -> Iterator[Difference]:
    """Yield the leaves in which two values differ; ``MISSING`` as a whole means that there is none."""
    yield from _values(before, after, (), (), 0, texts=True)


def _values(before: Any, after: Any, at: Path, to: Path, depth: int, *, texts: bool) -> Iterator[Difference]:
    if _same(before, after):
        return
    if depth < _DEPTH and _mapping(before, after):
        was, will = (value if isinstance(value, dict) else {} for value in (before, after))
        for key in dict.fromkeys((*was, *will)):
            yield from _values(was.get(key, MISSING), will.get(key, MISSING), (*at, key), (*to, key), depth + 1, texts=texts)
    elif depth < _DEPTH and _list(before, after):
        old, new = (value if isinstance(value, list) else [] for value in (before, after))
        for one, other in _pairs(old, new):
            yield from _values(
                MISSING if one is None else old[one],
                MISSING if other is None else new[other],
                (*at, (other or 0) if one is None else one),
                (*to, (one or 0) if other is None else other),
                depth + 1,
                texts=texts,
            )
    elif texts:
        yield from _texts(before, after, at, to)
    else:
        yield Difference(at, to, before, after)


def _mapping(before: Any, after: Any) -> bool:
    """Say whether to go into mappings: both are, or one is (and not empty) while the other is missing."""
    kinds = [value for value in (before, after) if value is not MISSING]
    return all(isinstance(value, dict) for value in kinds) and any(kinds)


def _list(before: Any, after: Any) -> bool:
    kinds = [value for value in (before, after) if value is not MISSING]
    return all(isinstance(value, list) for value in kinds) and any(kinds)


def _texts(before: Any, after: Any, at: Path, to: Path) -> Iterator[Difference]:
    was, will = embedded(before), embedded(after)
    whole = (was is not MISSING or before is MISSING) and (will is not MISSING or after is MISSING)
    if not whole or (MISSING not in (was, will) and type(was) is not type(will)):
        yield Difference(at, to, before, after)
        return
    inner = list(_values(was, will, (), (), 0, texts=False))  # a text within a text stays one
    if not inner:
        # the same values, written otherwise
        yield Difference(at, to, before, after)
    for change in inner:
        yield Difference(at, to, change.before, change.after, change.before_path, change.after_path)


def _pairs(before: list[Any], after: list[Any]) -> Iterator[tuple[int | None, int | None]]:
    """Pair the items of two lists by index; ``None`` stands for an item that is not there."""
    name = next((name for name in _NAMES if _named(before, name) and _named(after, name)), None)
    if len(before) == len(after) == 1:
        yield 0, 0
    elif name is not None:
        places = {item[name]: index for index, item in enumerate(after)}
        for index, item in enumerate(before):
            yield index, places.pop(item[name], None)
        yield from ((None, index) for index in places.values())
    elif max(len(before), len(after)) > _ALIGNED:
        for index in range(max(len(before), len(after))):
            yield index if index < len(before) else None, index if index < len(after) else None
    else:
        yield from _aligned(before, after)


def _aligned(before: list[Any], after: list[Any]) -> Iterator[tuple[int | None, int | None]]:
    was, will = ([json.dumps(item, sort_keys=True, default=str) for item in items] for items in (before, after))
    for tag, start, end, other_start, other_end in SequenceMatcher(None, was, will, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        for offset in range(max(end - start, other_end - other_start)):
            yield start + offset if start + offset < end else None, other_start + offset if other_start + offset < other_end else None


def _named(items: list[Any], name: str) -> bool:
    names = [item.get(name) if isinstance(item, dict) else None for item in items]
    return all(isinstance(value, str) for value in names) and len(set(names)) == len(names)


def _same(before: Any, after: Any) -> bool:
    if before is after:
        return True
    if isinstance(before, bool) or isinstance(after, bool):
        return type(before) is type(after) and bool(before == after)
    if isinstance(before, dict | list) and isinstance(after, dict | list):
        # what is in them is compared item by item: Python's own comparison takes true for 1
        return type(before) is type(after) and not before and not after
    return before is not MISSING and after is not MISSING and bool(before == after)
