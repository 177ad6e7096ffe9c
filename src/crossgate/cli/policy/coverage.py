"""``crossgate policy coverage``."""

from __future__ import annotations

import json
from pathlib import Path

import click

from crossgate.cli import output
from crossgate.cli.policy.sources import POLICY, folders
from crossgate.cli.width import row
from crossgate.policy.bundle import read_bundle
from crossgate.policy.coverage import Coverage, FileCoverage, coverage

FORMATS = ("text", "json", "lcov")
SCHEMA_VERSION = "1"


@click.command("coverage")
@POLICY
@click.option("--fail-under", type=click.FloatRange(0, 100), default=95, show_default=True, help="The least percentage for each rule.")
@click.option(
    "-o", "--output", "outputs", multiple=True, metavar="FORMAT[=FILE]", help=f"One of {', '.join(FORMATS)}; more than once for several."
)
def command(directories: tuple[Path, ...], fail_under: float, outputs: tuple[str, ...]) -> None:
    """Say which lines of each rule the Rego tests reach.

    \b
    Exit codes: 0 every rule has enough, 1 one has not or a test fails.

    \b
    Examples:
      crossgate policy coverage
      crossgate policy coverage --fail-under 100 -o lcov=build/rego.info
    """
    where = output.parse(outputs, FORMATS)
    found = coverage(read_bundle(folders(directories), tests=True))
    under = [file for file in found.files if file.percent < fail_under]
    failed = [outcome for outcome in found.outcomes if outcome.problem]
    writers = {"text": lambda: _text(found, fail_under), "json": lambda: _json(found, fail_under), "lcov": lambda: _lcov(found)}
    output.write_all(where, lambda name: writers[name]())
    raise SystemExit(1 if under or failed else 0)


def _text(found: Coverage, fail_under: float) -> str:
    rules = [file for file in found.files if file.lines]  # lists have no lines that a test could reach
    width = max((len(file.name) for file in rules), default=0)
    lines = []
    for file in (*rules, found.total):
        missed = f"not reached: {_ranges(file.missed)}" if file.file and file.missed else ""
        lines.append(row(f"{file.name:<{width}}  {len(file.covered):>4} of {file.lines:>4}  {file.percent:6.1f} %  ", missed))
    lines += [f"FAIL {outcome.file}:{outcome.line} {outcome.name}: {outcome.problem}" for outcome in found.outcomes if outcome.problem]
    under = [file for file in found.files if file.percent < fail_under]
    if under:
        lines.append(row(f"{len(under)} under {fail_under:g} %: ", ", ".join(file.name for file in under)))
    return "\n".join(lines) + "\n"


def _json(found: Coverage, fail_under: float) -> str:
    body = {
        "schemaVersion": SCHEMA_VERSION,
        "failUnder": fail_under,
        "tests": {"run": len(found.outcomes), "failed": sum(bool(outcome.problem) for outcome in found.outcomes)},
        "total": {"lines": found.total.lines, "covered": len(found.total.covered), "percent": round(found.total.percent, 2)},
        "rules": [
            {
                "rule": file.name,
                "file": file.file,
                "lines": file.lines,
                "covered": len(file.covered),
                "percent": round(file.percent, 2),
                "missed": list(file.missed),
            }
            for file in found.files
        ],
    }
    return json.dumps(body, ensure_ascii=False, indent=2) + "\n"


def _lcov(found: Coverage) -> str:
    """Write the trace format of lcov's ``geninfo``: a record a file, a ``DA`` line a source line, 1 where a test reached it."""
    return "".join(_record(file) for file in found.files)


def _record(file: FileCoverage) -> str:
    hits = sorted([(line, 1) for line in file.covered] + [(line, 0) for line in file.missed])
    data = "".join(f"DA:{line},{hit}\n" for line, hit in hits)
    return f"TN:\nSF:{file.file}\n{data}LF:{file.lines}\nLH:{len(file.covered)}\nend_of_record\n"


def _ranges(lines: tuple[int, ...]) -> str:
    """Write line numbers, neighbours together: ``3, 7-9``."""
    runs: list[list[int]] = []
    for line in lines:
        if runs and line == runs[-1][1] + 1:
            runs[-1][1] = line
        else:
            runs.append([line, line])
    return ", ".join(str(start) if start == end else f"{start}-{end}" for start, end in runs)
