"""``crossgate policy``: one verb a module, each imported only when it is called."""

from __future__ import annotations

import click

from crossgate.cli import LazyGroup

VERBS = {
    "bundle": "write the rules as a bundle for a server of OPA",
    "coverage": "say which lines of the rules the tests reach",
    "explain": "show the page of a rule",
    "export": "write the rules as what enforces them at admission",
    "list": "list the rules",
    "lock": "write down what policies elsewhere are",
    "new": "write the files of a new rule",
    "pull": "bring locked policies onto this machine",
    "test": "run the Rego tests",
}
"""Verb to the line that ``crossgate policy --help`` shows; the module is ``crossgate.cli.policy.<verb>``, its command ``command``."""


@click.group("policy", cls=LazyGroup, verbs=VERBS, package=__name__)
def command() -> None:
    """List, explain, test and start rules.

    \b
    Examples:
      crossgate policy list
      crossgate policy explain network/open-cidr
      crossgate policy test
      crossgate policy coverage -o lcov=build/rego.info
      crossgate policy new storage/region
    """
