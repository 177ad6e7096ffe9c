"""``crossgate policy list``."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from crossgate.cli.policy.sources import POLICY, built_in, rules
from crossgate.cli.width import row


@click.command("list")
@POLICY
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", help="How to write the list.")
def command(directories: tuple[Path, ...], output: str) -> None:
    """List the rules with their severity and title.

    \b
    Example:
      crossgate policy list -o json
    """
    found = rules(directories)
    if output == "json":
        click.echo(json.dumps([asdict(rule) for rule in found], indent=2, default=sorted))
        return
    width = max(len(rule.id) for rule in found)
    for rule in found:
        click.echo(row(f"{rule.id:<{width}}  {rule.severity:<7}  ", rule.title or rule.name))
    if built := built_in(directories):
        click.echo("\n" + row("Judged without Rego: ", ", ".join(built)))
