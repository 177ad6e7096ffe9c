"""``-o FORMAT[=FILE]``: where reports go."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import click

from crossgate.errors import UsageError
from crossgate.model import Report
from crossgate.report import FORMATS
from crossgate.report import write as written


def parse(values: Iterable[str], formats: Sequence[str] = FORMATS) -> list[tuple[str, Path | None]]:
    """Read the values of ``-o``, of which ``formats`` may be named.

    Raises:
        UsageError: a format that does not exist, or two reports that want one place.
    """
    outputs: list[tuple[str, Path | None]] = []
    for value in values:
        name, separator, file = value.partition("=")
        if name not in formats:
            raise UsageError(f"no report format {name!r}", f"-o {value}", f"formats are: {', '.join(formats)}")
        if separator and not file:
            raise UsageError("the file of a report is empty", f"-o {value}", f"write -o {name}=FILE, or -o {name} for standard output")
        outputs.append((name, Path(file) if separator else None))
    if sum(file is None for _, file in outputs) > 1:
        raise UsageError(
            "two reports want standard output", " ".join(f"-o {value}" for value in values), "give all but one a file: -o FORMAT=FILE"
        )
    places = [Path(os.path.realpath(file)) for _, file in outputs if file is not None]
    if twice := next((place for place in places if places.count(place) > 1), None):
        raise UsageError(
            "two reports want one file", " ".join(f"-o {value}" for value in values), f"give each a file of its own, not {twice.name}"
        )
    return outputs


def write(report: Report, outputs: list[tuple[str, Path | None]]) -> None:
    """Write a report in each format; text goes to standard output unless another format does.

    Raises:
        UsageError: a file cannot be written.
    """
    write_all(outputs, lambda name: written(report, name))


def write_all(outputs: list[tuple[str, Path | None]], text_of: Callable[[str], str]) -> None:
    """Write what ``text_of`` makes of each format's name; text goes to standard output unless another format does.

    Raises:
        UsageError: a file cannot be written.
    """
    if all(file is not None for _, file in outputs):
        outputs = [*outputs, ("text", None)]
    for name, file in sorted(outputs, key=lambda output: output[1] is None):
        text = text_of(name)
        if file is None:
            click.echo(text, nl=False)
            continue
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        except OSError as error:
            raise UsageError(f"cannot write the report: {error.strerror}", str(file), "name a file that can be written") from error
