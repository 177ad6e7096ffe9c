"""``crossgate cost``."""

from __future__ import annotations

import json
from pathlib import Path

import click
import yaml

from crossgate.cli.rendered import rendered
from crossgate.config import Config
from crossgate.cost.document import report
from crossgate.cost.estimate import costs
from crossgate.cost.prices import FILE, Prices
from crossgate.cost.totals import totalled
from crossgate.errors import UsageError
from crossgate.report.cost import to_text


@click.command("cost")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--by", type=click.Choice(["claim", "team"]), default="team", show_default=True, help="What the text shows.")
@click.option("-o", "--output", "form", type=click.Choice(["text", "json", "yaml"]), default="text", show_default=True)
def command(paths: tuple[Path, ...], by: str, form: str) -> None:
    """Say what claims cost in a month by list prices.

    PATHS are files and folders (default: the project's dist/). Each claim is rendered; machines, GPUs, disks, databases and whatever
    else its resources use are priced by policies/data/prices.yaml. What has no price there is said and counted as unknown. "at most" is
    what the largest size costs that autoscaling allows. JSON and YAML hold the CostReport that rules see: conftest takes it
    among the documents.

    \b
    Exit codes: 0 all of it was read, 3 something could not be rendered.

    \b
    Examples:
      crossgate cost
      crossgate cost dist/40-claims/fraud --by claim
      crossgate cost -o yaml > build/cost.yaml
    """
    config = Config.find()
    prices = Prices.load(config.policies)
    if prices is None:
        raise UsageError(
            "there are no prices", str(config.policies[0] / FILE if config.policies else FILE), "docs/cost.md says what to write"
        )
    estate, unread = rendered(paths or None, config)
    found = list(costs(estate.resources, prices))
    if form == "text":
        click.echo(to_text(found, prices, by=by), nl=False)
    else:
        document = report(totalled(found), prices)
        text = json.dumps(document, indent=2, ensure_ascii=False) + "\n" if form == "json" else yaml.safe_dump(document, sort_keys=False)
        click.echo(text, nl=False)
    for item in unread:
        click.echo(f"crossgate: not counted: {item.what} at {item.where}", err=True)
    raise SystemExit(3 if unread else 0)
