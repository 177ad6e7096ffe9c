"""Macros of two variables and ``sortBy``, by what the API server's CEL says they mean."""

from __future__ import annotations

from typing import Any

import pytest

from crossgate.schema.celengine import Unsupported, evaluate
from crossgate.schema.celtext import read_rule


def value(rule: str, self: Any = None) -> Any:
    return evaluate(read_rule(rule).source, {"self": self}, old_self=False)


@pytest.mark.parametrize(
    "rule",
    [
        "[1, 2].all(i, v, v > i)",
        "!{'a': 1}.all(k, v, k == 'a' && v > 1)",
        "{'a': 1}.exists(k, v, k == 'a' && v == 1)",
        "[1, 2, 2].existsOne(i, v, v == 2 && i == 1)",
        "![1, 2, 2].exists_one(i, v, v == 2)",
        "[1, 2].transformList(i, v, v * 2 + i) == [2, 5]",
        "[1, 2, 3].transformList(i, v, i > 0, v) == [2, 3]",
        "{'a': 1}.transformList(k, v, k + string(v)) == ['a1']",
        "{'a': 1, 'b': 2}.transformMap(k, v, v + 1) == {'a': 2, 'b': 3}",
        "[5, 6].transformMap(i, v, v > 5, v) == {1: 6}",
        "{'a': 1}.transformMapEntry(k, v, {v: k}) == {1: 'a'}",
        "[3, 1, 2].sortBy(x, -x) == [3, 2, 1]",
        "[{'n': 'b'}, {'n': 'a'}].sortBy(e, e.n).map(e, e.n) == ['a', 'b']",
        "['bb', 'a', 'cc'].sortBy(x, size(x)) == ['a', 'bb', 'cc']",
    ],
)
def test_what_they_give(rule):
    assert value(rule) is True


@pytest.mark.parametrize(
    "rule",
    [
        "[[1], [2]].all(i, l, l.exists(i, i > 0))",  # a name within hides one without
        "[[1], [2]].all(i, l, l.all(j, x, x > j && i < 5))",
        "[[1], [2]].transformList(i, v, v.transformList(i, v, v + i)) == [[1], [2]]",
        "self.a.exists(i, v, has(v.i) && v.i == 'i, v')",  # a field and a text of the same name
        "self.a.map(i, i.i).exists(v, v == 'i, v')",
        "[1].transformList(i, size, size(string(size))) == [1]",  # a function of the same name
        "[true].exists(i, v, [i, v].size() == 2 && {'i': v}['i'])",
        "[1].all(i, v,\n  // i\n  v == 1)",
    ],
)
def test_names_are_told_apart(rule):
    assert value(rule, {"a": [{"i": "i, v"}]}) is True


@pytest.mark.parametrize("rule", ["{'a': 1, 'b': 1}.transformMapEntry(k, v, {v: k}) == {}", "[1].all(1, v, true)", "[1].all(i, v"])
def test_what_is_an_error_stays_one(rule):
    """Two entries of one key, no names, and no end: a rule that cannot be evaluated never holds."""
    with pytest.raises((Unsupported, ValueError)):
        value(rule)


def test_a_rule_without_them_is_run_as_it_is_written():
    assert read_rule("self.a  <  1").source == "self.a  <  1"
