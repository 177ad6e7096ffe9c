"""The JSON Schemas (draft 2020-12) of what crossgate writes as JSON: what is in them is a promise."""

from __future__ import annotations

from importlib.resources import files

NAMES = ("report", "plan")
"""What there is a schema of: ``check -o json`` and ``plan -o json``."""


def schema_text(name: str) -> str:
    """Return the schema of one of ``NAMES``, as JSON text."""
    return files(__name__).joinpath(f"{name}.schema.json").read_text(encoding="utf-8")
