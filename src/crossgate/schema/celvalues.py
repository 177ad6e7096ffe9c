"""JSON values as CEL sees them in a rule, by their schema.

As apiserver's ``pkg/cel/common/values.go`` (1.36): of an object only the fields that its schema names
exist, under their escaped names; dates, durations and bytes have CEL's own types; a number is a double
even when it is whole; at the root and in embedded objects ``apiVersion``, ``kind``, ``metadata.name`` and ``metadata.generateName`` exist.
"""

from __future__ import annotations

import base64
import re
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from crossgate.schema.celtext import Fields, is_whole
from crossgate.schema.metadata import generated_name

Schema = dict[str, Any]

_RESERVED = frozenset(
    {"true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let"}
    | {"loop", "package", "namespace", "return", "var", "void", "while"}
)
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MOMENT = re.compile(r"[0-9-]{10}(?:T[0-9:]{8}(?:\.[0-9]+)?(?:Z|[+-][0-9:]{5})?)?")
_STRING = {"type": "string"}
_META = {"type": "object", "properties": {"name": _STRING, "generateName": _STRING}}


@lru_cache(maxsize=8192)
def escape(name: str) -> str:
    """Return a field's name in CEL, or the empty string when it cannot have one."""
    if name in _RESERVED:
        return f"__{name}__"
    escaped = name.replace("__", "__underscores__").replace(".", "__dot__").replace("-", "__dash__").replace("/", "__slash__")
    return escaped if _IDENTIFIER.fullmatch(escaped) else ""


def to_cel(value: Any, schema: Schema, fields: Fields | None = None, *, root: bool = False) -> Any:
    """Convert a value; ``fields`` limits it to what a rule reads (None: everything). Raises ValueError for a time that CEL cannot read."""
    if value is None:
        return None
    if isinstance(value, dict):
        return _object(value, schema, fields, root=root or bool(schema.get("x-kubernetes-embedded-resource")))
    if isinstance(value, list):
        items = schema.get("items") or {}
        return [to_cel(child, items) for child in value]
    kind = schema.get("type")
    if kind == "number" and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and kind == "string":
        return _text(value, schema.get("format") or "")
    return value


def _object(value: dict[str, Any], schema: Schema, fields: Fields | None, *, root: bool) -> Any:
    properties = schema.get("properties")
    if root:
        properties = {**(properties or {}), "apiVersion": _STRING, "kind": _STRING, "metadata": _META}
        metadata = value.get("metadata")
        if isinstance(metadata, dict) and metadata.get("generateName") and not metadata.get("name"):
            value = {**value, "metadata": {**metadata, "name": generated_name(metadata)}}
    if properties is None:
        rest = schema.get("additionalProperties")
        inner = rest if isinstance(rest, dict) else {}
        wanted = None if fields is None else fields
        return {key: to_cel(child, inner) for key, child in value.items() if wanted is None or key in wanted}
    made: dict[str, Any] = {}
    for key, child in value.items():
        known = properties.get(key)
        if known is None:
            continue
        name = escape(key)
        if not name or (fields is not None and name not in fields):
            continue
        below = None if fields is None or is_whole(fields[name]) else fields[name]
        made[name] = to_cel(child, known, below)
    return made


def _text(value: str, form: str) -> Any:
    if form in ("date-time", "datetime", "date"):
        if not _MOMENT.fullmatch(value):
            # The format lets small letters pass, the conversion does not.
            raise ValueError(f"Invalid {form} formatted string {value}")
        moment = datetime.fromisoformat(value.replace("Z", "+00:00"))
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    if form == "duration":
        from crossgate.schema.textformats import parse_duration  # noqa: PLC0415 (few rules are about durations)

        return parse_duration(value)
    return base64.b64decode(value) if form == "byte" else value
