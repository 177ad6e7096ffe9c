"""Where the rules are that a verb is about: ``--policy``, else the project's settings."""

from __future__ import annotations

from pathlib import Path

import click

from crossgate.config import Config
from crossgate.policy.bundle import read_bundle
from crossgate.policy.rules import Rule, find_rules


def _given(_context: click.Context, _option: click.Parameter, given: tuple[str, ...]) -> tuple[Path, ...]:
    """Return the folders that ``--policy`` names; of locked places elsewhere those of the cache."""
    return _all_of(Config.find().with_policies(given, Path())) if given else ()


POLICY = click.option(
    "--policy",
    "directories",
    multiple=True,
    metavar="DIR|SOURCE",
    callback=_given,
    help="A folder of Rego rules, or a locked source (git+…, oci://…), instead of the project's.",
)


def folders(directories: tuple[Path, ...]) -> tuple[Path, ...]:
    """Return the named folders, else the project's.

    Raises:
        PolicyError: policies elsewhere are not locked, or not on this machine.
    """
    return directories or _all_of(Config.find())


def waiver_files(directories: tuple[Path, ...]) -> list[Path]:
    """Return where the waivers of the named folders, else of the project's, stand.

    Those that come with policies from elsewhere do not count: who may pass is decided here.
    """
    from crossgate.judging import WAIVERS  # noqa: PLC0415 - most verbs about policies need nothing of judging
    from crossgate.policy.remote.store import Store  # noqa: PLC0415 - likewise

    elsewhere = Store.default().folder
    return [folder / WAIVERS for folder in directories or Config.find().policies if not folder.is_relative_to(elsewhere)]


def _all_of(config: Config) -> tuple[Path, ...]:
    if not config.bundles:
        return config.policies
    from crossgate.policy.remote import locked_folders  # noqa: PLC0415 - most projects keep their policies themselves

    return (*config.policies, *locked_folders(config.bundles, config.policy_lock))


def built_in(directories: tuple[Path, ...]) -> dict[str, Path]:
    """Return the pages of rules that are judged without Rego, by rule: a folder with a page and no policy."""
    pages = (page for folder in folders(directories) for page in sorted(folder.glob("*/*/README.md")))
    return {f"{page.parent.parent.name}/{page.parent.name}": page for page in pages if not any(page.parent.glob("*.rego"))}


def rules(directories: tuple[Path, ...]) -> tuple[Rule, ...]:
    """Return the rules in the named folders, else the project's.

    Raises:
        PolicyError: there are none, or their METADATA is wrong.
    """
    return find_rules(read_bundle(folders(directories)))
