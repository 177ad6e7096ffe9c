from __future__ import annotations

import pytest

from crossgate.errors import PolicyError
from crossgate.model import Severity

OWN = """\
# METADATA
# title: A title
# description: A description.
# related_resources:
# - https://example.org/why
# custom:
#   severity: error
#   reason: OPEN
#   remediation: Close it.
#   reasons:
#     OTHER:
#       remediation: Write it.
package crossgate.some_category.some_rule

import rego.v1

deny contains {"msg": "m", "path": []} if input.x
"""


def test_a_rule_of_this_project_takes_everything_from_metadata(policy):
    (rule,) = policy(OWN).rules
    assert (rule.id, rule.category, rule.name) == ("some-category/some-rule", "some-category", "deny")
    assert (rule.title, rule.severity, rule.reason, rule.remediation, rule.link) == (
        "A title",
        Severity.ERROR,
        "OPEN",
        "Close it.",
        "https://example.org/why",
    )
    assert rule.reasons == {"OTHER": {"remediation": "Write it."}}
    assert not rule.estate


def test_rules_in_conftests_style_are_known_by_package_and_name(policy):
    rules = policy("deny_a contains 1\nviolation contains 2\nwarn_b contains 3\nother contains 4\n").rules
    assert [(rule.id, rule.severity, rule.reason) for rule in rules] == [
        ("main/deny_a", Severity.ERROR, "DENY_A"),
        ("main/violation", Severity.ERROR, "VIOLATION"),
        ("main/warn_b", Severity.WARNING, "WARN_B"),
    ]


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("# METADATA", "# NO DATA", "no METADATA"),
        ("#   reason: OPEN\n", "", "lacks reason"),
        ("# title: A title\n", "", "lacks title"),
        ("severity: error", "severity: bad", "severity is 'bad'"),
        ("severity: error", "severity: warning", "named deny and its severity is warning"),
        ("crossgate.some_category.some_rule", "crossgate.some_rule", "no category and rule"),
        ("deny contains", "warn contains 1\n\ndeny contains", "2 results"),
        ("# custom:", "# custom: text\n# more:", "a text where a mapping belongs"),
    ],
)
def test_metadata_that_is_missing_or_wrong_names_its_place(policy, old, new, what):
    with pytest.raises(PolicyError) as caught:
        policy(OWN.replace(old, new))
    assert what in caught.value.what
    assert "main.rego:" in caught.value.where


def test_zero_rules_are_an_error(policy):
    with pytest.raises(PolicyError, match="0 rules found"):
        policy("allow := true\n")


def test_a_namespace_without_rules_is_an_error(policy):
    with pytest.raises(PolicyError, match="0 rules found in namespace nope"):
        policy("deny contains 1\n", namespaces=["nope"])


def test_a_file_without_package_is_an_error(tmp_path, policy):
    with pytest.raises(PolicyError) as caught:
        policy("# nothing\n")
    assert caught.value.where.endswith("main.rego:1")


def test_functions_are_no_rules_whatever_they_are_called(policy, resource):
    loaded = policy('deny(x) if x.kind == "A"\n\nwarn_of(x) := "w"\n\ndeny_a contains "a" if deny(input)\n')
    assert [rule.id for rule in loaded.rules] == ["main/deny_a"]
    judgement = loaded.judge([resource({"kind": "A"}), resource({"kind": "B"})])
    assert [finding.message for finding in judgement.findings] == ["a"]
    assert not judgement.could_not_check


@pytest.mark.parametrize(
    ("declaration", "what"),
    [
        ('kinds := "A"', "kinds is no set"),
        ("kinds := {1}", "kinds holds what is no text"),
        ("first_look := 1", "no text"),
        ('first_look := "("', "no regular"),
        ("known_good := {1}", "no text"),
        ('first_look := "a"\nknown_good := "("', "known_good is no regular"),
    ],
)
def test_declarations_of_another_type_do_not_load(policy, resource, declaration, what):
    with pytest.raises(PolicyError, match=what):
        policy(f"{OWN}\n{declaration}\n").judge([resource({})])
