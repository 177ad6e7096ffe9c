"""The order in which people read an object: what it is, whose it is, then what it says."""

from __future__ import annotations

from typing import Any

_FIRST = ("apiVersion", "kind", "metadata")
_NAMES = ("name", "generateName", "namespace", "labels", "annotations")


def in_reading_order(body: dict[str, Any]) -> dict[str, Any]:
    """Return ``body`` with apiVersion, kind and metadata first, and metadata's names first; everything else keeps its order."""
    ordered = _ordered(body, _FIRST)
    metadata = ordered.get("metadata")
    return {**ordered, "metadata": _ordered(metadata, _NAMES)} if isinstance(metadata, dict) else ordered


def _ordered(body: dict[str, Any], first: tuple[str, ...]) -> dict[str, Any]:
    return {**{key: body[key] for key in first if key in body}, **body}
