"""``crossgate policy lock``."""

from __future__ import annotations

import click

from crossgate.config import POLICY_LOCK, Config
from crossgate.errors import UsageError
from crossgate.policy.remote import Store, lock, read_lock, write_lock


@click.command("lock")
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@click.option("--update", is_flag=True, help="Ask again about what is locked already.")
def command(sources: tuple[str, ...], update: bool) -> None:
    """Write down what policies elsewhere are: the commit or image, and a digest of its content.

    SOURCES are added to those of the settings: git+https://host/repo@REF#folder (also git+ssh, git+file) and
    oci://host/repository:tag (oci+http:// for a registry without TLS). A check uses only what policies.lock.toml names.

    \b
    Examples:
      crossgate policy lock
      crossgate policy lock --update
      crossgate policy lock oci://registry.example.org/platform/policies:v3
    """
    config = Config.find()
    file = config.root / POLICY_LOCK
    known = read_lock(file)
    wanted = tuple(dict.fromkeys((*config.bundles, *sources, *known)))
    if not wanted:
        raise UsageError("there are no policies elsewhere", "policies", 'name some: policies = ["policies", "oci://…"], or as SOURCE')
    entries = lock(wanted, known, Store.default(), update=update)
    write_lock(file, entries)
    for entry in entries:
        before = known.get(entry.source)
        how = "as before" if entry == before else "changed" if before else "new"
        click.echo(f"{entry.source} is {entry.resolved}, content {entry.digest} ({how})")
