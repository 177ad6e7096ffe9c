"""Reports: one format a module, each a function from a ``Report`` to text."""

from __future__ import annotations

from collections.abc import Callable

from crossgate.model import Report
from crossgate.report.github import to_github
from crossgate.report.json import to_json
from crossgate.report.junit import to_junit
from crossgate.report.sarif import to_sarif
from crossgate.report.text import to_text

FORMATS: dict[str, Callable[[Report], str]] = {
    "text": to_text,
    "json": to_json,
    "sarif": to_sarif,
    "junit": to_junit,
    "github": to_github,
}
"""What ``-o`` takes; to add a format, write its module and name it here."""

__all__ = ["FORMATS", "to_github", "to_json", "to_junit", "to_sarif", "to_text"]
