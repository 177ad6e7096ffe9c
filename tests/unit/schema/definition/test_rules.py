"""CEL rules of an XRD: what does not compile, and what costs too much, at the rule's own line."""

from __future__ import annotations

from typing import Any

import pytest

from crossgate.paths import format_path
from crossgate.schema.definition import definition_faults
from crossgate.schema.definition.compiling import Checker
from crossgate.schema.definition.costs import Value
from crossgate.schema.definition.declared import INT, Type
from crossgate.schema.definition.expression import ExpressionError, parse
from crossgate.schema.definition.signatures import functions

SPEC = "spec.versions[0].schema.openAPIV3Schema.properties.spec"
FIELDS = {
    "min": {"type": "integer"},
    "max": {"type": "integer"},
    "name": {"type": "string", "maxLength": 30},
    "free": {"type": "string"},
    "parts": {"type": "array", "items": {"type": "string"}},
}


def said(body: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(fault.family.value[1], format_path(fault.at), fault.message) for fault in definition_faults(body)]


def test_a_rule_over_fields_that_there_are(xrd: Any) -> None:
    rule = {"rule": "self.min <= self.max && self.name.matches('^[a-z]+$')", "message": "min is at most max"}
    assert said(xrd(FIELDS, **{"x-kubernetes-validations": [rule]})) == []


@pytest.mark.parametrize(
    "rule",
    [
        "self.parts.all(i, part, i < 3 && part != '')",
        "self.parts.transformList(i, part, part + part).size() > 0",
        "self.parts.transformList(i, part, i > 0, part).size() < 3",
        "self.parts.transformMap(i, part, part.size())[0] > 1",
        "self.parts.transformMapEntry(i, part, {part: i})['a'] == 1",
        "self.parts.sortBy(part, part.size())[0] == 'a'",
    ],
)
def test_macros_of_two_variables_and_sorting(xrd: Any, rule: str) -> None:
    """Kubernetes has them in rules of CRDs from 1.32 and 1.34 on."""
    parts = {"parts": {"type": "array", "maxItems": 5, "items": {"type": "string", "maxLength": 5}}}
    assert said(xrd(parts, **{"x-kubernetes-validations": [{"rule": rule}]})) == []


@pytest.mark.parametrize(
    ("rule", "cost"),
    [
        ("l.all(i, v, v > i)", 62),
        ("l.map(v, v + 1) == l", 154),
        ("l.map(v, v > 1, v + 1) == l", 174),
        ("l.transformList(i, v, v + i) == l", 164),
        ("l.transformList(i, v, v > 1, v + i) == l", 184),
        ("l.transformMap(i, v, v + 1).size() > 1", 84),
        ("l.transformMap(i, v, v > 1, v + 1).size() > 1", 104),
        ("m.transformMap(k, v, v + 1) == m", 84),
        ("m.transformMapEntry(k, v, {k: v + 1}) == m", 384),
        ("m.transformMapEntry(k, v, v > 1, {k: v + 1}) == m", 404),
        ("l.sortBy(x, x + 1) == l", 377),
        ("t.sortBy(x, x) == t", 377),
        ("t.sort() == t", 224),
        ("t.sortBy(x, size(x))[0] == 'a'", 377),
        ("l.existsOne(i, v, v == i)", 53),
        ("m.exists(k, v, k == 'a' && v > 1)", 82),
    ],
)
def test_they_cost_what_cel_go_says(rule: str, cost: int) -> None:
    """Answers of ``EstimateCost`` of cel-go 0.26 for lists and a map of ten, with texts of twenty."""
    text = Type("string", most=20)
    types = {"l": Type("list", INT, most=10), "m": Type("map", INT, text, most=10), "t": Type("list", text, most=10)}
    variables = {name: Value(kind, 1, path=(name,), size=(0, 10)) for name, kind in types.items()}
    assert Checker(Type("object", fields=types), variables).value(parse(rule)).cost == cost


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ("self.parts.transformList(i, part, part, part).size() < 3", "transformList() needs a condition, found string"),
        ("self.parts.transformMapEntry(i, part, part).size() < 3", "makes entries of maps, and not of string"),
        ("self.parts.transformMap(i, part, i)[0] == 'a'", "found no matching overload for '_==_' applied to (int, string)"),
        ("self.parts.sortBy(part, [part]).size() < 3", "sorts by numbers, texts and times, and not by list(string)"),
        ("self.name.sortBy(part, part).size() < 3", "needs a list and a name"),
        ("self.parts.transformList(1, part, part).size() < 3", "needs a name for what it goes over"),
    ],
)
def test_macros_that_do_not_compile(xrd: Any, rule: str, why: str) -> None:
    [(_, _, message)] = said(xrd(FIELDS, **{"x-kubernetes-validations": [{"rule": rule}]}))
    assert why in message


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ("self.min <= self.maxx", "undefined field 'maxx'; did you mean 'max'?"),
        ("self.min <=", "unexpected 'end'"),
        ("self.min <= self.name", "found no matching overload for '_<=_' applied to (int, string)"),
        ("self.name", "a rule must give true or false, and this one gives string"),
        ("size(self.name) > 1 and true", "unexpected 'and'"),
        ("self.name.startWith('a')", "undeclared reference to 'startWith'; did you mean startsWith?"),
        ("self.name.matches('(')", "invalid pattern '('"),
        ("spec.min > 1", "undeclared reference to 'spec'; a rule knows self and oldSelf"),
        ("self.name == '\\d'", "is no escape sequence"),
        ("self.parts.all(x, x > 1)", "found no matching overload for '_>_' applied to (string, int)"),
    ],
)
def test_a_rule_that_does_not_compile(xrd: Any, rule: str, why: str) -> None:
    """The API server refuses the CRD that Crossplane makes, and the XRD is never Established."""
    [(reason, path, message)] = said(xrd(FIELDS, **{"x-kubernetes-validations": [{"rule": rule}]}))
    assert (reason, path) == ("RULE_INVALID", f"{SPEC}.x-kubernetes-validations[0].rule")
    assert why in message


