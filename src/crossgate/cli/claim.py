"""``crossgate claim``."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from crossgate.config import Config
from crossgate.errors import UsageError
from crossgate.load import Inventory
from crossgate.selfservice import ClaimApi, Field, claim_file, claim_text, fields, find_api, find_apis, team_namespace, teams

_OWN = ("team", "name", "connection-secret", "ask", "no-ask", "help")
"""Flags that every API has; a field of the same name is asked for under its whole path."""

_OF_SYNTH = ("gitops/sync-wave",)
"""Rules about what synth adds to each claim: its author has nothing to mend."""


class ApiGroup(click.Group):
    """One command for each API that can be claimed, with a flag for each of its fields."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the kinds that can be claimed."""
        config = Config.find()
        return [api.kind for api in find_apis(config.dist, root=config.root)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Make the command of an API from its schema."""
        config = Config.find()
        return _command(find_api(find_apis(config.dist, root=config.root), cmd_name))


@click.group("claim")
def command() -> None:
    """Start claims.

    \b
    Examples:
      crossgate claim new --help                 the APIs that can be claimed
      crossgate claim new GPUCluster --help      the fields of one
    """


@command.group("new", cls=ApiGroup, subcommand_metavar="API [FIELDS]...", short_help="write a claim into the team's folder, and check it")
def new() -> None:
    """Write a claim into the team's folder, with every field explained, and check it.

    What is needed and not given is asked for, at a terminal. Nothing is
    written that the gate refuses, and nothing is overwritten.

    \b
    Example:
      crossgate claim new GPUCluster --team research --name nightly --gpu-type a100 --max-nodes 2
    """


def _command(api: ClaimApi) -> click.Command:
    # the name of the claim is also the name of what it makes, for the APIs that have such a field
    named = tuple(field for field in fields(api.schema) if field.flag == "name")
    flags = {f"field{number}": field for number, field in enumerate(fields(api.schema)) if field not in named}
    labels = {f"label{number}": label for number, label in enumerate(api.labels)}
    taken = {*_OWN, *(field.flag for field in flags.values())}

    def run(team: str | None, name: str | None, connection_secret: str, ask: bool | None, **given: Any) -> None:
        asking = sys.stdin.isatty() if ask is None else ask
        config = Config.find()
        known = teams(config.root)
        if not asking:
            needed = [field for field in flags.values() if field.needed and not field.given]
            asked = {"team": team, "name": name, **{_flag(field): given[key] for key, field in flags.items() if field in needed}}
            if missing := [f"--{flag}" for flag, value in asked.items() if value in (None, "", ())]:
                hint = f"write them, or answer at a terminal; crossgate claim new {api.kind} --help explains each"
                raise UsageError(f"a {api.kind} needs {', '.join(missing)}", "", hint)
        team = team or str(click.prompt("Team", type=click.Choice(known)))
        name = name or str(click.prompt("Name", value_proc=partial(_free, config.root, team, api.kind)))
        file = claim_file(config.root, team, api.kind, name)
        select = {label: given[key] for key, label in labels.items() if given[key]}
        if not select and asking:
            select = {
                label: click.prompt(label, type=click.Choice(values), default=api.usual.get(label))
                for label, values in api.labels.items()
                if len(values) > 1
            }
        values: dict[tuple[str, ...], Any] = {field.path: name for field in named}
        for key, field in flags.items():
            value = given[key]
            if value in (None, ()) and field.needed and asking:
                value = _ask(field)
            if value not in (None, ()):
                values[field.path] = _plain(field, value)
        namespace = team_namespace(config.dist, team, root=config.root)
        text = claim_text(api, name, values, namespace=namespace.name, select=select, secret=connection_secret)
        relative = file.relative_to(config.root).as_posix()
        found = _check(text, relative, namespace.labels, config)
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("x", encoding="utf-8") as stream:
            stream.write(text)
        click.echo(f"wrote {os.path.relpath(file)}: it becomes {found} objects")
        click.echo(f"look: crossgate render --tree {os.path.relpath(file)}")
        click.echo("next: crossgate synth, then a pull request")

    options: list[click.Parameter] = [
        click.Option(["--team"], help="The team that claims it."),
        click.Option(["--name"], help="Name of the claim." + (" What it makes is called so too." if named else "")),
        *(_option(key, field) for key, field in flags.items()),
        *(
            click.Option([key, f"--{label}"], type=click.Choice(api.labels[label]), help="Chooses the Composition that makes it.")
            for key, label in labels.items()
            if label not in taken
        ),
        click.Option(
            ["--connection-secret"],
            default="",
            hidden=not api.secret,
            help="Secret in the team's namespace that the connection details go to.",
        ),
        click.Option(["--ask/--no-ask"], default=None, help="Ask for what is needed and not given.  [default: at a terminal]"),
    ]
    labels = {key: label for key, label in labels.items() if label not in taken}
    return click.Command(
        api.kind, params=options, callback=run, help=f"{api.description}\n\nWrites a {api.kind} and checks it.", short_help=api.description
    )


def _flag(field: Field) -> str:
    return f"spec-{field.flag}" if field.flag in _OWN else field.flag


def _type(schema: Any) -> click.ParamType[Any]:
    if "enum" in schema:
        return click.Choice([str(value) for value in schema["enum"]])
    if schema.get("type") == "integer":
        return click.IntRange(schema.get("minimum"), schema.get("maximum"))
    if schema.get("type") == "number":
        return click.FloatRange(schema.get("minimum"), schema.get("maximum"))
    return click.BOOL if schema.get("type") == "boolean" else click.STRING


def _option(key: str, field: Field) -> click.Option:
    schema = field.schema
    if schema.get("type") == "array":
        return click.Option(
            [key, f"--{_flag(field)}"], multiple=True, type=_type(schema["items"]), help=f"{field.summary} (may be repeated)"
        )
    if schema.get("type") == "object":
        return click.Option([key, f"--{_flag(field)}"], multiple=True, metavar="KEY=VALUE", help=f"{field.summary} (may be repeated)")
    # choices and ranges are shown by click itself
    text = replace(field, schema={key: value for key, value in schema.items() if key not in ("enum", "minimum", "maximum")}).summary
    default = f"  [default: {schema['default']}]" if field.given else "  [needed]" if field.needed else ""
    return click.Option([key, f"--{_flag(field)}"], type=_type(schema), help=f"{text}{default}")


def _free(root: Path, team: str, kind: str, name: str) -> str:
    """Return a name that was answered; a wrong one is asked for again."""
    try:
        claim_file(root, team, kind, name)
    except UsageError as error:
        raise click.UsageError(f"{error.what}; {error.hint}") from None
    return name


def _ask(field: Field) -> Any:
    schema = field.schema
    if schema.get("type") in ("array", "object"):
        return tuple(click.prompt(f"{field.summary}\n{_flag(field)} (words)", default="").split())
    return click.prompt(f"{field.summary}\n{_flag(field)}", type=_type(schema), default=schema.get("default"), show_choices=False)


def _plain(field: Field, value: Any) -> Any:
    if field.schema.get("type") == "array":
        return list(value)
    if field.schema.get("type") == "object":
        wrong = next((pair for pair in value if "=" not in pair), None)
        if wrong is not None:
            raise UsageError(f"{wrong!r} is no entry of {'.'.join(field.path)}", f"--{_flag(field)}", "write KEY=VALUE")
        return dict(pair.split("=", 1) for pair in value)
    if "enum" in field.schema:
        return next(each for each in field.schema["enum"] if str(each) == value)
    return value


def _check(text: str, name: str, labels: Mapping[str, str], config: Config) -> int:
    """Judge the claim as it will stand in its file, with the labels that synth gives it; return how many objects it becomes.

    Raises:
        SystemExit: the gate refuses it, or could not check it. The report was printed.
    """
    from crossgate.check import check  # noqa: PLC0415 - it brings every stage with it, which --help has no need of
    from crossgate.load import load_text  # noqa: PLC0415 - likewise
    from crossgate.model import Identity  # noqa: PLC0415 - likewise
    from crossgate.report import write  # noqa: PLC0415 - likewise

    [document] = load_text(text, name)
    body: Any = document.body
    body["metadata"]["labels"] = dict(labels)
    # beside the other claims: one may have the path that this one wants, or have used up the quota
    report = check([config.dist], config=config, given=Inventory((document,)))
    report = replace(
        report,
        findings=tuple(
            found
            for found in report.findings
            if (found.place.file == name or found.resource == Identity.of(body)) and found.rule not in _OF_SYNTH
        ),
        could_not_check=tuple(item for item in report.could_not_check if not item.where.startswith(f"{config.dist.name}/")),
    )
    if report.exit_code:
        click.echo(write(report, "text"), nl=False, err=True)
        click.echo(f"{name} was not written", err=True)
        raise SystemExit(report.exit_code)
    return sum(subject.place.file == name for subject in report.subjects) - 1
