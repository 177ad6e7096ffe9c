"""Which formats the API server enforces on which types.

The list is that of apiextensions-apiserver (``pkg/apiserver/validation/formats.go``, 1.36); dashes in a
format's name do not count. Other formats are ignored, as the server ignores them.
"""

from __future__ import annotations

from typing import Any

TEXT = frozenset(
    {"bsonobjectid", "uri", "email", "hostname", "ipv4", "ipv6", "cidr", "mac", "uuid", "uuid3", "uuid4", "uuid5", "isbn", "isbn10"}
    | {"isbn13", "creditcard", "ssn", "hexcolor", "rgbcolor", "byte", "password", "date", "duration", "datetime"}
    | {"k8sshortname", "k8slongname"}
)
"""Formats of strings, without dashes."""


def enforced(schema: dict[str, Any]) -> str:
    """Return the format of a schema that the server enforces on its type, or the empty string."""
    name = schema.get("format")
    if not name:
        return ""
    kind = schema.get("type")
    if schema.get("x-kubernetes-int-or-string") or kind in (None, "", "string"):
        plain: str = name.replace("-", "")
        return plain if plain in TEXT else ""
    if kind == "integer":
        return name if name in ("int32", "int64") else ""
    if kind == "number":
        return name if name in ("float", "double") else ""
    return ""


def holds(form: str, text: str) -> bool:
    """Say whether a text has one of the formats ``TEXT``."""
    from crossgate.schema.textformats import FORMATS  # noqa: PLC0415 (most resources have no formatted text: its patterns wait)

    return FORMATS[form](text)
