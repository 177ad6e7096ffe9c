"""The command line: one verb a module, each imported only when it is called."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import click

from crossgate import __version__
from crossgate.cli.streams import outlive_readers
from crossgate.collecting import collect_rarely
from crossgate.errors import CrossgateError, UsageError

VERBS = {
    "attest": "state what dist/ holds and what judged it, for signing",
    "baseline": "take what is found now as known",
    "check": "judge manifests and what their claims become",
    "claim": "write a claim with every field explained, and check it",
    "completion": "print the script with which a shell completes commands",
    "convert": "write a Composition of the removed native mode in Pipeline form",
    "cost": "say what claims cost in a month",
    "plan": "show what merging would change",
    "policy": "list, explain, test and start rules",
    "release": "say what a change does to whom, and what is frozen",
    "render": "show what a claim or XR becomes",
    "rollback": "restore claims to an earlier commit",
    "report": "describe what reports hold",
    "schema": "import, pull, list and export schemas",
    "synth": "write dist/ from the cdk8s app",
    "team": "start a team",
    "test": "run the tests of Compositions",
    "verify": "compare an attestation with what stands here",
}
"""Verb to the line that ``crossgate --help`` shows; the module is ``crossgate.cli.<verb>``, its command ``command``."""


COMPLETING = "_CROSSGATE_COMPLETE"
"""Set by the script of ``crossgate completion`` while a shell asks; the name is click's."""


MACHINE = {
    errno.EDQUOT: "make room",
    errno.EIO: "look at the machine's log: a disk may be broken",
    errno.EMFILE: "raise its limit of open files (ulimit -n)",
    errno.ENFILE: "end programs that keep files open",
    errno.ENOMEM: "give it more memory",
    errno.ENOSPC: "make room",
    errno.EROFS: "name a place that can be written",
}
"""Refusals of the operating system that are nobody's mistake here, and the way out."""


class LazyGroup(click.Group):
    """A group that imports a verb's module only when that verb is called: start-up is part of the promise.

    ``verbs`` are the verbs and their lines of help; a verb's module is ``<package>.<verb>``, its command ``command``.
    """

    def __init__(self, *args: Any, verbs: Mapping[str, str], package: str, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.verbs = verbs
        self.package = package

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the verbs in alphabetical order."""
        return sorted(self.verbs)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the verb's module and return its command."""
        if cmd_name not in self.verbs:
            return None
        command: click.Command = import_module(f"{self.package}.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the verbs without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted(self.verbs.items()))


@click.command(
    cls=LazyGroup, verbs=VERBS, package=__name__, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80}
)
@click.version_option(__version__, prog_name="crossgate")
def crossgate() -> None:
    """See what every claim becomes, and refuse what must not reach the cluster.

    \b
    Exit codes: 0 clean, 1 findings, 2 usage or configuration, 3 could not check.

    \b
    Examples:
      crossgate check                       judge dist/
      crossgate check my-claim.yaml         judge one file
      crossgate render my-claim.yaml -o tree
    """


def _refused(error: click.ClickException) -> UsageError:
    """Say what click refuses in the three lines of every error here."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    verb = context.command_path if context is not None else _verb(sys.argv[1:])
    message = error.format_message().strip().removesuffix(".")
    return UsageError(f"{message[:1].lower()}{message[1:]}", verb, f"{verb} --help says what it takes")


def _verb(arguments: Sequence[str]) -> str:
    """Return the command as far as it is known: click does not say where an option lacks its value."""
    return " ".join(["crossgate", *(word for word in arguments[:1] if word in VERBS)])


def main() -> None:
    """Run the command line; errors are three short lines on standard error, never a traceback."""
    outlive_readers()
    collect_rarely()
    try:
        crossgate.main(prog_name="crossgate", standalone_mode=False)
    except click.exceptions.Abort:
        sys.exit(130)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        sys.exit(2)
    except click.ClickException as error:
        click.echo(f"crossgate: {_refused(error)}", err=True)
        sys.exit(2)
    except CrossgateError as error:
        if COMPLETING in os.environ:
            sys.exit(0)  # the line that somebody is writing is no place for an error
        click.echo(f"crossgate: {error}", err=True)
        sys.exit(2 if isinstance(error, UsageError) else 3)
    except MemoryError:
        hint = "give the process more (ulimit -v, the container's limit), or check fewer files at once"
        click.echo(f"crossgate: memory is used up\n  nothing that was not reported has been judged\n  {hint}", err=True)
        sys.exit(3)
    except OSError as error:
        if COMPLETING in os.environ:
            sys.exit(0)
        if not _here():
            click.echo("crossgate: the working folder is gone\n  go to a folder that exists", err=True)
            sys.exit(2)
        if error.errno not in MACHINE:
            _fault(error)
        where = f"\n  at {error.filename}" if error.filename else ""
        click.echo(f"crossgate: this machine refuses: {error.strerror}{where}\n  {MACHINE[error.errno]}", err=True)
        sys.exit(3)
    except Exception as error:
        _fault(error)


def _here() -> bool:
    try:
        Path.cwd()
    except OSError:
        return False
    return True


def _fault(error: Exception) -> NoReturn:
    """Say that crossgate itself is at fault: exit code 1 would say "findings", and what crashed has judged nothing."""
    if COMPLETING in os.environ:
        sys.exit(0)
    click.echo(f"crossgate: a fault of crossgate itself: {type(error).__name__}: {error}", err=True)
    click.echo("  nothing that was not reported has been judged\n  set CROSSGATE_DEBUG=1 to see where, and report it", err=True)
    if os.environ.get("CROSSGATE_DEBUG"):
        raise error
    sys.exit(3)
