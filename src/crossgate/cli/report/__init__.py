"""``crossgate report``: about the formats of reports."""

from __future__ import annotations

import click

from crossgate.cli import LazyGroup

VERBS = {"schema": "print the JSON Schema of a report"}
"""Verb to the line that ``crossgate report --help`` shows; the module is ``crossgate.cli.report.<verb>``, its command ``command``."""


@click.group("report", cls=LazyGroup, verbs=VERBS, package=__name__)
def command() -> None:
    """Describe what reports hold.

    \b
    Example:
      crossgate report schema plan
    """
