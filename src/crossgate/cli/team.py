"""``crossgate team``."""

from __future__ import annotations

import os

import click

from crossgate.config import Config
from crossgate.selfservice.team import new_team


@click.group("team")
def command() -> None:
    """Start teams.

    \b
    Example:
      crossgate team new search --group ml-search --owner search-leads --cost-center cc-4713 --budget 3000
    """


@command.command("new")
@click.argument("name")
@click.option("--group", prompt="Group of the single sign-on", help="Group whose members belong to the team.")
@click.option("--owner", prompt="Owner", help="Who answers for the team; a label of all that it claims.")
@click.option("--cost-center", prompt="Cost center", help="Who pays; a label of all that it claims.")
@click.option("--budget", type=int, prompt="Budget in US dollars a month", help="US dollars a month.")
def new(name: str, group: str, owner: str, cost_center: str, budget: int) -> None:
    """Write the definition of the team NAME; what is not given is asked for.

    Synth makes the rest of it: namespace, rights, quotas, network policies
    and the Argo CD project.

    \b
    Example:
      crossgate team new search --group ml-search --owner search-leads --cost-center cc-4713 --budget 3000
    """
    file = new_team(Config.find().root, name, group=group, owner=owner, cost_center=cost_center, budget=budget)
    click.echo(f"wrote {os.path.relpath(file)}")
    click.echo(f"next: crossgate synth, and claims in apps/claims/{name} (crossgate claim new)")
