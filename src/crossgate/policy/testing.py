"""Run the Rego tests of a bundle on the embedded engine."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from crossgate.policy.bundle import Bundle
from crossgate.policy.embedded import engine_error, load_engine


@dataclass(frozen=True, slots=True)
class TestOutcome:
    """How one test ended: ``problem`` is empty when it passed. ``seconds`` is what it took."""

    __test__ = False  # not a test of this project, whatever its name says to pytest

    name: str
    file: str
    line: int
    problem: str
    seconds: float


def run_tests(bundle: Bundle, only: str = "", *, engine: Any = None) -> Iterator[TestOutcome]:
    """Run every rule named ``test_…`` of the bundle's tests whose full name contains ``only``, in the order of the files.

    A test passes when its value is true, as with ``opa test``; a test that cannot be evaluated has not passed. ``engine`` is one that
    ``load_engine`` made of the bundle with its tests; without it one is made.

    Raises:
        PolicyError: a policy or a test does not compile.
    """
    engine = engine or load_engine(bundle, tests=True)
    engine.set_input_json("{}")
    for module in bundle.tests:
        package = ".".join(module.outline.package)
        for name, line in module.outline.rules.items():
            full = f"{package}.{name}"
            if not name.startswith("test_") or only not in full:
                continue
            start = time.perf_counter()
            try:
                answer = engine.eval_rule_as_json(f"data.{full}")
                problem = "" if answer == "true" else "it is not true"
            except BaseException as error:  # a panic in the engine is no Exception
                cut = engine_error(error)
                problem = f"{cut.cause} at {cut.place}" if cut.place else cut.cause
            yield TestOutcome(full, module.name, line, problem, time.perf_counter() - start)
