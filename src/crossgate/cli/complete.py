"""What the shell completes beyond verbs and options: names of rules and of kinds, read without any stage being imported."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click

from crossgate.config import Config
from crossgate.errors import CrossgateError

_PACKAGE = re.compile(r"^package\s+crossgate\.(\w+)\.(\w+)", re.MULTILINE)


def rule_names(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the rules of the project that start so."""
    return sorted({name for name in _rules() if name.startswith(incomplete)})


def kind_names(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the kinds in the project's compact schemas that start so."""
    try:
        folders = Config.find().schemas
    except CrossgateError:
        return []
    names = {file.stem for folder in folders for file in folder.glob("*/*/*.json")}
    # what is no kind's name could be a command to the shell that completes it
    return sorted(name for name in names if name.isalnum() and name.isascii() and name.lower().startswith(incomplete.lower()))


def _rules() -> Iterator[str]:
    try:
        folders = Config.find().policies
    except CrossgateError:
        return
    for folder in folders:
        for file in folder.rglob("*.rego"):
            # a rule is called by its package (crossgate.policy.rules); its METADATA are not needed for that
            found = None if file.name.endswith("_test.rego") or not file.is_file() else _PACKAGE.search(file.read_text("utf-8", "replace"))
            if found:
                yield "/".join(part.replace("_", "-") for part in found.groups())
