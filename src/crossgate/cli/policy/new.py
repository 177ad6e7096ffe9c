"""``crossgate policy new``."""

from __future__ import annotations

import os
from pathlib import Path

import click

from crossgate.config import Config
from crossgate.policy.scaffold import new_rule


@click.command("new")
@click.argument("rule", metavar="CATEGORY/RULE")
@click.option("--policy", "directory", type=click.Path(path_type=Path), help="The folder of rules to add to, instead of the project's.")
def command(rule: str, directory: Path | None) -> None:
    """Write the files of a new rule: Rego, test and README page.

    \b
    Example:
      crossgate policy new storage/region
    """
    for path in new_rule(directory or _own(), rule):
        click.echo(os.path.relpath(path))


def _own() -> Path:
    """Return the folder of rules that the project keeps itself."""
    config = Config.find()
    return config.policies[0] if config.policies else config.root / "policies"
