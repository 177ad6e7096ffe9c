"""Reports: one format a module, each a function ``to_<format>`` from a ``Report`` to text."""

from __future__ import annotations

import re
from importlib import import_module

from crossgate.model import Report

FORMATS = ("text", "json", "sarif", "junit", "github", "markdown", "html")
"""What ``-o`` takes; to add a format, write its module and name it here."""

WITH_PLAN = ("markdown", "html")
"""Formats that show a report's plan, too; the others have a plan of their own (``crossgate plan``)."""


_OLDER = re.compile(r"##(?=\w*\[)")
_COMMAND = re.compile(r"((?:^|[\r\n])[^\S\r\n]*)::")


def write(report: Report, name: str) -> str:
    """Write a report in the format ``name``. Only that format's module is imported: start-up is part of the promise."""
    text: str = getattr(import_module(f"crossgate.report.{name}"), f"to_{name}")(report)
    return inert(text, xml=name == "junit", own=name == "github")


def inert(text: str, *, xml: bool = False, own: bool = False) -> str:
    """Return a report in which no line starts a workflow command when it is printed into the log of a CI run.

    GitHub's runner takes ``::name::`` at the start of a line, after any white space, and the older ``##[name]`` anywhere (actions/runner,
    ``ActionCommand.cs``; a carriage return ends a line too); Azure's takes ``##vso[name]``. The second sign is written as its escape:
    JSON and SARIF mean the same, text shows it as other signs that are not printed. ``own`` are reports that are made of such commands.
    What no encoding can hold (file names that are not UTF-8) is escaped likewise.
    """
    colon, hash_sign = ("&#58;", "&#35;") if xml else ("\\u003a", "\\u0023")
    if "##" in text:
        text = _OLDER.sub(f"#{hash_sign}".replace("\\u", "\\\\u"), text)
    if "::" in text and not own:
        text = _COMMAND.sub(rf"\1:{colon}".replace("\\u", "\\\\u"), text)
    return text.encode("utf-8", errors="backslashreplace").decode()
