"""A rule of which one alternative plainly holds says what the engine would say."""

from __future__ import annotations

from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from crossgate.schema.celtext import read_rule
from crossgate.schema.rules import RuleTree, check_rules

FIELDS = st.sampled_from(
    ["region", "managementPolicies", "forProvider.region", "initProvider.region", "undeclared", "forProvider.undeclared"],
)
HAS = FIELDS.map(lambda field: f"has(self.{field})")
BOTH = st.tuples(HAS, HAS).map(lambda pair: f"({pair[0]} && {pair[1]})")
NONE = st.lists(st.sampled_from(["*", "Create", "a b"]), min_size=1, max_size=3).map(
    lambda words: "!(" + " || ".join(f"'{word}' in self.managementPolicies" for word in words) + ")"
)
RULES = st.lists(HAS | BOTH | NONE, min_size=1, max_size=4).map(" || ".join) | st.sampled_from(
    ["has(self.region) ||", "has(self.region) || self.region == 'x'", "!has(self.region)", "has(self.region) && has(self.forProvider)"]
)
TEXT = {"type": "string"}
PART = {"type": "object", "properties": {"region": TEXT}}
SPEC = {"region": TEXT, "managementPolicies": {"type": "array", "items": TEXT}, "forProvider": PART, "initProvider": PART}
PARTS = st.fixed_dictionaries({}, optional={"region": st.sampled_from(["", "x"])})
VALUES = st.fixed_dictionaries(
    {},
    optional={
        "region": st.sampled_from(["", "x"]),
        "managementPolicies": st.lists(st.sampled_from(["*", "Create", "Observe"]), max_size=2),
        "forProvider": PARTS,
        "initProvider": PARTS,
    },
)

USUAL = "!('*' in self.managementPolicies || 'Create' in self.managementPolicies) || has(self.forProvider.region)"


@given(rule=RULES, value=VALUES)
@example(rule=USUAL, value={"managementPolicies": ["*"], "forProvider": {"region": "x"}})
def test_what_is_enough_changes_no_answer(rule: str, value: dict[str, Any]) -> None:
    tree, plain = (RuleTree.of({"properties": {"spec": {"properties": SPEC, "x-kubernetes-validations": [{"rule": rule}]}}}) for _ in "ab")
    assert tree is not None
    assert plain is not None
    kept = plain.properties["spec"].rules[0]
    kept.text = read_rule(rule)  # read already, so that the short way is not looked for
    assert check_rules(tree, {"spec": value}) == check_rules(plain, {"spec": value})


def test_the_usual_rule_of_providers_needs_no_engine() -> None:
    assert read_rule(USUAL).enough == (("forProvider", "region"),)
