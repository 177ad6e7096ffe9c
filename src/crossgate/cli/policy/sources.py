"""Where the rules are that a verb is about: ``--policy``, else the project's settings."""

from __future__ import annotations

from pathlib import Path

import click

from crossgate.config import Config
from crossgate.policy.bundle import read_bundle
from crossgate.policy.rules import Rule, find_rules

POLICY = click.option(
    "--policy", "directories", multiple=True, type=click.Path(path_type=Path), help="A folder of Rego rules, instead of the project's."
)


def folders(directories: tuple[Path, ...]) -> tuple[Path, ...]:
    """Return the named folders, else the project's."""
    return directories or Config.find().policies


def rules(directories: tuple[Path, ...]) -> tuple[Rule, ...]:
    """Return the rules in the named folders, else the project's.

    Raises:
        PolicyError: there are none, or their METADATA is wrong.
    """
    return find_rules(read_bundle(folders(directories)))
