"""Merging a patch's value into what the target already has: the toFieldPath policies.

The rules are those of dario.cat/mergo 1.0 as crossplane-runtime calls it, with its corners: an *empty*
value (null, false, 0, "", an empty list or object) is overwritten even by a policy that keeps values,
null in the patch is dropped where the target's values are kept, and two lists are joined or replaced
but never merged element by element.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crossgate.render.faults import Fault
from crossgate.render.gojson import NilArray

Merge = Callable[[Any, Any], Any]
"""Merges a value (second) into the one present (first, changed in place) and returns the result."""


def policy(name: str) -> Merge | None:
    """Return how a toFieldPath policy merges (None for Replace); raises Fault for an unknown one."""
    if name == "Replace":
        return None
    try:
        overwrite, append = POLICIES[name]
    except KeyError:
        raise Fault(f"invalid patch policy {name}") from None
    return lambda present, value: _merge(present, value, overwrite, append)


POLICIES = {
    "MergeObjects": (False, False),
    "MergeObject": (False, False),
    "MergeObjectsAppendArrays": (False, True),
    "ForceMergeObjects": (True, False),
    "ForceMergeObjectsAppendArrays": (True, True),
    "AppendArray": (True, True),
}
"""Per policy: whether the patch's values win over the target's, and whether lists are joined."""


def merge_over(present: dict[str, Any], value: dict[str, Any]) -> dict[str, Any]:
    """Merge an object over another one, which is changed in place and returned; the second one's values win."""
    _objects(present, value, overwrite=True, append=False)
    return present


def _merge(present: Any, value: Any, overwrite: bool, append: bool) -> Any:
    if append and isinstance(present, list) and isinstance(value, list):
        # What is left of nothing is Go's nil slice: appended to an empty list it makes null.
        value = [item for item in value if not any(same(item, other) for other in present)] or NilArray()
    holder = {"": present}
    _objects(holder, {"": value}, overwrite, append)
    return holder[""]


def _objects(present: dict[str, Any], value: dict[str, Any], overwrite: bool, append: bool) -> None:
    for key, item in value.items():
        if item is None:
            if overwrite:
                present[key] = None
            continue
        missing = key not in present
        old = None if missing else present[key]
        if isinstance(item, dict):
            if isinstance(old, dict):
                _objects(old, item, overwrite, append)
                if old:
                    continue
        elif isinstance(item, list):
            _lists(present, key, old, item, overwrite, append)
            if not _empty(old):
                continue
        if overwrite or missing or _empty(old):
            present[key] = item


def _lists(present: dict[str, Any], key: str, old: Any, item: list[Any], overwrite: bool, append: bool) -> None:
    if append:
        if old is not None and not isinstance(old, list):
            raise Fault("failed to merge values: cannot append two slices with different type")
        present[key] = (old or []) + item
    elif overwrite:
        present[key] = item


def _empty(value: Any) -> bool:
    """Say whether mergo takes a value for empty."""
    return not value


def same(one: Any, other: Any) -> bool:
    """Say whether two values are deeply equal in Go: an int64 never equals a float64."""
    if one.__class__ is not other.__class__:
        return False
    if isinstance(one, dict):
        return len(one) == len(other) and all(key in other and same(item, other[key]) for key, item in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)
