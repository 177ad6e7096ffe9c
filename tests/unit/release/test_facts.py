"""Facts are worked out when a rule asks for them, and missing ones are no pass."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from crossgate.config import Config
from crossgate.errors import PolicyError
from crossgate.model import Severity
from crossgate.policy.rules import Rule, Scope
from crossgate.release.facts import change_report, prices_for

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def rule(name: str, kinds: Iterable[str] | None) -> Rule:
    asked = frozenset(kinds) if kinds is not None else None
    return Rule(name, ("crossgate", "a", "b"), "deny", Severity.ERROR, "X", "a.rego", 1, scope=Scope.ESTATE, kinds=asked)


def config(root: Path, policies: Path) -> Config:
    return replace(Config.find(root), policies=(policies,))


def test_nobody_asks(root: Path) -> None:
    rules = [rule("a/b", ["Bucket"]), rule("a/c", None)]
    assert prices_for(rules, config(root, root / "policies")) is None
    assert change_report(rules, config(root, root / "policies"), None, NOW) == (None, ())


def test_a_rule_about_costs_alone_needs_prices(root: Path, tmp_path: Path) -> None:
    rules = [rule("cost/a", ["CostReport", "Namespace"]), rule("gpu/b", ["CostReport", "Claim"])]
    assert prices_for(rules, config(root, root / "policies")) is not None
    with pytest.raises(PolicyError, match=r"(?m)there are no prices for cost/a$"):
        prices_for(rules, config(root, tmp_path))
    assert prices_for(rules[1:], config(root, tmp_path)) is None, "it has manifests to speak about"


def test_rules_about_a_change_are_named_when_there_is_none_and_something_is_frozen(root: Path, tmp_path: Path) -> None:
    """Said of every check, nobody would read it."""
    rules = [rule("release/a", ["Change"])]
    assert change_report(rules, config(root, tmp_path), None, NOW) == (None, ())
    (tmp_path / "data").mkdir()
    times = 'starts: "2026-05-01T00:00:00Z", ends: "2026-07-01T00:00:00Z"'
    (tmp_path / "data/freezes.yaml").write_text(f"freezes: [{{team: x, reason: closed, owner: me, {times}}}]")
    change, notes = change_report(rules, config(root, tmp_path), None, NOW)
    assert change is None
    assert notes[0].startswith("team x is frozen until")
    assert notes[1:] == ("release/a judge a change, and no base was named: they have said nothing (--base REF)",)
    assert change_report(rules, config(root, tmp_path), None, NOW.replace(year=2027))[1][0].startswith("the freeze of team x ended")
