"""``crossgate convert``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from crossgate.errors import LoadError, UsageError
from crossgate.load import load_text
from crossgate.load.write import to_yaml
from crossgate.model import Document
from crossgate.render.decode import decode
from crossgate.render.faults import InputFault
from crossgate.render.inputs import RESOURCES
from crossgate.render.native import converted, is_native, to_pipeline

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
    for _, documents in read:
        for document in documents:
            if is_native(document.body):
                _refuse_malformed(document)
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
    except FileNotFoundError as error:
        raise UsageError("there is no such file", str(path), "name a file with Compositions") from error
    except OSError as error:
        raise LoadError(f"the file cannot be read: {error.strerror}", str(path), "name a file that may be read") from error


def _refuse_malformed(document: Document) -> None:
    """Refuse what function-patch-and-transform could not read: written out, it would only look converted."""
    native = converted(document)
    pipeline = native.body["spec"]["pipeline"]
    try:
        decode(RESOURCES, pipeline[-1]["input"])
    except InputFault as fault:
        place = native.place(("spec", "pipeline", len(pipeline) - 1, "input", *fault.place))
        raise LoadError(fault.what.partition(": ")[2] or fault.what, str(place), fault.hint or "mend the Composition first") from fault


def _converted(documents: Sequence[Document]) -> str:
    bodies = [document.body for document in documents if document.body is not None]
    return to_yaml(to_pipeline(body) if is_native(body) else body for body in bodies)
