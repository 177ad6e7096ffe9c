"""``crossgate release``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import click
import yaml

from crossgate.cli.width import row
from crossgate.config import Config
from crossgate.gate.documents import refuse_nowhere
from crossgate.gate.entry import entered
from crossgate.release.change import Change, change
from crossgate.release.document import name_of, report
from crossgate.release.freezes import load_freezes
from crossgate.report.text import printable
from crossgate.schema import Schemas
from crossgate.units.states import at_commit, on_disk


@click.command("release")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--base", metavar="REF", required=True, help="The commit to compare with: the branch that would be merged into.")
@click.option("-o", "--output", "form", type=click.Choice(["text", "json", "yaml"]), default="text", show_default=True)
def command(paths: tuple[Path, ...], base: str, form: str) -> None:
    """Say what a change does to whom, what it newly pins, and what is frozen.

    PATHS are files and folders (default: the project's dist/). Nothing is judged: crossgate check --base does that. JSON and YAML hold
    the Change that the rules about releases see: conftest takes it among the documents. Freezes are those of the base.

    \b
    Examples:
      crossgate release --base origin/main
      crossgate release --base origin/main -o yaml > build/change.yaml
    """
    with entered(Config.find(), base=base) as entry:
        config, commit = entry.config, entry.base or entry.judge
        places = [path.absolute() for path in paths] or [config.dist]
        refuse_nowhere(commit, places)
        after = on_disk(places, config, judge=entry.judge)
        before = at_commit(commit, places, config, after)
        made = change(
            before,
            after,
            base=commit.id,
            at=datetime.now(tz=UTC),
            freezes=load_freezes(config.policies),
            schemas=Schemas.load(config.schemas),
            functions=config.functions,
        )
    if form == "text":
        click.echo("\n".join(row(head, printable(text)) for head, text in _lines(made, str(commit))))
    else:
        body = report(made)
        text = json.dumps(body, indent=2, ensure_ascii=False) + "\n" if form == "json" else yaml.safe_dump(body, sort_keys=False)
        click.echo(text, nl=False)
    for item in (*after.could_not_check, *before.could_not_check):
        click.echo(f"crossgate: not compared: {item.what} at {item.where}", err=True)
    raise SystemExit(3 if after.could_not_check else 0)


def _lines(made: Change, base: str) -> Iterator[tuple[str, str]]:
    """Yield the lines, what stands before the first column that a line which goes on keeps free apart."""
    yield "", f"against {base}: {len(made.objects)} object{'' if len(made.objects) == 1 else 's'} changed"
    for changed in made.objects:
        through = f" through {', '.join(changed.through)}" if changed.remade else ""
        yield f"  {changed.action} ", f"{name_of(changed)} of team {changed.team}{through}"
        yield from (("    becomes ", f"{what} {value} through {', '.join(changed.through)}") for what, value in changed.made)
        yield from (("    newly pins ", f"{pin.what} {pin.value}") for pin in changed.pins)
    for freeze in made.freezes:
        state = "is frozen" if freeze.holds(made.at) else "was frozen" if freeze.over(made.at) else "will be frozen"
        times = f"from {freeze.starts.isoformat()} until {freeze.ends.isoformat()}"
        yield "", f"{freeze.whose} {state} {times}: {freeze.reason} (ask {freeze.owner})"
