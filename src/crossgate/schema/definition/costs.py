"""What calls cost at most, and how large their results are: cel-go's ``checker/cost.go`` with Kubernetes' ``library/cost.go`` (1.36)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from crossgate.schema.definition.declared import Type

MOST = 2**64 - 1
UNKNOWN = (0, MOST)
Size = tuple[int, int]

_READ = 0.1
"""Of reading a character of a text."""
_PATTERN = 0.25
_NAME_PATTERN = 128
"""Characters of the longest pattern of a named format."""


@dataclass(frozen=True, slots=True)
class Value:
    """A part of a rule: its type, its greatest cost, and what is known of its size."""

    type: Type
    cost: int
    size: Size | None = None
    path: tuple[str, ...] | None = None
    entry: Size | None = None
    """The size of each item, where it was worked out and does not follow from the schema."""
    local: Size | None = None
    literal: object = None


Sizing = Callable[[Value], Size]


def add(*costs: int) -> int:
    """Add without passing 64 bits."""
    return min(MOST, sum(costs))


def times(count: int, cost: int) -> int:
    """Multiply without passing 64 bits."""
    return min(MOST, count * cost)


def factor(count: int, each: float) -> int:
    """Multiply by a factor, and round up."""
    return min(MOST, math.ceil(float(count) * each))


def call_cost(name: str, target: Value | None, arguments: list[Value], result: Type, sizing: Sizing) -> Value:
    """Return the value of a call."""
    given = add(*(argument.cost for argument in arguments))
    own = target.cost if target else 0
    if name in ("_&&_", "_||_"):
        return Value(result, given)
    if name == "_?_:_":
        yes, no = sizing(arguments[1]), sizing(arguments[2])
        cost = add(arguments[0].cost, max(arguments[1].cost, arguments[2].cost))
        return Value(result, cost, size=(min(yes[0], no[0]), max(yes[1], no[1])), entry=_both(arguments[1].entry, arguments[2].entry))
    if name == "dyn":
        return Value(result, add(1, given), size=sizing(arguments[0]), entry=arguments[0].entry)
    extra, size, entry = _extra(name, target, arguments, sizing)
    return Value(result, add(given, own, extra), size=size, entry=entry)


def _both(left: Size | None, right: Size | None) -> Size | None:
    return (min(left[0], right[0]), max(left[1], right[1])) if left and right else None


def _extra(name: str, target: Value | None, arguments: list[Value], sizing: Sizing) -> tuple[int, Size | None, Size | None]:
    """Return the cost of the call alone, the size of its result and of the items of that."""
    sizes = [sizing(argument) for argument in arguments]
    own = sizing(target) if target else (0, 0)
    if name in ("_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_"):
        texts = {argument.type.name for argument in arguments} & {"string", "bytes", "dyn"}
        if name in ("_==_", "_!=_") or texts:
            opaque = (
                name == "_==_"
                and arguments[0].type.name in ("ip", "cidr", "quantity", "semver")
                and arguments[0].type.same(arguments[1].type)
            )
            return (1 if opaque else factor(min(sizes[0][1], sizes[1][1]), _READ)), None, None
        return 1, None, None
    if name == "_+_":
        joined = (add(sizes[0][0], sizes[1][0]), add(sizes[0][1], sizes[1][1]))
        kinds = {argument.type.name for argument in arguments}
        if kinds & {"string", "bytes", "dyn"}:
            return factor(joined[1], _READ), joined, None
        return 1, joined if "list" in kinds else None, _both(arguments[0].entry, arguments[1].entry)
    if name == "_in_":
        return (1 if arguments[1].type.name == "map" else max(sizes[1][1], 1 if arguments[1].type.name == "dyn" else 0)), None, None
    if name in ("contains", "startsWith", "endsWith", "matches", "find", "findAll"):
        return _search(name, own if target else sizes[0], sizes[-1] if name != "findAll" else sizes[0])
    if target is not None and name in ("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"):
        return _scan(target, own, sizing), None, None
    if name in ("lowerAscii", "upperAscii", "substring", "trim"):
        return factor(own[1], _READ), own, None
    if name in ("url", "string", "bytes", "quantity", "isQuantity", "semver", "isSemver", "cidr", "isIP", "isCIDR", "ip", "ip.isCanonical"):
        return _parsed(name, target, arguments, sizes)
    if name == "format":
        return factor(own[1], _READ), None, None
    if name == "replace":
        return factor(own[1], 2 * _READ), _replaced(own, sizes[0], sizes[1]), None
    if name == "split":
        limit = arguments[1].literal if len(arguments) > 1 else None
        most = limit % 2**64 if isinstance(limit, int) and not isinstance(limit, bool) else own[1]
        return factor(own[1], 2 * _READ), (0, most), None
    if name == "join" and target is not None:
        return _joined(target, own, sizes, sizing)
    if name in _LISTS:
        return _list_call(name, target, arguments, own, sizes)
    if name == "validate":
        return factor(factor(sizes[0][1], _READ), _NAME_PATTERN * _PATTERN), None, None
    if name in ("containsIP", "containsCIDR"):
        base = 4 if name == "containsIP" else 7
        return (base + (factor(sizes[0][1], _READ) if arguments[0].type.name == "string" else 0)), None, None
    return 1, None, None


_LISTS = {
    "sets.contains": 1,
    "sets.intersects": 1,
    "sets.equivalent": 2,
    "slice": 1,
    "lists.range": 1,
    "reverse": 1,
    "flatten": 1,
    "distinct": 2,
    "sort": 2,
}
"""The functions of the extension libraries for lists and sets, with their factors."""


def _list_call(
    name: str, target: Value | None, arguments: list[Value], own: Size, sizes: list[Size]
) -> tuple[int, Size | None, Size | None]:
    each: float = _LISTS[name]
    numbers = [argument.literal for argument in arguments if isinstance(argument.literal, int)]
    if name.startswith("sets."):
        return add(1, factor(times(sizes[0][1], sizes[1][1]), each)), None, None
    if name == "lists.range":
        own = (0, numbers[0] if numbers else MOST)
    elif name == "slice":
        own = (0, numbers[1] - numbers[0] if len(numbers) == 2 else own[1])
    elif name == "flatten" and arguments:
        each = numbers[0] if numbers else MOST
    elif name in ("distinct", "sort"):
        texts = target is not None and target.type.elem is not None and target.type.elem.name in ("string", "bytes")
        each += _READ if name == "sort" and texts else 0
        own = (0, times(own[1], own[1]))
    return add(11, factor(max(0, own[1]), each)), own, None


def _search(name: str, text: Size, wanted: Size) -> tuple[int, Size | None, Size | None]:
    if name in ("startsWith", "endsWith"):
        return factor(wanted[1], _READ), None, None
    if name == "contains":
        return times(factor(text[1], _READ), factor(wanted[1], _READ)), None, None
    cost = times(factor(add(text[1], 1), _READ), factor(wanted[1], _PATTERN))
    return cost, (0, text[1]) if name != "matches" else None, None


def _scan(target: Value, own: Size, sizing: Sizing) -> int:
    if target.type.name != "list":
        return factor(own[1], _READ)
    each = 1
    if target.type.elem is not None and target.type.elem.name in ("string", "bytes") and target.path is not None:
        each = add(1, factor(sizing(Value(target.type.elem, 0, path=(*target.path, "@items")))[1], _READ))
    elif target.type.elem is not None and target.type.elem.name in ("string", "bytes"):
        each = add(1, factor(MOST, _READ))
    return times(own[1], each)


def _parsed(name: str, target: Value | None, arguments: list[Value], sizes: list[Size]) -> tuple[int, Size | None, Size | None]:
    if target is not None or not sizes:
        return 1, None, None
    if name in ("string", "bytes"):
        if {"string": "bytes", "bytes": "string"}[name] != arguments[0].type.name:
            return 1, None, None
        low, high = sizes[0]
        return factor(high, _READ), (low, min(MOST, high * 4)) if name == "bytes" else (low // 4, high), None
    return factor(sizes[0][1], (2 if name == "ip.isCanonical" else 1) * _READ), sizes[0] if name == "url" else None, None


def _replaced(own: Size, old: Size, new: Size) -> Size:
    if old[0] == 0:
        count, kept = add(own[1], 1), own[1]
    elif new[1] <= old[0]:
        count, kept = 0, own[1]
    else:
        count, kept = math.ceil(own[1] / old[0]), 0
    return 0, add(times(count, new[1]), kept)


def _joined(target: Value, own: Size, sizes: list[Size], sizing: Sizing) -> tuple[int, Size | None, Size | None]:
    if target.path is not None and target.type.elem is not None:
        each = sizing(Value(target.type.elem, 0, path=(*target.path, "@items")))[1]
    else:
        each = MOST
    most = times(own[1], each)
    if sizes:
        most = add(most, times(sizes[0][1], max(0, own[1] - 1)))
    return factor(most, _READ), (0, most), None
