"""Reports: one format a module, each a function from a ``Report`` to text."""

from __future__ import annotations

from collections.abc import Callable

from crossgate.model import Report
from crossgate.report.json import to_json
from crossgate.report.text import to_text

FORMATS: dict[str, Callable[[Report], str]] = {"text": to_text, "json": to_json}
"""What ``-o`` takes; to add a format, write its module and name it here."""

__all__ = ["FORMATS", "to_json", "to_text"]
