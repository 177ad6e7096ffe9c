"""How a plan is written: one format a module, each a function ``to_<format>`` from a ``Plan`` to text."""

from __future__ import annotations

from importlib import import_module

from crossgate.plan.model import Plan
from crossgate.report import inert

FORMATS = ("text", "json", "markdown", "html")
"""What ``-o`` takes; to add a format, write its module and name it here."""


def write(plan: Plan, name: str) -> str:
    """Write a plan in the format ``name``. Only that format's module is imported."""
    text: str = getattr(import_module(f"crossgate.report.plan.{name}"), f"to_{name}")(plan)
    return inert(text)
