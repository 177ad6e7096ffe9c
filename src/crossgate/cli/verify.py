"""``crossgate verify``."""

from __future__ import annotations

from pathlib import Path

import click

from crossgate.attest import read, verify


@click.command("verify")
@click.argument("attestation", type=click.Path(path_type=Path))
@click.argument("dist", required=False, type=click.Path(path_type=Path))
def command(attestation: Path, dist: Path | None) -> None:
    """Compare an ATTESTATION with DIST (default: the project's dist/), and with the policies, schemas and settings here.

    Says each file that differs, is missing or was not attested, and whether the check had passed. ATTESTATION is what crossgate attest
    wrote, also inside a DSSE envelope or a Sigstore bundle. Signatures are not checked: cosign does that first.

    \b
    Examples:
      crossgate verify attestation.json
      cosign verify-blob-attestation … && crossgate verify attestation.sigstore.json rendered/
    """
    statement = read(attestation)
    differences, notes = verify(statement, folder=dist)
    for line in (*differences, *notes):
        click.echo(line)
    files, apart = len(statement["subject"]), len(differences)
    click.echo(f"{files} file{'s' * (files != 1)} attested, {apart} difference{'s' * (apart != 1)}")
    raise SystemExit(1 if differences else 0)
