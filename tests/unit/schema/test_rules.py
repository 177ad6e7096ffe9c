"""Where CEL rules run, and what is said when they do not hold. Their language is held to cel-go in tests/conformance."""

from __future__ import annotations

from typing import Any

import pytest

from crossgate.schema import Problem, ProblemKind
from crossgate.schema import rules as module
from crossgate.schema.celtext import read_rule
from crossgate.schema.rules import RuleTree, check_rules, rule_path

INTEGER = {"type": "integer"}


def _check(schema: dict[str, Any], value: Any) -> list[Problem]:
    tree = RuleTree.of({"type": "object", "properties": {"spec": schema}})
    assert tree is not None
    return check_rules(tree, {"spec": value})


def _with(rule: dict[str, Any], **schema: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": INTEGER, "b": INTEGER}, **schema, "x-kubernetes-validations": [rule]}


def test_a_schema_without_rules_has_no_tree() -> None:
    assert RuleTree.of({"type": "object", "properties": {"a": {"type": "array", "items": INTEGER}}}) is None


def test_the_message_is_the_rules_own_or_names_the_rule() -> None:
    (own,) = _check(_with({"rule": "self.a < self.b", "message": " a must be less "}), {"a": 2, "b": 1})
    assert (own.path, own.kind, own.message, own.hint) == ("spec", ProblemKind.CEL, "a must be less", "rule: self.a < self.b")
    (bare,) = _check(_with({"rule": "self.a < self.b"}), {"a": 2, "b": 1})
    assert bare.message == "failed rule: self.a < self.b"


def test_a_message_may_be_computed_and_falls_back() -> None:
    expression = {"rule": "self.a < 1", "messageExpression": "'a is ' + string(self.a)", "message": "plain"}
    assert _check(_with(expression), {"a": 2})[0].message == "a is 2"
    assert _check(_with({**expression, "messageExpression": "'a is ' + self.c"}), {"a": 2})[0].message == "plain"
    assert _check(_with({**expression, "messageExpression": "''"}), {"a": 2})[0].message == "plain"


def test_the_problem_stands_at_the_field_path() -> None:
    (problem,) = _check(_with({"rule": "self.a < 1", "fieldPath": ".a"}), {"a": 2})
    assert problem.at == ("spec", "a")


@pytest.mark.parametrize(("text", "path"), [(".a.b", ("a", "b")), (".a['b.c'].d", ("a", "b.c", "d")), ("['x']", ("x",)), ("", ())])
def test_field_paths(text: str, path: tuple[str, ...]) -> None:
    assert rule_path(text) == path


def test_rules_run_for_every_item_value_and_branch_of_all_of() -> None:
    rule = {"x-kubernetes-validations": [{"rule": "self > 0"}]}
    schema = {
        "type": "object",
        "properties": {
            "l": {"type": "array", "items": {**INTEGER, **rule}},
            "m": {"type": "object", "additionalProperties": {**INTEGER, **rule}},
            "o": {**INTEGER, "allOf": [rule]},
        },
    }
    problems = _check(schema, {"l": [1, 0], "m": {"x": 0, "y": 1}, "o": 0})
    assert [problem.path for problem in problems] == ["spec.l[1]", "spec.m.x", "spec.o"]


def test_no_rule_is_run_for_null() -> None:
    assert _check({**INTEGER, "nullable": True, "x-kubernetes-validations": [{"rule": "false"}]}, None) == []


def test_transition_rules_are_skipped_on_a_create_unless_the_old_value_is_optional() -> None:
    assert _check(_with({"rule": "self.a == oldSelf.a"}), {"a": 1}) == []
    optional = {"rule": "oldSelf.hasValue() || self.a > 1", "optionalOldSelf": True}
    assert _check(_with(optional), {"a": 2}) == []
    assert len(_check(_with(optional), {"a": 1})) == 1


def test_an_error_while_a_rule_runs_refuses_the_resource() -> None:
    (problem,) = _check(_with({"rule": "self.a < 10 / self.b"}), {"a": 1, "b": 0})
    assert problem.kind is ProblemKind.CEL
    (problem,) = _check(_with({"rule": "self.c > 0"}), {"a": 1})
    assert problem.message == "no such key: c, evaluating rule: self.c > 0"


@pytest.mark.parametrize("rule", ["self.?a.orValue(1) > 0", "semver('1.0.0').major() > 0", "self.a >"])
def test_what_the_engine_cannot_run_is_could_not_check_and_named(rule: str) -> None:
    (problem,) = _check(_with({"rule": rule}), {"a": 1})
    assert problem.kind is ProblemKind.COULD_NOT_CHECK
    assert rule in problem.message


def test_at_the_root_a_rule_sees_names_and_generated_ones() -> None:
    tree = RuleTree.of(
        {"type": "object", "x-kubernetes-validations": [{"rule": "self.metadata.name.startsWith('p-') && self.kind == 'P'"}]}
    )
    assert tree is not None
    for metadata, good in (({"name": "p-1"}, True), ({"name": "q"}, False), ({"generateName": "p-"}, True)):
        assert (check_rules(tree, {"kind": "P", "apiVersion": "v1", "metadata": metadata}) == []) is good


def test_a_rule_about_one_field_is_answered_once_for_all_documents_that_agree_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = _with({"rule": "!has(self.a) || self.a > 0"}, properties={"a": INTEGER, "text": {"type": "string"}})
    tree = RuleTree.of({"type": "object", "properties": {"spec": schema}})
    assert tree is not None
    runs = []
    answer = module._answer
    monkeypatch.setattr(module, "_answer", lambda rule, seen: runs.append(seen) or answer(rule, seen))
    for index in range(100):
        assert check_rules(tree, {"spec": {"a": 1, "text": str(index)}}) == []
    assert runs == [{"a": 1}]
    assert len(check_rules(tree, {"spec": {"a": 0}})) == 1


@pytest.mark.parametrize(
    ("rule", "fields"),
    [
        ("self.a.b > 1 && has(self.c)", {"a": {"b": "*"}, "c": "*"}),
        ("self.a.b > 1 && has(self.a)", {"a": "*"}),
        ("has(self.a) && self.a.b > 1", {"a": "*"}),
        ("self.list.all(x, x.self > 1)", {"list": "*"}),
        ("'self.x' == self.a", {"a": "*"}),
        ("self.a // self", {"a": "*"}),
        ("self . a", {"a": "*"}),
        ("self.all(k, k != '')", None),
        ("'a' in self", None),
        ("self['a'] == 1", None),
        ("size(self) > 0", None),
        ("true", {}),
    ],
)
def test_which_fields_a_rule_reads(rule: str, fields: Any) -> None:
    def shape(found: Any) -> Any:
        return "*" if found == {"*": None} else {key: shape(value) for key, value in found.items()}

    read = read_rule(rule).fields
    assert (None if read is None else shape(read)) == fields if fields != {} else read == {}


def test_names_in_strings_and_fields_are_not_taken_for_functions() -> None:
    assert (
        read_rule("self.size > 0 && 'size(' != self.a && size(self.b) > 0").source
        == "self.size > 0 && 'size(' != self.a && k8sSize(self.b) > 0"
    )
    assert (
        read_rule(r"""self.matches(r"^\d+$") && self.a.matches('''x''')""").source
        == r"""self.k8sMatches(r"^\d+$") && self.a.k8sMatches('''x''')"""
    )
