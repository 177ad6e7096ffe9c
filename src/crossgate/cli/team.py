"""``crossgate team``."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from crossgate.config import Config
from crossgate.errors import UsageError
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
@click.option("--group", help="Group of the single sign-on whose members belong to the team.")
@click.option("--owner", help="Who answers for the team; a label of all that it claims.")
@click.option("--cost-center", help="Who pays; a label of all that it claims.")
@click.option("--budget", type=int, help="US dollars a month that its claims may cost at most.")
@click.option("--ask/--no-ask", default=None, help="Ask for what is not given.  [default: at a terminal]")
def new(name: str, group: str | None, owner: str | None, cost_center: str | None, budget: int | None, ask: bool | None) -> None:
    """Write the definition of the team NAME; what is not given is asked for, at a terminal.

    Synth makes the rest of it: namespace, rights, quotas, network policies
    and the Argo CD project. More budget than policies/data/budgets.rego
    grants counts when the platform team writes the team there.

    \b
    Example:
      crossgate team new search --group ml-search --owner search-leads --cost-center cc-4713 --budget 3000
    """
    asking = sys.stdin.isatty() if ask is None else ask
    if not asking:
        given = {"group": group, "owner": owner, "cost-center": cost_center, "budget": budget}
        if missing := [f"--{option}" for option, value in given.items() if value is None]:
            raise UsageError(f"a team needs {', '.join(missing)}", "", "write them, or answer at a terminal")
    file = new_team(
        Config.find().root,
        name,
        group=_needed(group, "Group of the single sign-on"),
        owner=_needed(owner, "Owner"),
        cost_center=_needed(cost_center, "Cost center"),
        budget=_needed(budget, "Budget in US dollars a month", type=int),
    )
    click.echo(f"wrote {os.path.relpath(file)}")
    click.echo(f"next: crossgate synth, and claims in apps/claims/{name} (crossgate claim new)")


def _needed(value: Any, question: str, **how: Any) -> Any:
    return value if value is not None else click.prompt(question, **how)
