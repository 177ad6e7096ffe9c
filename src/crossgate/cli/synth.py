"""``crossgate synth``."""

from __future__ import annotations

import click

from crossgate.config import Config
from crossgate.model import Finding, Severity


@click.command()
@click.option(
    "--check", "only_check", is_flag=True, help="Write nothing: say whether the committed output differs, with the diff (exit 1)."
)
def command(only_check: bool) -> None:
    """Run the cdk8s app of cdk8s.yaml and write its manifests.

    Every document is validated and every patch of a Composition is checked
    against the fields that it reads and writes. With an error nothing is
    written; it stands at the line of Python, or of a claim, that made it.

    \b
    Examples:
      crossgate synth
      crossgate synth --check      in a pull request: is dist/ what the app makes?
    """
    # it brings the readers and judges with it, which --help has no need of
    from crossgate.synth import output, run  # noqa: PLC0415

    config = Config.find()
    made = run.synthesize(config)
    errors = [finding for finding in made.judgement.findings if finding.severity is Severity.ERROR]
    for finding in errors:
        click.echo(_finding(finding), err=True)
    for item in made.judgement.could_not_check:
        click.echo(f"could not check: {item.what}\n  at {item.where}" + (f"\n  {item.hint}" if item.hint else ""), err=True)
    if errors:
        raise SystemExit(1)
    folder = config.root / made.name
    if only_check:
        committed = output.read(folder) if folder.is_dir() else {}
        diff = "".join(output.differences(committed, made.files, made.name))
        if diff:
            click.echo(diff, nl=False)
            click.echo(f"{made.name}/ is not what the app makes: run crossgate synth and commit it", err=True)
            raise SystemExit(1)
        click.echo(f"{made.name}/ is what the app makes: {len(made.files)} files")
    else:
        output.install(made.files, folder)
        click.echo(f"wrote {made.name}/: {len(made.files)} files")
    if made.judgement.could_not_check:
        raise SystemExit(3)


def _finding(finding: Finding) -> str:
    lines = [f"{finding.place}: {finding.rule}: {finding.message}"]
    lines += [f"  in {finding.resource} at {finding.path}"] if finding.path else []
    lines += [f"  {finding.remediation}"] if finding.remediation else []
    return "\n".join(lines)
