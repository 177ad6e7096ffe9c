"""Which lines of the rules the Rego tests reach.

A line counts when the embedded engine can evaluate something that starts on it, and is covered when a test made it do so. OPA's own
figures differ in two ways: it also asks whether the head of a rule on one line was reached, and it skips bodies that its index
excludes without evaluating them.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from crossgate.policy.bundle import Bundle, Module
from crossgate.policy.embedded import load_engine
from crossgate.policy.rules import DECLARED, find_rules
from crossgate.policy.testing import TestOutcome, run_tests


@dataclass(frozen=True, slots=True)
class FileCoverage:
    """What the tests reach in one Rego file: ``name`` is the id of its rule, or the file where it holds none; lines count from 1."""

    name: str
    file: str
    covered: tuple[int, ...]
    missed: tuple[int, ...]

    @property
    def lines(self) -> int:
        """Return how many lines count."""
        return len(self.covered) + len(self.missed)

    @property
    def percent(self) -> float:
        """Return how much of them is covered, 0 to 100; a file without such lines has nothing to miss."""
        return 100 * len(self.covered) / self.lines if self.lines else 100.0


@dataclass(frozen=True, slots=True)
class Coverage:
    """What all tests together reach, and how each ended: a test that fails has not reached what it should."""

    files: tuple[FileCoverage, ...]
    outcomes: tuple[TestOutcome, ...]

    @property
    def total(self) -> FileCoverage:
        """Return all files as if they were one; its lines are numbered through."""
        covered = sum(len(file.covered) for file in self.files)
        missed = sum(len(file.missed) for file in self.files)
        return FileCoverage("total", "", tuple(range(1, covered + 1)), tuple(range(covered + 1, covered + missed + 1)))


def coverage(bundle: Bundle) -> Coverage:
    """Run every Rego test of a bundle that was read with its tests, and say what they reach in each file that is no test.

    Files are in the order of their names. What a rule declares is reached by loading it. Constants (package ``crossgate.lists``) are
    worked out when the bundle is loaded, so they hold no line that counts.

    Raises:
        PolicyError: a policy or a test does not compile, or there is no rule.
    """
    names = {rule.file: rule.id for rule in find_rules(bundle) if rule.own}
    engine = load_engine(bundle, tests=True)
    engine.set_enable_coverage(True)
    outcomes = tuple(run_tests(bundle, engine=engine))
    declare(engine, bundle)
    found = lines_of(engine)
    files = []
    for module in sorted(bundle.modules, key=lambda module: module.name):
        covered, missed = found.get(module.name) or ((), _countable(bundle, module))
        files.append(FileCoverage(names.get(module.name, module.name), module.name, covered, missed))
    return Coverage(tuple(files), outcomes)


def declare(engine: Any, bundle: Bundle) -> None:
    """Ask for what rules declare, as loading them does: no test has to."""
    engine.set_input_json("{}")
    for module in bundle.modules:
        for name in sorted(DECLARED & set(module.outline.rules)):
            with suppress(Exception):  # a declaration that cannot be evaluated is refused where it counts
                engine.eval_rule(f"data.{'.'.join(module.outline.package)}.{name}")


def lines_of(engine: Any) -> dict[str, tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return the lines of each file that the engine has met: those that it has reached, and the others."""
    report = json.loads(engine.get_coverage_report_as_json())
    return {file["path"]: (tuple(sorted(file["covered"])), tuple(sorted(file["not_covered"]))) for file in report["files"]}


def _countable(bundle: Bundle, module: Module) -> tuple[int, ...]:
    """Return the lines that count of a file of which nothing was evaluated: the engine knows only files that it has met."""
    engine = load_engine(bundle)
    engine.set_enable_coverage(True)
    engine.set_input_json("{}")
    with suppress(Exception):  # what is evaluated is no matter, only which lines could be
        engine.eval_query_as_json(f"data.{'.'.join(module.outline.package)}")
    covered, missed = lines_of(engine).get(module.name, ((), ()))
    return tuple(sorted({*covered, *missed}))
