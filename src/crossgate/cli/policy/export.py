"""``crossgate policy export``."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from crossgate.cli.policy.sources import POLICY, folders, waiver_files
from crossgate.cli.width import row
from crossgate.errors import PolicyError, UsageError
from crossgate.load.write import to_yaml
from crossgate.policy.bundle import read_bundle
from crossgate.policy.export import Export, Options, Refusal, export_gatekeeper, export_vap
from crossgate.policy.rules import find_rules
from crossgate.report.text import printable
from crossgate.waive import load_waivers
from crossgate.waive.admission import exemptions

MARK = "# Written by `crossgate policy export`; do not edit.\n"
"""The first line of every file that is written: only files that start so are removed when their rule is gone."""


@click.command("export")
@click.argument("target", type=click.Choice(["gatekeeper", "vap"]))
@POLICY
@click.option("-o", "--output", "to", type=click.Path(path_type=Path), help="The folder to write to, instead of standard output.")
@click.option("--audit", is_flag=True, help="Only report: Gatekeeper's dryrun, Audit of a binding; to look before refusing.")
@click.option(
    "--exclude-namespace", "excluded", multiple=True, metavar="NAME", help="A namespace that is not judged.  [default: kube-system]"
)
def command(target: str, directories: tuple[Path, ...], to: Path | None, audit: bool, excluded: tuple[str, ...]) -> None:
    """Write the rules as what enforces them at admission.

    "gatekeeper" writes a ConstraintTemplate and a Constraint for each rule, with the same Rego (Gatekeeper 3.19 or
    later). "vap" writes a ValidatingAdmissionPolicy and its binding for each rule that has a twin in CEL, after the
    twin has given the same verdicts as the Rego on the documents of the rule's tests. Waivers that have not expired come
    along as far as admission can tell their scope. Rules and waivers that cannot be exported are listed with the reason
    on standard error.

    \b
    Examples:
      crossgate policy export gatekeeper -o admission/
      crossgate policy export vap --audit | kubectl apply -f -
    """
    bundle = read_bundle(folders(directories), tests=target == "vap")
    exempt, expired = exemptions(load_waivers(waiver_files(directories)), datetime.now(tz=UTC).date())
    options = Options(audit=audit, excluded=excluded or Options().excluded, exempt=exempt)
    export = (export_vap if target == "vap" else export_gatekeeper)(bundle, find_rules(bundle), options)
    if not export.files:
        raise PolicyError("no rule can be exported", hint="; ".join(f"{refusal.rule}: {refusal.why}" for refusal in export.refused[:3]))
    if to is None:
        ordered = [document for name in sorted(export.files, key=_templates_first) for document in export.files[name]]
        click.echo(to_yaml(ordered), nl=False)
    else:
        _write(export, to)
    _tell(export, expired)


def _templates_first(name: str) -> tuple[bool, str]:
    return not name.startswith("templates/"), name


def _write(export: Export, to: Path) -> None:
    """Write the files, and remove those of an earlier export whose rules are gone.

    Raises:
        UsageError: the folder cannot be written to, or a file of somebody else is in the way.
    """
    try:
        for name, documents in export.files.items():
            file = to / name
            if (file.exists() or file.is_symlink()) and not _ours(file):
                raise UsageError("a file that was not exported is in the way", str(file), "name another folder, or move the file")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(MARK + to_yaml(documents), encoding="utf-8")
        for file in sorted(to.rglob("*.yaml")):
            if file.relative_to(to).as_posix() not in export.files and _ours(file):
                file.unlink()
    except OSError as error:
        raise UsageError(f"cannot write the export: {error.strerror}", str(to), "name a folder that can be written to") from error


def _ours(file: Path) -> bool:
    if file.is_symlink() or not file.is_file():
        return False
    with file.open("rb") as opened:
        return opened.read(len(MARK)) == MARK.encode()


def _tell(export: Export, left_out: tuple[Refusal, ...]) -> None:
    """Write the table of what was exported and what was not to standard error."""
    rules = {rule: f"exported, but: {less}" if less else "exported" for rule, less in export.exported.items()}
    rules |= {refusal.rule: f"cannot be exported: {refusal.why}" for refusal in export.refused}
    width = max(len(rule) for rule in rules)
    for rule in sorted(rules):
        click.echo(row(printable(f"{rule:<{width}}  "), printable(rules[rule])), err=True)
    for exemption in export.waived:
        click.echo(row("waived by ", printable(f"{exemption}: {exemption.rule}")), err=True)
    for refusal in (*left_out, *export.not_waived):
        click.echo(row("waiver ", printable(f"{refusal.rule} is not exported: {refusal.why}")), err=True)
    click.echo(f"{len(export.exported)} of {len(rules)} rules exported", err=True)
