"""``crossgate rollback``."""

from __future__ import annotations

from pathlib import Path

import click

from crossgate.errors import UsageError
from crossgate.release.rollback import prepare
from crossgate.report.plan import write
from crossgate.report.text import printable


@click.command("rollback")
@click.option("--to", "to", metavar="REF", required=True, help="The commit to go back to.")
@click.option(
    "--claim",
    "claims",
    multiple=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Restore this claim; more than once for several.",
)
@click.option("--team", metavar="NAME", default="", help="Restore the claims of this team.")
@click.option("--branch", metavar="NAME", default="", help="Commit on a new branch; nothing else changes.")
@click.option("--reason", metavar="TEXT", default="", help="Why; it stands in the commit's message.")
@click.option("--dry-run", is_flag=True, help="Show the plan and write nothing.")
def command(to: str, claims: tuple[Path, ...], team: str, branch: str, reason: str, dry_run: bool) -> None:
    """Restore claims to an earlier commit, by a new commit.

    Restored are the files of claims in apps/claims and what belongs to them in dist/: all of them, those of a team, or those that are
    named. Everything else stays as it is. The plan is shown first; a rollback after which a claim would no longer render is not written.
    No hook is run. Push the commit, or open a pull request from the branch.

    \b
    Exit codes: 0 written (or nothing to do), 1 a claim would no longer render,
    2 it cannot be done here, 3 not all could be planned.

    \b
    Examples:
      crossgate rollback --to HEAD~1 --dry-run
      crossgate rollback --to v1.4 --team fraud --reason "scores are wrong since noon"
      crossgate rollback --to HEAD~3 --claim apps/claims/fraud/chargebacks.yaml --branch undo --reason "…"
    """
    if claims and team:
        raise UsageError("claims and a team are both named", "--claim, --team", "name one of them")
    rollback = prepare(to, claims=claims, team=team)
    if not dry_run:
        rollback.message(reason)  # a reason that is missing is said before anything else
    for note in rollback.left:
        click.echo(printable(f"crossgate: left as it is: {note}"), err=True)
    if not rollback.files:
        click.echo(f"nothing to roll back: the claims are as in {printable(str(rollback.target))}")
        return
    plan = rollback.plan()
    click.echo(write(plan, "text"), nl=False)
    if dry_run or plan.exit_code:
        if plan.exit_code:
            click.echo("crossgate: not written: the plan is not whole", err=True)
        raise SystemExit(plan.exit_code)
    made = rollback.write(reason, branch=branch)
    click.echo(
        f"\nwrote {made[:12]}{f' on {branch}' if branch else ''}: {len(rollback.files)} files as in {printable(str(rollback.target))}"
    )
