"""The rules of this project, each complete: METADATA, tests on the embedded engine, a page, names that agree."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import regorus

from crossgate.policy.bundle import read_bundle
from crossgate.policy.data import check_data
from crossgate.policy.rules import Rule, find_rules
from crossgate.policy.testing import run_tests

POLICIES = Path(__file__).parents[3] / "policies"
BUNDLE = read_bundle([POLICIES], tests=True)
RULES = find_rules(BUNDLE)

each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)


def folder(rule: Rule) -> Path:
    return POLICIES / rule.id


@each_rule
def test_a_rule_stands_in_the_folder_of_its_name(rule):
    name = rule.package[-1]
    assert {path.name for path in folder(rule).iterdir()} >= {f"{name}.rego", f"{name}_test.rego", "README.md"}


@each_rule
def test_a_rule_has_a_page_that_names_its_severity_and_every_reason_code(rule):
    page = (folder(rule) / "README.md").read_text()
    assert page.startswith(f"# {rule.id}\n")
    assert f"**Severity** {rule.severity} " in page
    for code in (rule.reason, *rule.reasons):
        assert f"`{code}`" in page
    assert [line for line in page.splitlines() if line.startswith("## ")] == [
        f"## {part}" for part in ("What", "Why", "Avoid", "Prefer", "Options")
    ]


@each_rule
def test_a_rule_is_tested_to_refuse_to_let_pass_not_to_be_talked_around_and_to_keep_to_its_input(rule):
    tests = [
        name
        for module in BUNDLE.tests
        if module.outline.package == (*rule.package[:-1], f"{rule.package[-1]}_test")
        for name in module.outline.rules
    ]
    assert any(name.startswith("test_refuses") for name in tests)
    assert any(name.startswith("test_lets") for name in tests)
    assert any(name.startswith("test_bypass") for name in tests), "no test tries to talk the rule around"
    assert "test_silent_about_the_estate" in tests or rule.estate
    assert "test_silent_about_documents" in tests or not rule.estate


def test_reason_codes_are_told_apart():
    codes = [code for rule in RULES for code in (rule.reason, *rule.reasons)]
    assert len(codes) == len(set(codes))
    assert all(re.fullmatch(r"[A-Z][A-Z0-9_]+", code) for code in codes)


def test_rego_tests_pass_on_the_embedded_engine():
    outcomes = list(run_tests(BUNDLE))
    assert len(outcomes) >= 3 * len(RULES)
    assert [f"{outcome.file}:{outcome.line} {outcome.name}: {outcome.problem}" for outcome in outcomes if outcome.problem] == []


def test_lists_and_limits_are_what_their_schema_says():
    assert "gpu" in check_data([POLICIES])


@pytest.mark.parametrize("module", BUNDLE.modules, ids=lambda module: module.path.stem)
def test_what_is_negated_has_a_value(module):
    """OPA works out what a negated call or comparison is given before the negation, regorus within it.

    Where a field is missing the two say the opposite; so fields and calls are worked out on lines of their own.
    """
    engine = regorus.Engine()
    engine.add_policy(module.name, module.text)
    for negated in _negated(json.loads(engine.get_ast_as_json())):
        kind, node = next(iter(negated.items()))
        given = {"Call": node.get("params"), "Membership": node}.get(kind, [])
        if kind == "BoolExpr" and node["op"] != "Eq":
            given = [node["lhs"], node["rhs"]]
        assert not _may_be_missing(given, module.outline.imported), f"{module.name}:{node['span']['line']}"


def _negated(node: Any) -> Any:
    if isinstance(node, dict):
        if "NotExpr" in node:
            yield node["NotExpr"]["expr"]
        node = list(node.values())
    if isinstance(node, list):
        for value in node:
            yield from _negated(value)


def _may_be_missing(node: Any, imported: frozenset[str]) -> bool:
    """Say whether a call or a named field stands in ``node``; what imported packages hold is always there."""
    if isinstance(node, list):
        return any(_may_be_missing(value, imported) for value in node)
    if not isinstance(node, dict):
        return False
    if "Call" in node:
        return True
    if "RefDot" in node or ("RefBrack" in node and "Number" not in node["RefBrack"]["index"]):
        return _root(node) not in imported
    return any(_may_be_missing(value, imported) for value in node.values())


def _root(node: dict[str, Any]) -> str:
    while "refr" in (inner := next(iter(node.values()))):
        node = inner["refr"]
    return str(inner.get("value"))
