"""``crossgate convert``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from crossgate.errors import UsageError
from crossgate.load import load_text
from crossgate.load.write import to_yaml
from crossgate.model import Document
from crossgate.render.native import is_native, to_pipeline

_STDIN = "-"


@click.command("convert")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@click.option("-w", "--write", is_flag=True, help="Write the files anew instead of printing; comments are lost.")
def command(files: tuple[Path, ...], write: bool) -> None:
    """Write Compositions of the removed native mode (spec.resources) in Pipeline form.

    What native mode inferred is written out as function-patch-and-transform wants it; an environment becomes a step of
    function-environment-configs. Other documents of the files are kept as they are. "-" is standard input.

    \b
    Examples:
      crossgate convert composition.yaml
      crossgate convert compositions/*.yaml --write
    """
    if write and any(str(path) == _STDIN for path in files):
        raise UsageError("standard input cannot be written anew", "--write", "leave --write out, or name a file")
    read = [(path, load_text(_bytes(path), str(path))) for path in files]
    count = sum(is_native(document.body) for _, documents in read for document in documents)
    if write:
        for path, documents in read:
            if any(is_native(document.body) for document in documents):
                path.write_text(_converted(documents), encoding="utf-8")
    else:
        click.echo(_converted([document for _, documents in read for document in documents]), nl=False)
    click.echo(f"crossgate: {count} Composition{'' if count == 1 else 's'} converted", err=True)


def _bytes(path: Path) -> bytes:
    if str(path) == _STDIN:
        return sys.stdin.buffer.read()
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read the file: {error.strerror}", str(path), "name a file with Compositions") from error


def _converted(documents: Sequence[Document]) -> str:
    bodies = [document.body for document in documents if document.body is not None]
    return to_yaml(to_pipeline(body) if is_native(body) else body for body in bodies)
