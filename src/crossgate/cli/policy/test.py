"""``crossgate policy test``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from crossgate.cli.policy.sources import POLICY, folders
from crossgate.errors import UsageError
from crossgate.policy.bundle import read_bundle
from crossgate.policy.data import check_data
from crossgate.policy.opa.program import differences, find_opa, run_tests_on_opa
from crossgate.policy.testing import TestOutcome, run_tests


@click.command("test")
@click.argument("only", default="")
@POLICY
def command(only: str, directories: tuple[Path, ...]) -> None:
    """Check the data, and run the Rego tests whose name contains ONLY: embedded, and on opa where it is installed.

    ONLY is a rule, a category or a part of a test's name. A test that the
    two engines end differently is a failure.

    \b
    Example:
      crossgate policy test network/open-cidr
    """
    only = only.replace("/", ".").replace("-", "_")  # a rule's name as its package has it
    where = folders(directories)
    check_data(where)
    embedded = tuple(run_tests(read_bundle(where, tests=True), only))
    if not embedded:
        raise UsageError(
            f"no test has {only!r} in its name" if only else "there are no tests",
            ", ".join(map(str, where)),
            "name a rule that crossgate policy list shows, or a part of a test's name" if only else "tests are named test_…",
        )
    failed = _told("embedded", embedded)
    opa = find_opa()
    if opa is None:
        click.echo("opa: not installed, not run")
    else:
        there = run_tests_on_opa(opa, where, only)
        failed += _told("opa", there)
        for line in differences(embedded, there):
            failed += 1
            click.echo(f"DIFFERENT {line}")
    raise SystemExit(1 if failed else 0)


def _told(engine: str, outcomes: Sequence[TestOutcome]) -> int:
    """Print what failed and how many passed; return how many failed."""
    failed = [outcome for outcome in outcomes if outcome.problem]
    for outcome in failed:
        click.echo(f"FAIL {outcome.file}:{outcome.line} {outcome.name}: {outcome.problem}")
    click.echo(f"{engine}: {len(outcomes) - len(failed)} of {len(outcomes)} tests passed")
    return len(failed)
