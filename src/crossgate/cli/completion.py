"""``crossgate completion``."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from crossgate.cli import COMPLETING

_SHELLS = ("bash", "zsh", "fish")


@click.command("completion")
@click.argument("shell", type=click.Choice(_SHELLS))
def command(shell: str) -> None:
    """Print the script with which SHELL completes verbs, options, APIs, rules and schemas.

    \b
    Examples:
      crossgate completion bash > ~/.local/share/bash-completion/completions/crossgate
      crossgate completion zsh > "${fpath[1]}/_crossgate"
      crossgate completion fish > ~/.config/fish/completions/crossgate.fish
    """
    made = get_completion_class(shell)
    assert made is not None  # noqa: S101 (click knows these three)
    # source() would ask bash for its version first; the script itself needs 4.4, which is of 2016
    click.echo(made.source_template % made(click.Command("crossgate"), {}, "crossgate", COMPLETING).source_vars(), nl=False)
