"""The ``opa`` program, where it is installed: it runs the same Rego tests as the embedded engine."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

from crossgate.errors import PolicyError
from crossgate.policy.testing import TestOutcome


def find_opa() -> str | None:
    """Return the path of the program: in the folder that CROSSGATE_TOOLS names, else on PATH; None where there is none."""
    folder = os.environ.get("CROSSGATE_TOOLS")
    return (shutil.which("opa", path=folder) if folder else None) or shutil.which("opa")


def run_tests_on_opa(opa: str, directories: Iterable[Path | str], only: str = "", *, rego_v0: bool = False) -> tuple[TestOutcome, ...]:
    """Run ``opa test`` and return how each test whose full name contains ``only`` ended, in the order of files and lines.

    Raises:
        PolicyError: opa ran no test, because a policy does not compile there or its answer is none.
    """
    command = [opa, "test", "--format", "json", *(["--v0-compatible"] if rego_v0 else []), *map(str, directories)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        answer = json.loads(run.stdout or "[]")
        outcomes = [_outcome(test) for test in answer if not test.get("skip")]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise PolicyError(f"the answer of opa test is none: {run.stdout.strip()[:200]}", opa, "run opa test by hand") from error
    if run.stderr.strip() or (run.returncode and not outcomes):
        raise PolicyError(f"opa runs no test: {run.stderr.strip() or run.returncode}", opa, "mend the policy; opa check says more")
    return tuple(sorted((outcome for outcome in outcomes if only in outcome.name), key=lambda outcome: (outcome.file, outcome.line)))


def differences(embedded: Sequence[TestOutcome], opa: Sequence[TestOutcome]) -> list[str]:
    """Return a line for each test that one engine passes and the other does not, or does not know."""
    here = {outcome.name: outcome for outcome in embedded}
    there = {outcome.name: outcome for outcome in opa}
    lines = []
    for name in dict.fromkeys((*here, *there)):
        mine, theirs = here.get(name), there.get(name)
        if (mine is None or mine.problem == "") == (theirs is None or theirs.problem == "") and mine and theirs:
            continue
        at = mine or theirs
        lines.append(f"{at.file}:{at.line} {name}: embedded {_said(mine)}, opa {_said(theirs)}" if at else name)
    return lines


def _said(outcome: TestOutcome | None) -> str:
    if outcome is None:
        return "does not know it"
    return f"fails it ({outcome.problem})" if outcome.problem else "passes it"


def _outcome(test: dict[str, object]) -> TestOutcome:
    """Read one entry of ``opa test --format json``; durations are nanoseconds."""
    location = test["location"]
    if not isinstance(location, dict):
        raise TypeError("location")
    name = f"{str(test['package']).removeprefix('data.')}.{test['name']}"
    problem = "it is not true" if test.get("fail") else str(test.get("error") or "")
    duration = test.get("duration")
    return TestOutcome(
        name, str(location["file"]), int(location["row"]), problem, duration / 1e9 if isinstance(duration, (int, float)) else 0.0
    )
