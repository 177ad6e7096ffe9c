"""``crossgate policy explain``."""

from __future__ import annotations

from pathlib import Path

import click

from crossgate.cli.complete import rule_names
from crossgate.cli.policy.sources import POLICY, built_in, rules
from crossgate.cli.width import page as shown
from crossgate.errors import UsageError
from crossgate.schema.nearest import nearest


@click.command("explain")
@click.argument("rule", shell_complete=rule_names)
@POLICY
def command(rule: str, directories: tuple[Path, ...]) -> None:
    """Show the page of RULE: what it refuses, why, what to write instead.

    \b
    Example:
      crossgate policy explain secret/placeholder
    """
    known = {found.id: found for found in rules(directories)}
    if rule not in known and (built := built_in(directories).get(rule)):
        click.echo(shown(built.read_text(encoding="utf-8")), nl=False)
        return
    if rule not in known:
        # a finding's rule of another category is none of these, however near: schema/deprecated-version, crossplane/deprecated-version
        near = nearest(rule, (name for name in known if name.partition("/")[0] == rule.partition("/")[0]))
        shown_by = "crossgate policy list shows the rules; what is checked without one is in docs/findings.md"
        hint = f"did you mean {near}?" if near else shown_by
        raise UsageError(f"there is no rule {rule!r}", hint=hint)
    found = known[rule]
    page = Path(found.file).parent / "README.md"
    if page.is_file():
        click.echo(shown(page.read_text(encoding="utf-8")), nl=False)
        return
    for line in (f"# {found.id}", found.title, found.description, found.remediation, found.link):
        if line:
            click.echo(shown(line))
