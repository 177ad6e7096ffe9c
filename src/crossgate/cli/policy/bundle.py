"""``crossgate policy bundle``."""

from __future__ import annotations

from pathlib import Path

import click

from crossgate.cli.policy.sources import POLICY, folders
from crossgate.config import Config
from crossgate.errors import UsageError
from crossgate.policy.advice import advise
from crossgate.policy.bundle import read_bundle
from crossgate.policy.embedded import refuse_everywhere
from crossgate.policy.opa.archive import archive


@click.command("bundle")
@POLICY
@click.option("--data", multiple=True, type=click.Path(path_type=Path), help="Further data for the rules: a file or folder.")
@click.option("--rego-version", type=click.Choice(["v0", "v1"]), help="The version that the rules are written in.  [default: v1]")
@click.option("-o", "--output", "file", required=True, type=click.Path(path_type=Path), help="The .tar.gz to write.")
def command(directories: tuple[Path, ...], data: tuple[Path, ...], rego_version: str | None, file: Path) -> None:
    """Write the rules as a bundle for a server of OPA, which then judges for check --engine opa.

    A check that is given other rules than the server has says so and judges nothing.

    \b
    Example:
      crossgate policy bundle -o build/bundle.tar.gz
      opa run --server --bundle build/bundle.tar.gz
      crossgate check --engine opa --opa-url http://localhost:8181
    """
    config = Config.find()
    bundle = read_bundle(folders(directories), data or config.data)
    rego_v0 = rego_version == "v0" if rego_version else config.rego_v0
    refuse_everywhere(bundle.modules, rego_v0=rego_v0)
    written, entry = archive(advise(bundle, rego_v0=rego_v0)[0], rego_v0=rego_v0)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(written)
    except OSError as error:
        raise UsageError(f"cannot write the bundle: {error.strerror}", str(file), "name a file that can be written") from error
    click.echo(f"{file}: {len(entry.rules)} rules, digest {entry.digest}")
