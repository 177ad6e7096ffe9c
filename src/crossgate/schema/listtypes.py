"""Duplicates in lists that are sets or maps (``x-kubernetes-list-type``).

As apiextensions-apiserver's ``pkg/apiserver/schema/listtype`` (1.36): the second occurrence of a value is
reported once; a list of type map compares its keys, a key that is missing equals another that is missing.
"""

from __future__ import annotations

import json
from typing import Any

from crossgate.paths import Path
from crossgate.schema.values import Fault, shown

Schema = dict[str, Any]


def check_lists(schema: Schema, value: Any, at: Path, faults: list[Fault]) -> None:
    """Append a fault for every duplicate below ``value``."""
    if isinstance(value, dict):
        properties = schema.get("properties") or {}
        rest = schema.get("additionalProperties")
        for key, child in value.items():
            if not isinstance(child, (dict, list)):
                continue
            if key in properties:
                check_lists(properties[key], child, (*at, key), faults)
            elif isinstance(rest, dict):
                check_lists(rest, child, (*at, key), faults)
    elif isinstance(value, list):
        kind = schema.get("x-kubernetes-list-type")
        if kind == "set":
            twice = "twice, expected different items (the list is a set)"
            faults.extend(Fault((*at, index), f"found {shown(value[index])} {twice}") for index in _second(value))
        elif kind == "map":
            _check_map(schema.get("x-kubernetes-list-map-keys") or [], value, at, faults)
        items = schema.get("items")
        if items is not None:
            for index, child in enumerate(value):
                if isinstance(child, (dict, list)):
                    check_lists(items, child, (*at, index), faults)


def _check_map(names: list[str], value: list[Any], at: Path, faults: list[Fault]) -> None:
    for index, child in enumerate(value):
        if child is not None and not isinstance(child, dict):
            faults.append(Fault((*at, index), f"found {shown(child)}, expected an object (the list is a map)"))
            return
    keys = [{name: child[name] for name in names if name in child} if child else {} for child in value]
    twice = f"twice, expected different keys (the list is a map by {', '.join(names)})"
    faults.extend(Fault((*at, index), f"found {shown(keys[index])} {twice}") for index in _second(keys))


def _second(values: list[Any]) -> list[int]:
    """Return the index of the second occurrence of each value that occurs more than once."""
    if len(values) <= 1:
        return []
    times: dict[str, int] = {}
    found = []
    for index, value in enumerate(values):
        key = json.dumps(value, sort_keys=True)
        times[key] = times.get(key, 0) + 1
        if times[key] == 2:
            found.append(index)
    return found