def test_a_rule_that_could_cost_too_much(xrd: Any) -> None:
    """Lists and strings without a limit are taken to be as large as a request allows."""
    rule = "self.parts.all(x, self.parts.exists_one(y, x == y))"
    [(reason, path, message)] = said(xrd(FIELDS, **{"x-kubernetes-validations": [{"rule": rule}]}))[:1]
    assert (reason, path) == ("RULE_TOO_COSTLY", f"{SPEC}.x-kubernetes-validations[0].rule")
    assert "more than 100 times" in message
    bounded = {**FIELDS, "parts": {"type": "array", "maxItems": 20, "items": {"type": "string", "maxLength": 40}}}
    assert said(xrd(bounded, **{"x-kubernetes-validations": [{"rule": rule}]})) == []


def test_rules_that_are_too_costly_only_together(xrd: Any) -> None:
    """Each is under its own limit; what they cost all together is limited too."""
    rule = {"rule": "self.parts.all(x, x.startsWith('model-registry-'))", "message": "…"}
    few = {**FIELDS, "parts": {"type": "array", "maxItems": 900000, "items": {"type": "string", "maxLength": 40}}}
    assert said(xrd(few, **{"x-kubernetes-validations": [rule]})) == []
    found = said(xrd(few, **{"x-kubernetes-validations": [{**rule, "message": str(n)} for n in range(40)]}))
    assert found
    assert {reason for reason, _, _ in found} == {"RULE_TOO_COSTLY"}
    assert "together" in found[0][2]


def test_a_transition_rule_needs_a_part_that_can_be_found_again(xrd: Any) -> None:
    listed = {"type": "array", "maxItems": 3, "items": {"type": "string", "x-kubernetes-validations": [{"rule": "self == oldSelf"}]}}
    [(reason, _, message)] = said(xrd({"parts": listed}))
    assert reason == "RULE_INVALID"
    assert "oldSelf cannot be used here" in message


def test_optional_old_self_without_old_self(xrd: Any) -> None:
    rule = {"rule": "self.min > 0", "optionalOldSelf": True}
    assert [path for _, path, _ in said(xrd(FIELDS, **{"x-kubernetes-validations": [rule]}))] == [
        f"{SPEC}.x-kubernetes-validations[0].optionalOldSelf"
    ]


def test_a_message_is_a_string(xrd: Any) -> None:
    rule = {"rule": "self.min > 0", "messageExpression": "self.min"}
    [(_, path, message)] = said(xrd(FIELDS, **{"x-kubernetes-validations": [rule]}))
    assert path.endswith("messageExpression")
    assert "it must give a string, and gives int" in message


def test_an_expression_of_any_depth_ends() -> None:
    with pytest.raises(ExpressionError, match="nested too deeply"):
        parse("(" * 5000 + "true" + ")" * 5000)


def test_every_signature_is_read() -> None:
    """A function that is written down wrongly would refuse every rule that calls it."""
    known = functions()
    assert {"ip", "ip.isCanonical", "family", "sets.contains", "optional.of", "hasValue"} <= set(known)
    assert all(overload.target is None for overload in known["sets.contains"])
    assert all(overload.target is not None for overload in known["hasValue"])
