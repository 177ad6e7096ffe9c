"""``crossgate baseline``: take what is found now as known."""

from __future__ import annotations

from pathlib import Path

import click

from crossgate.check import check
from crossgate.cli.paths import PATH
from crossgate.config import Config
from crossgate.errors import UsageError
from crossgate.waive.baseline import write_baseline


@click.group("baseline")
def command() -> None:
    """Take what is found now as known, so that only new findings count.

    \b
    Example:
      crossgate baseline write
    """


@command.command("write")
@click.argument("paths", nargs=-1, type=PATH)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The file to write, instead of the project's baseline.json.")
def write(paths: tuple[Path, ...], output: Path | None) -> None:
    """Write the findings of a check into the baseline. What is waived or could not be checked is not in it.

    \b
    Examples:
      crossgate baseline write
      crossgate baseline write dist/40-claims -o claims-baseline.json
    """
    config = Config.find()
    report = check(list(paths) or None, config=config)
    found = (*report.findings, *report.known)
    file = output or config.root / "baseline.json"
    try:
        file.write_text(write_baseline(found), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write the baseline: {error.strerror}", str(file), "name a file that can be written") from error
    click.echo(f"{file.name}: {len(found)} finding{'s are' if len(found) != 1 else ' is'} known from now on")
    for unchecked in report.could_not_check:
        click.echo(f"could not check: {unchecked.what} ({unchecked.where})", err=True)
    raise SystemExit(3 if report.could_not_check else 0)
