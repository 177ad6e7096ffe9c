"""Manifests and values that stand in a text: Helm values, a ConfigMap's files."""

from __future__ import annotations

from typing import Any

from crossgate.errors import LoadError
from crossgate.load.reading import load_text
from crossgate.paths import MISSING

_MAX_TEXT = 1024 * 1024


def embedded(text: Any) -> Any:
    """Return the mapping or list that a text holds as YAML or JSON, or ``MISSING``."""
    if not isinstance(text, str) or len(text) > _MAX_TEXT or not ("\n" in text.strip() or text.lstrip().startswith(("{", "["))):
        return MISSING
    try:
        documents = load_text(text)
    except LoadError:
        return MISSING
    if len(documents) == 1 and isinstance(documents[0].body, dict | list):
        return documents[0].body
    if len(documents) > 1 and all(isinstance(document.body, dict) for document in documents):
        return [document.body for document in documents]
    return MISSING
