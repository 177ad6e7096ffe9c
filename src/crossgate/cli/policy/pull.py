"""``crossgate policy pull``."""

from __future__ import annotations

import click

from crossgate.config import POLICY_LOCK, Config
from crossgate.errors import UsageError
from crossgate.policy.remote import Store, pull, read_lock


@click.command("pull")
def command() -> None:
    """Bring the policies that policies.lock.toml names onto this machine; what is there already is not fetched again.

    Another content than the locked one is refused. The cache is $XDG_CACHE_HOME/crossgate/policies.

    \b
    Example:
      crossgate policy pull && crossgate check
    """
    file = Config.find().root / POLICY_LOCK
    entries = read_lock(file)
    if not entries:
        raise UsageError("nothing is locked", str(file), "run crossgate policy lock")
    fetched = pull(entries.values(), Store.default())
    click.echo(f"{len(fetched)} of {len(entries)} fetched")
