"""``crossgate attest``."""

from __future__ import annotations

from pathlib import Path

import click

from crossgate.attest import attest, write
from crossgate.errors import UsageError


@click.command("attest")
@click.option("-o", "--output", "file", type=click.Path(path_type=Path), help="The file to write to, instead of standard output.")
def command(file: Path | None) -> None:
    """Check dist/ and state what it holds, for signing.

    Writes an in-toto Statement: each file of dist/ with its SHA-256, and what judged it: tool, policies, data, schemas, settings,
    commit, verdict and counts. The same files give the same bytes. It is written whatever the verdict is; the
    exit code is that of the check.

    \b
    Examples:
      crossgate attest -o attestation.json
      cosign attest-blob --statement attestation.json --bundle attestation.sigstore.json
    """
    made = attest()
    text = write(made.statement)
    if file is None:
        click.echo(text, nl=False)
    else:
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        except OSError as error:
            raise UsageError(f"cannot write the attestation: {error.strerror}", str(file), "name a file that can be written") from error
    said = made.statement["predicate"]["check"]["verdict"]
    click.echo(f"{len(made.statement['subject'])} files attested; the check: {said}", err=True)
    raise SystemExit(made.report.exit_code)
