"""``crossgate policy test``."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import click

from crossgate.cli.policy.sources import POLICY, folders
from crossgate.errors import UsageError
from crossgate.policy.bundle import read_bundle
from crossgate.policy.data import check_data
from crossgate.policy.testing import run_tests


@click.command("test")
@click.argument("only", default="")
@POLICY
def command(only: str, directories: tuple[Path, ...]) -> None:
    """Check the data, and run the Rego tests whose name contains ONLY: embedded, and on opa where it is installed.

    \b
    Example:
      crossgate policy test open_cidr
    """
    where = folders(directories)
    check_data(where)
    failed = count = 0
    for outcome in run_tests(read_bundle(where, tests=True), only):
        count += 1
        if outcome.problem:
            failed += 1
            click.echo(f"FAIL {outcome.file}:{outcome.line} {outcome.name}: {outcome.problem}")
    if not count:
        raise UsageError(
            f"no test matches {only!r}" if only else "there are no tests", ", ".join(map(str, where)), "tests are named test_…"
        )
    click.echo(f"embedded: {count - failed} of {count} tests passed")
    opa = find_tool("opa")
    if opa is None:
        click.echo("opa: not installed, not run")
    else:
        run = subprocess.run(
            [opa, "test", *map(str, where), *(["--run", only] if only else [])], capture_output=True, text=True, check=False
        )
        click.echo("opa: " + ((run.stdout or run.stderr).strip() or "passed"))
        failed += run.returncode != 0
    raise SystemExit(1 if failed else 0)


def find_tool(name: str) -> str | None:
    """Return the path of a real tool: in the folder that CROSSGATE_TOOLS names, else on PATH."""
    folder = os.environ.get("CROSSGATE_TOOLS")
    return (shutil.which(name, path=folder) if folder else None) or shutil.which(name)
