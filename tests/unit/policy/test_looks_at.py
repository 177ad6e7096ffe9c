"""What rules over the estate declare to look at is true: their own tests say the same of objects that hold nothing else."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crossgate.policy import Policies
from crossgate.policy.builtins import FUNCTIONS
from crossgate.policy.bundle import Bundle, read_bundle
from crossgate.policy.embedded import load_engine
from crossgate.policy.estate import View, views_of
from crossgate.policy.rules import Rule, Scope
from crossgate.policy.testing import run_tests

PACK = Path(__file__).parents[3] / "policies"
HANDED = '"contents": document}'
"""How the tests of these rules hand over an object."""
OVER = sorted(
    "/".join(file.parts[-3:-1])
    for file in PACK.glob("*/*/*.rego")
    if not file.name.endswith("_test.rego") and any(f"input: {scope}" in file.read_text() for scope in ("estate", "repository"))
)

Failing = Callable[[Rule], list[str]]


@pytest.fixture(scope="module")
def failing(tmp_path_factory) -> Iterator[tuple[Policies, Failing]]:
    """The pack, and what says which of a rule's tests fail when it sees only what it looks at."""
    folder = tmp_path_factory.mktemp("looks") / "policies"
    shutil.copytree(PACK, folder)
    for file in folder.rglob("*_test.rego"):
        file.write_text(file.read_text().replace(HANDED, '"contents": only_shown(document)}'))
    views: list[View] = []

    def only_shown(body: Any) -> Any:
        (view,) = views
        text = view.text(body) if isinstance(body, dict) and view.holds(body, written=True) else ""
        return json.loads(text) if text else {}

    FUNCTIONS["only_shown"] = (1, only_shown)
    try:
        bundle = read_bundle([folder], tests=True)
        policies = Policies.load([folder])
        engine = load_engine(bundle, tests=True)
        yield policies, lambda rule: _failing(bundle, engine, views, rule)
    finally:
        del FUNCTIONS["only_shown"]


def _failing(bundle: Bundle, engine: Any, views: list[View], rule: Rule) -> list[str]:
    views[:] = views_of([rule])
    outcomes = list(run_tests(bundle, ".".join(rule.package) + "_test.", engine=engine))
    assert outcomes
    return [outcome.name for outcome in outcomes if outcome.problem]


@pytest.mark.parametrize("rule", OVER)
def test_a_rules_own_tests_hold_of_what_it_looks_at(failing, rule):
    policies, tests_of = failing
    found = next(each for each in policies.rules if each.id == rule)
    assert HANDED in next((PACK / rule).glob("*_test.rego")).read_text()
    assert tests_of(found) == []


@pytest.mark.parametrize("rule", OVER)
def test_a_rules_own_tests_need_each_field_that_it_looks_at(failing, rule):
    """Else a field that is declared in vain has the rule asked for nothing, and one that is forgotten might not be found."""
    policies, tests_of = failing
    found = next(each for each in policies.rules if each.id == rule)
    for path in found.looks_at or ():
        without = replace(found, looks_at=tuple(other for other in found.looks_at if other != path))
        assert tests_of(without), path


def test_rules_over_the_estate_say_which_fields_they_look_at(failing):
    """A run after another asks only the rules that a change concerns; what stands in a Change, rules about it look at as a whole."""
    policies, _ = failing
    over = [rule for rule in policies.rules if rule.scope is Scope.ESTATE]
    assert {rule.id for rule in over if rule.looks_at is None} == {rule.id for rule in over if rule.kinds == {"Change"}}
    assert {rule.id for rule in over} == set(OVER)
