"""Objects that show a rule the same are shown once, and what it says of one is told of each."""

from __future__ import annotations

import pytest

from crossgate.errors import PolicyError
from crossgate.policy.estate import Held, Shared

RULE = """\
# METADATA
# title: Stores are small
# custom:
#   severity: warning
#   reason: LARGE
#   input: estate
#   remediation: Take less.
package crossgate.storage.small

import rego.v1

looks_at := {["spec", "size"]}

alike_once := {"Store"}

warn contains {"msg": sprintf("larger than %v others", [count(input) - 1]), "path": [place, "contents", "spec", "size"]} if {
	some place, document in input
	document.contents.spec.size > 10
}
"""


def store(name, size, kind="Store"):
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name, "namespace": f"of-{name}"}, "spec": {"size": size, "other": name}}


def test_what_is_alike_is_shown_once_and_told_of_each(judge):
    said = judge(RULE, store("a", 1), store("b", 20), store("c", 20), store("d", 30)).findings
    assert [(each.resource.name, each.message, each.path) for each in said] == [
        ("b", "larger than 2 others", "spec.size"),
        ("c", "larger than 2 others", "spec.size"),
        ("d", "larger than 2 others", "spec.size"),
    ]


def test_objects_of_other_kinds_keep_their_names(judge):
    said = judge(RULE, store("a", 20), store("b", 20, "Shop"), store("c", 20, "Shop")).findings
    assert {(each.resource.name, each.message) for each in said} == {(name, "larger than 2 others") for name in "abc"}


def test_every_kind_may_be_alike(judge):
    said = judge(RULE.replace('{"Store"}', '{"*"}'), store("a", 20), store("b", 20, "Shop"), store("c", 20, "Shop")).findings
    assert {(each.resource.name, each.message) for each in said} == {(name, "larger than 1 others") for name in "abc"}


def test_what_no_first_look_finds_is_not_shown(judge):
    """A rule that counts what it is shown tells how much that was."""
    looking = RULE.replace("looks_at :=", 'first_look := `"size":[0-9]{2}`\n\nlooks_at :=')
    (said,) = judge(looking, store("a", 1), store("b", 20), store("c", 2)).findings
    assert said.message == "larger than 0 others"


def test_there_is_nothing_at_a_place_that_was_not_shown(policy):
    (view,) = policy(RULE).views()
    held = Held.of(view, [Shared("a.yaml", text, lambda: pytest.fail("it is only shown")) for text in ("{}", "", "{}", "[]")])
    assert [text for _, text, _ in held.shown()] == ["[]", "{}"]
    assert [len(held.at(place)) for place in (-1, 0, 1, 2)] == [0, 1, 2, 0]


def test_kinds_are_texts(policy):
    with pytest.raises(PolicyError, match="alike_once is no set"):
        policy(RULE.replace('{"Store"}', "true"))


COUNTING = """\
# METADATA
# title: Few stores are large
# custom:
#   severity: warning
#   reason: MANY
#   input: estate
#   remediation: Take fewer.
package crossgate.storage.few

import rego.v1

looks_at := {["spec", "size"]}

count_alike := {"Store"}

warn contains {"msg": sprintf("%v of %v are large", [large, count(input)]), "path": [places[0], "contents", "spec", "size"]} if {
	places := [place | some place, document in input; document.contents.spec.size > 10]
	large := sum([object.get(input[place], "count", 1) | some place in places])
	large > 1
}
"""


def test_what_is_alike_is_counted_and_told_of_the_first(judge):
    """A quota is a sum: most claims of a team ask for the same, and ten thousand findings would say no more than one."""
    said = judge(COUNTING, store("a", 1), store("b", 20), store("c", 20), store("d", 20), store("e", 1)).findings
    assert [(each.resource.name, each.message) for each in said] == [("b", "3 of 2 are large")]


def test_what_is_of_another_kind_is_not_counted_with_it(judge):
    said = judge(COUNTING, store("a", 20), store("b", 20), store("c", 20, "Shop"), store("d", 20, "Shop")).findings
    assert [each.message for each in said] == ["4 of 3 are large"]


def test_a_rule_is_told_of_each_or_counts(policy):
    with pytest.raises(PolicyError, match="exclude each other"):
        policy(COUNTING.replace("count_alike :=", 'alike_once := {"Store"}\n\ncount_alike :='))
