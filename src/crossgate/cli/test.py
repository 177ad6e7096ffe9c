"""``crossgate test``."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from crossgate.errors import UsageError
from crossgate.testing import Case, Outcome, Project, cases, run

_FOLDERS = click.Path(path_type=Path)
_DEFAULT = Path("tests/cases")
_ENOUGH = 64
"""Cases below which more processes cost more than they save: starting one takes as long as a hundred cases."""

Timed = tuple[Outcome, float]


@click.command("test")
@click.argument("folders", nargs=-1, type=_FOLDERS, metavar="[DIR]...")
@click.option("--update", is_flag=True, help="Write what became of each case into its expected.yaml.")
@click.option("-j", "--jobs", type=click.IntRange(min=1), help="Processes to run cases in.  [default: by the number of cases]")
@click.option("-o", "--output", "outputs", multiple=True, metavar="FORMAT[=FILE]", help="text or junit; more than once for several.")
def command(folders: tuple[Path, ...], update: bool, jobs: int | None, outputs: tuple[str, ...]) -> None:
    """Run the tests of Compositions.

    DIR (default: tests/cases) holds cases: folders with claim.yaml or xr.yaml, expected.yaml, and where they are needed observed.yaml,
    required.yaml, context.yaml, composition.yaml, xrd.yaml and case.yaml (match: exact or subset, assertions, error).

    Assertions are CEL over input, xr, composed, resources (by template), everything (nested XRs and wrapped manifests too), context
    and warnings.

    \b
    Examples:
      crossgate test
      crossgate test tests/cases/gpucluster --update
      crossgate test -o junit=report.xml
    """
    where = _parse(outputs)
    found = cases(folders or (_DEFAULT,))
    if not found:
        raise UsageError("there is nothing to test", ", ".join(map(str, folders or (_DEFAULT,))), "a case holds claim.yaml or xr.yaml")
    outcomes = list(_run(found, update=update, jobs=jobs or _jobs(len(found))))
    for name, file in where:
        text = _text(outcomes) if name == "text" else _junit(outcomes)
        if file is None:
            click.echo(text, nl=False)
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    failed = any(outcome.failures for outcome, _ in outcomes)
    unknown = any(outcome.could_not_check for outcome, _ in outcomes)
    raise SystemExit(3 if unknown else 1 if failed else 0)


def _parse(outputs: Sequence[str]) -> list[tuple[str, Path | None]]:
    parsed: list[tuple[str, Path | None]] = []
    for value in outputs:
        name, separator, file = value.partition("=")
        if name not in ("text", "junit") or (separator and not file):
            raise UsageError(f"no report {value!r}", f"-o {value}", "write text or junit, with =FILE to write into a file")
        parsed.append((name, Path(file) if file else None))
    return parsed if any(file is None for _, file in parsed) else [*parsed, ("text", None)]


def _jobs(count: int) -> int:
    return min(os.cpu_count() or 1, 1 + count // _ENOUGH)


def _run(found: Sequence[Case], *, update: bool, jobs: int) -> Iterator[Timed]:
    if jobs == 1:
        project = Project.of()
        for case in found:
            yield _timed(case, project, update=update)
        return
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 (few cases need no processes)

    with ProcessPoolExecutor(jobs, initializer=_Worker.start) as pool:
        yield from pool.map(_Worker.run, found, [update] * len(found), chunksize=max(1, len(found) // (jobs * 4)))


class _Worker:
    """What a process of the pool keeps: the project, read once."""

    project = Project()

    @classmethod
    def start(cls) -> None:
        cls.project = Project.of()

    @classmethod
    def run(cls, case: Case, update: bool) -> Timed:
        return _timed(case, cls.project, update=update)


def _timed(case: Case, project: Project, *, update: bool) -> Timed:
    start = time.perf_counter()
    outcome = run(case, project, update=update)
    return outcome, time.perf_counter() - start


def _text(outcomes: Sequence[Timed]) -> str:
    lines = []
    for outcome, _ in outcomes:
        if outcome.could_not_check:
            unknown = outcome.could_not_check
            lines.append(click.style(f"? {outcome.case.name}", fg="yellow"))
            lines += [f"    {line}" for line in (f"could not check: {unknown.what}", unknown.where, unknown.hint) if line]
        elif outcome.failures:
            lines.append(click.style(f"✗ {outcome.case.name}", fg="red"))
            lines += [f"    {line}" for failure in outcome.failures for line in failure.splitlines()]
        else:
            lines.append(f"{click.style('✓', fg='green')} {outcome.case.name}{' (updated)' if outcome.updated else ''}")
    counts = [
        (sum(outcome.passed for outcome, _ in outcomes), "passed"),
        (sum(bool(outcome.failures) for outcome, _ in outcomes), "failed"),
        (sum(outcome.could_not_check is not None for outcome, _ in outcomes), "could not be checked"),
    ]
    said = ", ".join(f"{count} {what}" for count, what in counts if count)
    lines += ["", f"{said} in {sum(spent for _, spent in outcomes):.2f} s"]
    return "\n".join(lines) + "\n"


def _junit(outcomes: Sequence[Timed]) -> str:
    from crossgate.testing.junit import junit  # noqa: PLC0415 (only this report needs it)

    return junit(outcomes)
