"""Paths into a schema, as ``ValidFieldPath`` of ``pkg/apiserver/schema/cel`` (1.36) reads them."""

from __future__ import annotations

import re
from typing import Any

_TOKEN = re.compile(r"'(?:\\'|[^'])*'|[.\[\]]|[^.\[\]']+|'")


def bad_field_path(text: str, schema: dict[str, Any]) -> str:
    """Return what is wrong with a path, or the empty string."""
    return _walk(text, schema, brackets=True)[0]


def selected(text: str, schema: dict[str, Any]) -> tuple[str, tuple[str, ...], dict[str, Any]]:
    """Return what is wrong with the path of a selectable field, the names in it, and the schema at its end."""
    return _walk(text, schema, brackets=False)


def _walk(text: str, schema: dict[str, Any], *, brackets: bool) -> tuple[str, tuple[str, ...], dict[str, Any]]:
    pieces = _TOKEN.findall(text)
    names: list[str] = []
    here: dict[str, Any] = schema
    while pieces:
        piece, name = pieces.pop(0), pieces.pop(0) if pieces else ""
        if piece == "[" and not brackets:
            return "must not use brackets", (), {}
        if piece == "[":
            if len(name) < 2 or name[0] + name[-1] != "''" or not pieces or pieces.pop(0) != "]":
                return "needs a name in single quotes and a closing bracket after '['", (), {}
            name = name[1:-1].replace("\\'", "'")
        elif piece != ".":
            return "must begin with '.' or '['", (), {}
        properties = here.get("properties")
        found = properties.get(name) if properties else here.get("additionalProperties")
        if not name or not isinstance(found, dict):
            return f"does not lead to a field of the schema ({name!r} is not known)", (), {}
        names.append(name)
        here = found
    return "", tuple(names), here
