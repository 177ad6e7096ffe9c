"""Reading a step's input into the shape that the function declares, with its strictness.

The real functions decode their input with ``RejectUnknownMembers``: a misspelt field, a number with a
fraction where an integer belongs, or a string where a list belongs is fatal before anything runs.
Null counts as absent everywhere except in a map transform, where it stays a (useless) pair.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crossgate.paths import Path, format_path
from crossgate.render.faults import InputFault

Shape = Any
"""A ``dict`` for an object with exactly these fields, a one-item ``list`` for a list, or a check for a single value."""

Check = Callable[[Any, Path], Any]


def decode(shape: Shape, value: Any, at: Path = ()) -> Any:
    """Return ``value`` without its nulls after checking it against a shape; raises InputFault."""
    if shape.__class__ is dict:
        return _struct(shape, value, at)
    if shape.__class__ is list:
        if value.__class__ is not list:
            raise _mismatch("a list", value, at)
        return [
            decode(shape[0], {} if item is None and shape[0].__class__ is dict else item, (*at, index)) for index, item in enumerate(value)
        ]
    return shape(value, at)


def _struct(shape: dict[str, Shape], value: Any, at: Path) -> dict[str, Any]:
    if value.__class__ is not dict:
        raise _mismatch("an object", value, at)
    found: dict[str, Any] = {}
    for name, item in value.items():
        inner = shape.get(name)
        if inner is None:
            known = ", ".join(sorted(shape))
            raise InputFault(
                f'cannot get Function input: unknown field "{name}" in {format_path(at) or "the input"}',
                hint=f"known fields: {known}",
                place=(*at, name),
            )
        if item is not None:
            found[name] = decode(inner, item, (*at, name))
    return found


def _mismatch(wanted: str, value: Any, at: Path) -> InputFault:
    kinds = {dict: "an object", list: "a list", str: "a string", bool: "a boolean", int: "a number", float: "a number"}
    got = "null" if value is None else kinds[value.__class__]
    return InputFault(f"cannot get Function input: {format_path(at) or 'the input'} must be {wanted}, got {got}", place=at)


def string(value: Any, at: Path) -> str:
    """Check a string."""
    if value is None:
        return ""
    if value.__class__ is not str:
        raise _mismatch("a string", value, at)
    return str(value)


def integer(value: Any, at: Path) -> int:
    """Check a 64-bit integer."""
    if value is None:
        return 0
    if value.__class__ is not int:
        raise _mismatch("an integer within 64 bits", value, at)
    return int(value)


def unsigned(value: Any, at: Path) -> int:
    """Check an unsigned integer."""
    found = integer(value, at)
    if found < 0:
        raise _mismatch("an integer that is not negative", value, at)
    return found


def boolean(value: Any, at: Path) -> bool:
    """Check a boolean."""
    if value.__class__ is not bool:
        raise _mismatch("a boolean", value, at)
    return bool(value)


def anything(value: Any, at: Path) -> Any:
    """Take any value as it is."""
    return value


def pairs(value: Any, at: Path) -> dict[str, Any]:
    """Check an object with any keys and values; nulls stay."""
    if value.__class__ is not dict:
        raise _mismatch("an object", value, at)
    return dict(value)


def strings(value: Any, at: Path) -> dict[str, str]:
    """Check an object whose values are strings."""
    return {key: string(item, (*at, key)) for key, item in pairs(value, at).items()}


OBJECT_META: dict[str, Shape] = {
    "name": string,
    "generateName": string,
    "namespace": string,
    "selfLink": string,
    "uid": string,
    "resourceVersion": string,
    "generation": integer,
    "creationTimestamp": string,
    "deletionTimestamp": string,
    "deletionGracePeriodSeconds": integer,
    "labels": strings,
    "annotations": strings,
    "ownerReferences": [
        {"apiVersion": string, "kind": string, "name": string, "uid": string, "controller": boolean, "blockOwnerDeletion": boolean},
    ],
    "finalizers": [string],
    "managedFields": [
        {
            "manager": string,
            "operation": string,
            "apiVersion": string,
            "time": string,
            "fieldsType": string,
            "fieldsV1": pairs,
            "subresource": string,
        },
    ],
}
"""The metadata that every input may carry (and no function uses)."""

TYPE_META: dict[str, Shape] = {"apiVersion": string, "kind": string, "metadata": OBJECT_META}
