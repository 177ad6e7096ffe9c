"""Decoding into Go types: how the API server reads metadata and Kubernetes' own kinds.

Those are not validated against a schema; their JSON is decoded into Go structs by ``sigs.k8s.io/json`` in
strict mode. So null means "not given" everywhere, an unknown field is refused, a value of another type is
refused at once, and times, quantities and base64 are read while decoding. A float without a fraction is
taken for an integer, because YAML's ``2.0`` reaches the server as ``2``.
"""

from __future__ import annotations

import binascii
import re
from datetime import datetime
from typing import Any

from crossgate.paths import Path
from crossgate.schema.problem import Problem
from crossgate.schema.unknown import unknown_field
from crossgate.schema.values import shown, type_name

Schema = dict[str, Any]

_RANGES = {"int32": 2**31, "int64": 2**63}
_QUANTITY = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?")
_RFC3339 = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?(?:Z|[+-][0-9]{2}:[0-9]{2})")


def decode(schema: Schema, value: Any, at: Path) -> list[Problem]:
    """Return what stops the decoding of ``value``, in the order of the document."""
    problems: list[Problem] = []
    _decode(schema, value, at, problems)
    return problems


def _decode(schema: Schema, value: Any, at: Path, problems: list[Problem]) -> None:
    if value is None:
        return
    if schema.get("x-kubernetes-int-or-string"):
        if isinstance(value, bool) or not isinstance(value, (int, str)):
            problems.append(_mismatch(value, "integer or string", at))
        elif isinstance(value, int) and not -(2**31) <= value < 2**31:
            problems.append(_mismatch(value, "a number that fits into int32", at))
        return
    kind = schema.get("type")
    if kind == "object":
        if isinstance(value, dict):
            _decode_object(schema, value, at, problems)
        else:
            problems.append(_mismatch(value, "object", at))
    elif kind == "array":
        if isinstance(value, list):
            items = schema.get("items") or {}
            for index, child in enumerate(value):
                _decode(items, child, (*at, index), problems)
        else:
            problems.append(_mismatch(value, "array", at))
    elif kind is not None:
        wrong = _scalar(schema, kind, value)
        if wrong:
            problems.append(Problem.schema(at, f"found {type_name(value)} {shown(value)}, expected {wrong}"))


def _decode_object(schema: Schema, value: dict[str, Any], at: Path, problems: list[Problem]) -> None:
    properties = schema.get("properties")
    rest = schema.get("additionalProperties")
    if properties is None and not isinstance(rest, dict):
        return
    properties = properties or {}
    for key, child in value.items():
        inner = properties.get(key)
        if inner is None and isinstance(rest, dict):
            inner = rest
        if inner is not None:
            _decode(inner, child, (*at, key), problems)
        elif not schema.get("x-kubernetes-preserve-unknown-fields"):
            problems.append(unknown_field((*at, key), properties, len(problems)))


def _mismatch(value: Any, expected: str, at: Path) -> Problem:
    return Problem.schema(at, f"found {type_name(value)} {shown(value)}, expected {expected}")


def _scalar(schema: Schema, kind: str, value: Any) -> str:
    """Return what is expected instead of ``value``, or the empty string."""
    form = schema.get("format")
    if form == "quantity":
        return "" if is_quantity(value) else "a quantity such as 500m, 2 or 10Gi"
    if kind == "string":
        if not isinstance(value, str):
            return "string"
        if form == "byte" and not _is_base64(value):
            return "base64 (put plain text into stringData)"
        return "" if form != "date-time" or _is_time(value) else "a time such as 2024-01-01T00:00:00Z"
    if kind == "boolean":
        return "" if isinstance(value, bool) else "boolean"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return kind
    if kind == "integer":
        if value != int(value):
            return "integer"
        limit = _RANGES.get(form or "int64", 2**63)
        return "" if -limit <= value < limit else f"a number that fits into {form or 'int64'}"
    return ""


def is_quantity(value: Any) -> bool:
    """Say whether apimachinery's ``resource.ParseQuantity`` reads this; numbers are quantities too."""
    if isinstance(value, str):
        return _QUANTITY.fullmatch(value) is not None
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_base64(text: str) -> bool:
    try:
        binascii.a2b_base64(text.replace("\n", "").replace("\r", ""), strict_mode=True)
    except (binascii.Error, ValueError):
        return False
    return True


def _is_time(text: str) -> bool:
    if text == "":
        return False
    if not _RFC3339.fullmatch(text):
        return False
    try:
        datetime.strptime(text[:19], "%Y-%m-%dT%H:%M:%S")
    except ValueError:
        return False
    return True
