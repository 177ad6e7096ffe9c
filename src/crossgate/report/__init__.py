"""Reports: one format a module, each a function ``to_<format>`` from a ``Report`` to text."""

from __future__ import annotations

from importlib import import_module

from crossgate.model import Report

FORMATS = ("text", "json", "sarif", "junit", "github")
"""What ``-o`` takes; to add a format, write its module and name it here."""


def write(report: Report, name: str) -> str:
    """Write a report in the format ``name``. Only that format's module is imported: start-up is part of the promise."""
    text: str = getattr(import_module(f"crossgate.report.{name}"), f"to_{name}")(report)
    return text
