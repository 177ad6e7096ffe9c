"""``crossgate plan``."""

from __future__ import annotations

from pathlib import Path

import click

from crossgate.cli import output
from crossgate.cli.paths import PATH
from crossgate.cli.progress import progress
from crossgate.plan.make import plan
from crossgate.report.plan import FORMATS, write


@click.command("plan")
@click.argument("paths", nargs=-1, type=PATH)
@click.option("--base", metavar="REF", required=True, help="The commit to compare with: the branch that would be merged into.")
@click.option("--policies-from", metavar="REF", default="", help="The commit whose settings and schemas count, if not --base.")
@click.option(
    "-o", "--output", "outputs", multiple=True, metavar="FORMAT[=FILE]", help=f"One of {', '.join(FORMATS)}; more than once for several."
)
def command(paths: tuple[Path, ...], base: str, policies_from: str, outputs: tuple[str, ...]) -> None:
    """Show what merging would change, down to the fields of composed resources.

    PATHS are files and folders (default: the project's dist/). Both states are rendered; resources are matched by
    the templates that make them. The base is read from git's objects: nothing is checked out and nothing of the
    repository is run. Values that are secrets are not shown.

    \b
    Exit codes: 0 the plan is whole, 1 a claim no longer renders,
    3 something could not be planned.

    \b
    Examples:
      crossgate plan --base origin/main
      crossgate plan --base HEAD dist/40-claims/fraud -o json=plan.json
    """
    where = output.parse(outputs, FORMATS)
    with progress():
        made = plan(paths or None, base=base, policies_from=policies_from)
    output.write_all(where, lambda name: write(made, name))
    raise SystemExit(made.exit_code)
