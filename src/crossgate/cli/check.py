"""``crossgate check``."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from crossgate.check import STDIN, check
from crossgate.cli import output
from crossgate.cli.judging import judged_by, judging
from crossgate.cli.paths import PATH
from crossgate.cli.progress import progress
from crossgate.config import Config
from crossgate.errors import UsageError
from crossgate.load import inventory_of
from crossgate.model import Severity
from crossgate.report import FORMATS, WITH_PLAN


@click.command("check")
@click.argument("paths", nargs=-1, type=PATH)
@click.option(
    "--policy",
    "policies",
    multiple=True,
    metavar="DIR|SOURCE",
    help="A folder of Rego rules, or a locked source (git+…, oci://…), instead of the project's.",
)
@judging
@click.option("--schemas", multiple=True, type=click.Path(path_type=Path), help="CRDs, XRDs or compact schemas, instead of the project's.")
@click.option("--base", metavar="REF", default="", help="Compare with this commit: it judges, and its findings do not count.")
@click.option("--policies-from", metavar="REF", default="", help="The commit whose settings and policies judge, if not --base.")
@click.option(
    "--fail-on",
    type=click.Choice([str(severity) for severity in Severity]),
    help="The least severity that makes the exit code 1.  [default: error]",
)
@click.option(
    "-o", "--output", "outputs", multiple=True, metavar="FORMAT[=FILE]", help=f"One of {', '.join(FORMATS)}; more than once for several."
)
@click.option("--watch", "watched", is_flag=True, help="Check again whenever manifests, rules, schemas or settings change.")
def command(
    paths: tuple[Path, ...],
    policies: tuple[str, ...],
    schemas: tuple[Path, ...],
    base: str,
    policies_from: str,
    fail_on: str | None,
    outputs: tuple[str, ...],
    watched: bool,
    **how: Any,
) -> None:
    """Judge manifests, and what their claims become.

    PATHS are files and folders (default: the project's dist/); "-" reads standard input. Every claim is
    rendered through its Composition; documents, claims, XRs and composed resources are validated against
    their schemas and judged by the Rego rules. With --base the settings, policies, waivers and schemas of that
    commit judge, not those of a pull request, and only findings that it does not have already count. Claims that
    teams wrote are judged with the namespace and labels that crossgate synth gives them.

    \b
    Examples:
      crossgate check
      crossgate check my-claim.yaml -o json=report.json
      crossgate check --base origin/main -o github
      crossgate check --engine opa --opa-url http://localhost:8181
      crossgate check --watch
      kustomize build . | crossgate check -
    """
    where = output.parse(outputs)
    if not watched:
        raise SystemExit(_check(paths, policies, schemas, base, policies_from, fail_on, where, how))
    if any(str(path) == STDIN for path in paths):
        raise UsageError("standard input cannot be watched", "--watch -", "name files or folders")
    from crossgate.cli.watch import watch  # noqa: PLC0415 (only this option needs it)

    watch(
        lambda: _check(paths, policies, schemas, base, policies_from, fail_on, where, how),
        lambda: _watched(paths, policies, schemas),
        [file for _, file in where if file is not None],
    )


def _watched(paths: tuple[Path, ...], policies: tuple[str, ...], schemas: tuple[Path, ...]) -> tuple[Path, ...]:
    """Return what a check reads; while the settings cannot be read, the places that they have by default."""
    try:
        config = Config.find()
    except UsageError:
        config = Config(Path.cwd(), Path("dist"), (Path("policies"),), (Path("schemas"),))
    settings = (config.root / name for name in ("crossgate.toml", "pyproject.toml", "baseline.json"))
    return (*paths, *map(Path, policies), *schemas, config.dist, *config.policies, *config.schemas, *config.data, *settings)


def _check(
    paths: tuple[Path, ...],
    policies: tuple[str, ...],
    schemas: tuple[Path, ...],
    base: str,
    policies_from: str,
    fail_on: str | None,
    where: list[tuple[str, Path | None]],
    how: dict[str, Any],
) -> int:
    config = judged_by(Config.find(), **how)
    if policies:
        config = config.with_policies(policies, Path.cwd())
    if schemas:
        config = replace(config, schemas=tuple(path.absolute() for path in schemas))
    if fail_on:
        config = replace(config, fail_on=Severity(fail_on))
    files = [path for path in paths if str(path) != STDIN]
    given = inventory_of(sys.stdin.buffer.read(), "<stdin>") if len(files) < len(paths) else None
    with_plan = any(name in WITH_PLAN for name, _ in where)
    with progress():
        report = check(files if paths else None, config=config, given=given, base=base, policies_from=policies_from, with_plan=with_plan)
    output.write(report, where)
    return report.exit_code
