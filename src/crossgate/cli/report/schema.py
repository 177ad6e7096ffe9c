"""``crossgate report schema``."""

from __future__ import annotations

import click

from crossgate.report.schemas import NAMES, schema_text


@click.command("schema")
@click.argument("name", type=click.Choice(NAMES), default=NAMES[0])
def command(name: str) -> None:
    """Print the JSON Schema of what check (report, the default) or plan writes with -o json.

    \b
    Example:
      crossgate report schema > report.schema.json
    """
    click.echo(schema_text(name), nl=False)
