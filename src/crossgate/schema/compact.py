"""The compact form of a schema: one JSON file a kind and version, without prose, equal parts written once.

A file holds the head of a ``KindSchema`` and the structural schema. Equal sub-schemas stand once in
``parts`` and are named by number (``{"$": 3}``), so that the 600 kB CRD of a GKE cluster becomes 35 kB
and is read in under a millisecond. ``read`` puts the parts back as shared objects.

Layout: ``<directory>/<group>/<version>/<Kind>.json``; the core group of Kubernetes is ``core``.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from crossgate.errors import SchemaError
from crossgate.schema.kinds import KindSchema

FORMAT = 1
"""Written into every file; raised when a reader of today would misread the files of tomorrow."""

CORE = "core"
LOCK = "lock.toml"
"""The file of a schema directory that says where each schema comes from (``crossgate.schema.lock``)."""

_PROSE = frozenset({"description", "title", "externalDocs", "example"})
_MAPS = ("properties",)
_ONE = ("items", "additionalProperties", "not")
_LISTS = ("allOf", "anyOf", "oneOf")
_SHARE_FROM = 48
"""Sub-schemas whose JSON is shorter than this are cheaper to repeat than to name."""


def without_prose(schema: Any) -> Any:
    """Return a schema without descriptions, titles and examples (a property may still be called ``description``)."""
    if not isinstance(schema, dict):
        return schema
    kept: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _PROSE:
            continue
        if key in _MAPS and isinstance(value, dict):
            kept[key] = {name: without_prose(child) for name, child in value.items()}
        elif key in _ONE:
            kept[key] = without_prose(value)
        elif key in _LISTS and isinstance(value, list):
            kept[key] = [without_prose(child) for child in value]
        else:
            kept[key] = value
    return kept


_NAME = re.compile(r"[A-Za-z0-9](?:[-.A-Za-z0-9]{0,198}[A-Za-z0-9])?")


def is_name(text: str) -> bool:
    """Say whether a group, version or kind may name a file; what a package calls itself must not lead out of the schema directory."""
    return _NAME.fullmatch(text) is not None and ".." not in text


def file_of(group: str, version: str, kind: str) -> str:
    """Return the place of a kind's file below a schema directory.

    Raises:
        SchemaError: a part is no name.
    """
    for part in (group or CORE, version, kind):
        if not is_name(part):
            raise SchemaError(f"{part[:80]!r} is no name of an API group, version or kind", "", "mend the definition that says so")
    return f"{group or CORE}/{version}/{kind}.json"


def dump(kind: KindSchema) -> str:
    """Write a kind in the compact form; the same kind always gives the same text."""
    texts: dict[int, str] = {}
    uses: dict[str, int] = {}
    _count(kind.schema, uses, texts)
    parts: list[Any] = []
    numbers: dict[str, int] = {}
    schema = _fold(kind.schema, uses, texts, parts, numbers, top=True)
    head = {"format": FORMAT, **kind.head(), "schema": schema, "parts": parts}
    return json.dumps(head, separators=(",", ":"), ensure_ascii=False) + "\n"


def read(path: Path) -> KindSchema:
    """Read a compact file. Raises SchemaError when it is not one."""
    try:
        head = json.loads(path.read_bytes())
        if not isinstance(head, dict) or not isinstance(head.get("schema"), dict):
            raise SchemaError("this is no schema file", str(path), "import it again: crossgate schema import")
        if head.pop("format") != FORMAT:
            raise SchemaError("this schema file has another format", str(path), "import it again: crossgate schema import")
        parts = head.pop("parts")
        built: list[Any] = []
        for part in parts:
            built.append(_unfold(part, built))
        return KindSchema.of(head, _unfold(head.pop("schema"), built), source=str(path))
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise SchemaError(f"cannot read the schema: {error}", str(path), "import it again: crossgate schema import") from error


def _children(schema: dict[str, Any]) -> list[Any]:
    found: list[Any] = []
    for key in _MAPS:
        found.extend((schema.get(key) or {}).values())
    found.extend(schema[key] for key in _ONE if key in schema)
    for key in _LISTS:
        found.extend(schema.get(key) or ())
    return found


def _text(schema: Any, texts: dict[int, str]) -> str:
    text = texts.get(id(schema))
    if text is None:
        text = texts[id(schema)] = json.dumps(schema, sort_keys=True, separators=(",", ":"))
    return text


def _count(schema: Any, uses: dict[str, int], texts: dict[int, str]) -> None:
    if not isinstance(schema, dict):
        return
    text = _text(schema, texts)
    if len(text) < _SHARE_FROM:
        return
    uses[text] = uses.get(text, 0) + 1
    if uses[text] == 1:
        for child in _children(schema):
            _count(child, uses, texts)


def _fold(schema: Any, uses: dict[str, int], texts: dict[int, str], parts: list[Any], numbers: dict[str, int], *, top: bool = False) -> Any:
    if not isinstance(schema, dict):
        return schema
    text = _text(schema, texts)
    if not top and uses.get(text, 0) > 1:
        if text not in numbers:
            part = _fold_inside(schema, uses, texts, parts, numbers)
            numbers[text] = len(parts)
            parts.append(part)
        return {"$": numbers[text]}
    return _fold_inside(schema, uses, texts, parts, numbers)


def _fold_inside(schema: dict[str, Any], uses: dict[str, int], texts: dict[int, str], parts: list[Any], numbers: dict[str, int]) -> Any:
    folded: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _MAPS:
            folded[key] = {name: _fold(child, uses, texts, parts, numbers) for name, child in value.items()}
        elif key in _ONE:
            folded[key] = _fold(value, uses, texts, parts, numbers)
        elif key in _LISTS:
            folded[key] = [_fold(child, uses, texts, parts, numbers) for child in value]
        else:
            folded[key] = value
    return folded


def _unfold(schema: Any, parts: list[Any]) -> Any:
    if not isinstance(schema, dict):
        return schema
    if "$" in schema:
        return parts[schema["$"]]
    for key, value in schema.items():
        if key in _MAPS:
            for name, child in value.items():
                value[name] = _unfold(child, parts)
        elif key in _ONE:
            schema[key] = _unfold(value, parts)
        elif key in _LISTS:
            schema[key] = [_unfold(child, parts) for child in value]
    return schema
