"""Field paths with Crossplane's grammar, and reading and writing by them.

The rules are those of crossplane-runtime's ``pkg/fieldpath``: dots and brackets, quotes trimmed off
keys, a bracketed 32-bit number is an index, arrays grow with nulls up to index 1024, and a path that
meets null or nothing is *not found* while one that meets a value of the wrong kind is an error.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

from crossgate.paths import Path
from crossgate.render.faults import Fault, NotFound
from crossgate.render.gojson import objects
from crossgate.render.merge import Merge

WILDCARD = "*"
_MISSING: Any = object()
_LARGEST_INDEX = 1024
_LARGEST_NUMBER = 2**32


@lru_cache(maxsize=8192)
def parse(path: str) -> Path:
    """Split a field path into keys and indices; raises Fault with the position (in bytes) of an error."""
    try:
        return _parse(path)
    except _PositionError as error:
        at = len(path[: error.at].encode("utf-8", "surrogatepass"))
        raise Fault(f'cannot parse path "{path}": {error.what} at position {at}') from None


class _PositionError(Exception):
    """An error at a position of a path."""

    def __init__(self, what: str, at: int) -> None:
        super().__init__(what)
        self.what = what
        self.at = at


def _parse(path: str) -> Path:
    segments: list[str | int] = []
    at, end = 0, len(path)
    while True:
        start = at
        while at < end and path[at] not in ".[]":
            at += 1
        if at > start:
            segments.append(path[start:at].strip("'\""))
        if at == end:
            return tuple(segments)
        if path[at] == "]":
            raise _PositionError("unexpected ']'", at)
        if path[at] == ".":
            at = _period(path, at)
            continue
        close = path.find("]", at)
        if close < 0:
            raise _PositionError("unterminated '['", at)
        inside = path[at + 1 : close]
        if not inside:
            raise _PositionError("unexpected ']'", close)
        if "[" in inside:
            raise _PositionError("unexpected '['", at + 1 + inside.index("["))
        segments.append(_bracketed(inside))
        at = close + 1


def _period(path: str, at: int) -> int:
    if at == 0 or at == len(path) - 1:
        raise _PositionError("unexpected '.'", at)
    if path[at + 1] in ".[":
        raise _PositionError(f"unexpected '{path[at + 1]}'", at + 1)
    return at + 1


def _bracketed(inside: str) -> str | int:
    if inside.isascii() and inside.isdigit() and (number := int(inside[-4000:])) < _LARGEST_NUMBER and len(inside) <= 4000:
        return number
    return inside.strip("'\"")


def write(path: Path) -> str:
    """Write a path as Crossplane does in its messages (and, for wildcards, in order to read it again)."""
    parts: list[str] = []
    for step in path:
        if step.__class__ is int or step == WILDCARD or "." in str(step):
            parts.append(f"[{step}]")
        else:
            parts.append(f".{step}")
    return "".join(parts).removeprefix(".")


def get(value: Any, path: tuple[Any, ...]) -> Any:
    """Return what stands at a path. Raises NotFound, or Fault where the value on the way has no such parts."""
    for at, step in enumerate(path):
        if step.__class__ is str:
            if value.__class__ is dict:
                try:
                    value = value[step]
                except KeyError:
                    raise NotFound(partial(_missing, path[: at + 1], "no such field")) from None
            elif value is None:
                raise NotFound(partial(_missing, path[:at], "expected map, got nil"))
            else:
                raise Fault(f"{write(path[:at])}: not an object")
        elif value.__class__ is not list:
            raise Fault(f"{write(path[:at])}: not an array")
        elif step >= len(value):
            raise NotFound(partial(_missing, path[: at + 1], "no such element"))
        else:
            value = value[step]
    return value if path else None


def _missing(path: Path, why: str) -> str:
    return f"{write(path)}: {why}"


def reader(path: Path) -> Callable[[Any], Any]:
    """Return ``get`` for one path, made for being called often."""
    if not path or not all(step.__class__ is str for step in path):
        return lambda value: get(value, path)

    def read(source: Any) -> Any:
        value = source
        try:
            for step in path:
                value = value[step]
        except (KeyError, TypeError):
            return get(source, path)
        return value

    return read


def put(target: dict[str, Any], path: tuple[Any, ...], value: Any) -> None:
    """Set what stands at a path, making objects and arrays on the way; the value becomes part of the target."""
    if not path:
        return
    last = len(path) - 1
    holder: Any = target
    for at, step in enumerate(path):
        if step.__class__ is str:
            if holder.__class__ is not dict:
                raise Fault(f"{write(path[:at])} is not an object")
            if at == last:
                holder[step] = value
                return
            inner = holder.get(step, _MISSING)
        else:
            if step > _LARGEST_INDEX:
                raise _too_large(step)
            if holder.__class__ is not list:
                raise Fault(f"{write(path[:at])} is not an array")
            if at == last:
                holder[step] = value
                return
            inner = _MISSING if holder[step] is None else holder[step]
        following = path[at + 1]
        if following.__class__ is str:
            if inner is _MISSING:
                inner = holder[step] = {}
        elif following > _LARGEST_INDEX:
            raise _too_large(following)
        elif inner is _MISSING:
            inner = holder[step] = [None] * (following + 1)
        elif inner.__class__ is list and following >= len(inner):
            inner.extend([None] * (following - len(inner) + 1))
        holder = inner


def _too_large(index: int) -> Fault:
    return Fault(f"index {index} is greater than max allowed index {_LARGEST_INDEX}")


def writer(path: Path) -> Callable[[dict[str, Any], Any], None]:
    """Return ``put`` for one path, made for being called often: where all is in place it only assigns."""
    if not path or any(step.__class__ is int and step > _LARGEST_INDEX for step in path):
        return lambda target, value: put(target, path, value)
    steps: tuple[Any, ...] = path
    parents, last = steps[:-1], steps[-1]
    kind = dict if last.__class__ is str else list

    def assign(target: dict[str, Any], value: Any) -> None:
        holder: Any = target
        try:
            for step in parents:
                holder = holder[step]
        except (KeyError, IndexError, TypeError):
            put(target, path, value)
            return
        if holder.__class__ is kind and (kind is dict or last < len(holder)):
            holder[last] = value
        else:
            put(target, path, value)

    return assign


def merge(target: dict[str, Any], path: Path, value: Any, policy: Merge | None) -> None:
    """Set what stands at a path after merging it with what stands there; no policy replaces it."""
    if policy is not None:
        try:
            present = get(target, path)
        except NotFound:
            present = None
        value = objects(value if present is None or value is None else policy(present, value))
    put(target, path, value)


def expand(value: Any, path: Path) -> list[Path]:
    """Return the paths that a path with wildcards stands for in a value.

    As in Crossplane each found path is written out and read again, so a key that does not survive
    that (an empty key, brackets) is an error. Raises NotFound where a wildcard meets null.
    """
    return [parse(write(found)) for found in wildcards(value, path)]


def wildcards(value: Any, path: Path) -> list[Path]:
    """Return the paths that a path with wildcards stands for, before they are written out and read again."""
    for at, step in enumerate(path):
        if step == WILDCARD:
            return _wildcard(value, path, at)
        try:
            get(value, path[: at + 1])
        except NotFound:
            return []
    return [path]


def _wildcard(value: Any, path: Path, at: int) -> list[Path]:
    holder = get(value, path[:at]) if at else value
    if holder is None:
        raise NotFound(partial(_missing, path[:at], "wildcard field is not found in the path"))
    if holder.__class__ is list:
        keys: list[str | int] = list(range(len(holder)))
    elif holder.__class__ is dict:
        keys = [key.strip("'\"") for key in holder]
        if WILDCARD in keys:
            raise Fault(
                f'"{write(path[:at])}" has a key "*": Crossplane expands it without end and crashes',
                hint="rename the key, or name the fields instead of using a wildcard",
            )
    else:
        raise Fault(f'"{write(path[:at])}": unexpected wildcard usage')
    found: list[Path] = []
    absent: NotFound | None = None
    for key in keys:
        try:
            found.extend(wildcards(value, (*path[:at], key, *path[at + 1 :])))
        except NotFound as error:
            # Go takes the keys of an object in random order; a fault that it finds on some runs counts.
            absent = absent or error
    if absent is not None:
        raise absent
    return found
