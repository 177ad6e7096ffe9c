"""Options that say how the rules judge, for every verb that lets them: as conftest and opa name them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from crossgate.config import ENGINES, Config
from crossgate.errors import UsageError

_OPTIONS = (
    click.option("--engine", type=click.Choice(ENGINES), help="What judges: this process, or a server of OPA.  [default: embedded]"),
    click.option("--opa-url", metavar="URL", help="The server of OPA, with the bundle that crossgate policy bundle writes."),
    click.option("-n", "--namespace", "namespaces", multiple=True, metavar="PACKAGE", help="A package that may decide, instead of all."),
    click.option("--data", multiple=True, type=click.Path(path_type=Path), help="Further data for the rules: a file or folder."),
    click.option("--combine", is_flag=True, default=None, help="Rules in conftest's style see all documents at once."),
    click.option("--rego-version", type=click.Choice(["v0", "v1"]), help="The version that the rules are written in.  [default: v1]"),
)


def judging(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command, which gets them as keywords for ``judged_by``."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def judged_by(
    config: Config,
    *,
    engine: str | None,
    opa_url: str | None,
    namespaces: tuple[str, ...],
    data: tuple[Path, ...],
    combine: bool | None,
    rego_version: str | None,
) -> Config:
    """Return the settings with what the options say.

    Raises:
        UsageError: OPA shall judge and nothing says which server.
    """
    changed: dict[str, Any] = {
        "engine": engine,
        "opa_url": opa_url,
        "namespaces": namespaces or None,
        "data": tuple(path.absolute() for path in data) or None,
        "combine": combine,
        "rego_v0": rego_version == "v0" if rego_version else None,
    }
    config = replace(config, **{name: value for name, value in changed.items() if value is not None})
    if config.engine == "opa" and not config.opa_url:
        raise UsageError("the engine opa has no server", "--engine opa", "name it: --opa-url http://host:port")
    if opa_url and config.engine != "opa":
        raise UsageError("--opa-url is given and OPA does not judge", "--opa-url", "add --engine opa")
    return config
