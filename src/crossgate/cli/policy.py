"""``crossgate policy``: list, explain, test and start rules."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import asdict
from pathlib import Path

import click

from crossgate.config import Config
from crossgate.errors import UsageError
from crossgate.policy.bundle import read_bundle
from crossgate.policy.data import check_data
from crossgate.policy.rules import Rule, find_rules
from crossgate.policy.scaffold import new_rule
from crossgate.policy.testing import run_tests

_DIRECTORIES = click.option(
    "--policy", "directories", multiple=True, type=click.Path(path_type=Path), help="A folder of Rego rules, instead of the project's."
)


@click.group("policy")
def command() -> None:
    """List, explain, test and start rules.

    \b
    Examples:
      crossgate policy list
      crossgate policy explain network/open-cidr
      crossgate policy test
      crossgate policy new storage/versioned
    """


@command.command("list")
@_DIRECTORIES
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", help="How to write the list.")
def list_rules(directories: tuple[Path, ...], output: str) -> None:
    """List the rules with their severity and title.

    \b
    Example:
      crossgate policy list -o json
    """
    rules = _rules(directories)
    if output == "json":
        click.echo(json.dumps([asdict(rule) for rule in rules], indent=2))
        return
    width = max(len(rule.id) for rule in rules)
    for rule in rules:
        click.echo(f"{rule.id:<{width}}  {rule.severity:<7}  {rule.title or rule.name}")


@command.command("explain")
@click.argument("rule")
@_DIRECTORIES
def explain(rule: str, directories: tuple[Path, ...]) -> None:
    """Show the page of RULE: what it refuses, why, what to write instead.

    \b
    Example:
      crossgate policy explain secret/placeholder
    """
    rules = {found.id: found for found in _rules(directories)}
    if rule not in rules:
        raise UsageError(f"there is no rule {rule!r}", hint="crossgate policy list shows the rules")
    found = rules[rule]
    page = Path(found.file).parent / "README.md"
    if page.is_file():
        click.echo(page.read_text(encoding="utf-8"), nl=False)
        return
    for line in (f"# {found.id}", found.title, found.description, found.remediation, found.link):
        if line:
            click.echo(f"{line}\n")


@command.command("test")
@click.argument("only", default="")
@_DIRECTORIES
def test(only: str, directories: tuple[Path, ...]) -> None:
    """Check the data, and run the Rego tests whose name contains ONLY: embedded, and on opa where it is installed.

    \b
    Example:
      crossgate policy test open_cidr
    """
    folders = _folders(directories)
    check_data(folders)
    failed = count = 0
    for outcome in run_tests(read_bundle(folders, tests=True), only):
        count += 1
        if outcome.problem:
            failed += 1
            click.echo(f"FAIL {outcome.file}:{outcome.line} {outcome.name}: {outcome.problem}")
    if not count:
        raise UsageError(
            f"no test matches {only!r}" if only else "there are no tests", ", ".join(map(str, folders)), "tests are named test_…"
        )
    click.echo(f"embedded: {count - failed} of {count} tests passed")
    opa = find_tool("opa")
    if opa is None:
        click.echo("opa: not installed, not run")
    else:
        run = subprocess.run(
            [opa, "test", *map(str, folders), *(["--run", only] if only else [])], capture_output=True, text=True, check=False
        )
        click.echo("opa: " + ((run.stdout or run.stderr).strip() or "passed"))
        failed += run.returncode != 0
    raise SystemExit(1 if failed else 0)


@command.command("new")
@click.argument("rule", metavar="CATEGORY/RULE")
@click.option("--policy", "directory", type=click.Path(path_type=Path), help="The folder of rules to add to, instead of the project's.")
def new(rule: str, directory: Path | None) -> None:
    """Write the files of a new rule: Rego, test and README page.

    \b
    Example:
      crossgate policy new storage/versioned
    """
    for path in new_rule(directory or Config.find().policies[0], rule):
        click.echo(os.path.relpath(path))


def find_tool(name: str) -> str | None:
    """Return the path of a real tool: in the folder that CROSSGATE_TOOLS names, else on PATH."""
    folder = os.environ.get("CROSSGATE_TOOLS")
    return (shutil.which(name, path=folder) if folder else None) or shutil.which(name)


def _folders(directories: tuple[Path, ...]) -> tuple[Path, ...]:
    return directories or Config.find().policies


def _rules(directories: tuple[Path, ...]) -> tuple[Rule, ...]:
    return find_rules(read_bundle(_folders(directories)))
