"""What a manifest pins: images, charts, models, revisions. Found in any object, by the names of fields; nothing is rendered."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from crossgate.paths import Path

_IMAGE = re.compile(r"[a-z0-9][a-z0-9._/-]*(?::[0-9]+/[a-z0-9._/-]+)?(?::[A-Za-z0-9._-]+)?(?:@sha256:[0-9a-f]{64})?")
_TEXTS: Mapping[str, str] = {
    "image": "image",
    "modelSha256": "model",
    "modelDataPath": "model",
    "modelVersion": "model",
    "targetRevision": "revision",
    "databaseVersion": "engine",
    "engineVersion": "engine",
}
"""Fields that pin something, and what."""
_REVISION = "compositionRevisionRef"
"""A Composition's name is no version: production may be made by another one than development."""
_SKIPPED = ("status", "managedFields")


@dataclass(frozen=True, slots=True)
class Pin:
    """One pinned thing: its kind (``image``, ``chart``, ``model``, ``composition`` …), its value, and the field that says it."""

    what: str
    value: str
    path: Path


def pins(body: Any) -> Iterator[Pin]:
    """Yield what an object pins, in the order of its fields."""
    yield from _below(body, ())


def _below(value: Any, path: Path) -> Iterator[Pin]:
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _below(item, (*path, index))
    if not isinstance(value, Mapping):
        return
    chart = value.get("chart")
    if isinstance(chart, Mapping) and isinstance(chart.get("name"), str) and isinstance(chart.get("version"), str):
        yield Pin("chart", f"{chart['name']}@{chart['version']}", (*path, "chart", "version"))
    for key, item in value.items():
        where = (*path, key)
        if key == _REVISION and isinstance(item, Mapping) and isinstance(name := item.get("name"), str):
            yield Pin("composition", name, (*where, "name"))
        elif isinstance(item, str):
            kind = _TEXTS.get(key)
            if kind == "revision" and isinstance(chart, str):
                yield Pin("chart", f"{chart}@{item}", where)
            elif kind is not None and (kind != "image" or _IMAGE.fullmatch(item)):
                yield Pin(kind, item, where)
        elif key not in _SKIPPED:
            yield from _below(item, where)
