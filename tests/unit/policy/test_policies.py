from __future__ import annotations

from resource import RUSAGE_CHILDREN, getrusage

import pytest

from crossgate.errors import PolicyError
from crossgate.model import Document, Flow, Place, Resource, Role, Severity
from crossgate.policy import Policies

OWN = """\
# METADATA
# title: No x
# custom:
#   severity: error
#   reason: HAS_X
#   remediation: Remove x.
#   reasons:
#     BAD_X:
#       severity: warning
#       remediation: Write x well.
package crossgate.test.x

import rego.v1

deny contains {"msg": "x", "path": path} if {
	walk(input, [path, _])
	path[count(path) - 1] == "x"
}

deny contains {"msg": "bad", "path": ["bad"], "reason": input.bad} if input.bad

deny contains "no path" if input.pathless
"""


def said(judgement):
    return [(finding.rule, finding.reason, finding.message, finding.path) for finding in judgement.findings]


def test_a_finding_carries_what_metadata_says(judge):
    (finding,) = judge(OWN, {"kind": "A", "spec": {"x": 1}}).findings
    assert (finding.rule, finding.reason, finding.severity, finding.path) == ("test/x", "HAS_X", Severity.ERROR, "spec.x")
    assert finding.remediation == "Remove x."
    assert str(finding.place) == "a.yaml:1"


def test_a_finding_may_name_another_reason_of_metadata(judge):
    (finding,) = judge(OWN, {"bad": "BAD_X"}).findings
    assert (finding.reason, finding.severity, finding.remediation) == ("BAD_X", Severity.WARNING, "Write x well.")


@pytest.mark.parametrize(("body", "what"), [({"bad": "UNKNOWN"}, "does not know the reason"), ({"pathless": True}, "has no path")])
def test_a_result_that_is_not_in_form_is_could_not_check(judge, body, what):
    (trouble,) = judge(OWN, body).could_not_check
    assert what in trouble.what


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ('deny contains "text"', [("main/deny", "DENY", "text", "")]),
        ('deny contains {"msg": "object", "path": ["a", 0], "other": 1}', [("main/deny", "DENY", "object", "a[0]")]),
        ('violation contains {"msg": "object", "path": "a.b"}', [("main/violation", "VIOLATION", "object", "")]),
        ('warn_x contains "text"', [("main/warn_x", "WARN_X", "text", "")]),
        ('deny := ["in a list"]', [("main/deny", "DENY", "in a list", "")]),
        ('deny := "alone" if input', [("main/deny", "DENY", "alone", "")]),
        ("deny if input", [("main/deny", "DENY", "deny is true", "")]),
        ("default deny := false", []),
    ],
)
def test_results_in_conftests_style(judge, rule, expected):
    judgement = judge(rule, {})
    assert said(judgement) == expected
    assert not judgement.could_not_check


@pytest.mark.parametrize("rule", ["deny contains 1", "deny := 3", 'deny contains {"message": "m"}', "deny contains [1]"])
def test_results_that_are_none_are_could_not_check_and_not_lost(judge, rule):
    (trouble,) = judge(rule, {}).could_not_check
    assert "neither a text nor an object" in trouble.what


def test_exceptions_of_the_policy_are_shown_and_do_not_count(judge):
    judgement = judge(
        'deny_a contains "a"\nviolation contains "v"\nwarn_a contains "w"\n'
        'exception contains names if {\n\tinput.free\n\tnames := ["a", ""]\n}\n',
        {"free": True},
        {},
    )
    assert [(finding.rule, finding.severity) for finding in judgement.findings if finding.reason == "EXCEPTED"] == [
        ("main/deny_a", Severity.INFO),
        ("main/violation", Severity.INFO),
    ]
    assert sum(finding.severity is Severity.ERROR for finding in judgement.findings) == 2
    assert sum(finding.severity is Severity.WARNING for finding in judgement.findings) == 2


def test_what_is_handed_over_as_no_json_is_could_not_check(judge):
    judgement = judge('deny contains "x"', {"a": float("nan")}, {"a": {1, 2}}, {})
    assert len(judgement.findings) == 1
    assert len(judgement.could_not_check) == 2


def test_nesting_beyond_the_engines_reader_is_could_not_check(judge):
    body: dict = {}
    for _ in range(200):
        body = {"a": body}
    judgement = judge('deny contains "x"', body)
    assert "recursion limit" in judgement.could_not_check[0].what


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ('deny contains "x" if {\n\tinput.a\n\tx := 1 / input.zero\n\tx > 0\n}', "divide by zero"),
        ('deny contains "x" if {\n\tinput.a\n\tto_number(input.text) > 0\n}', "could not parse string as number"),
        ('deny contains "x" if {\n\tinput.a\n\tnet.cidr_contains(input.text, "10.0.0.1")\n}', "invalid CIDR address"),
        ("x := 1 if input.a\n\nx := 2 if input.a\n\ndeny contains x if x > 0", "conflicts"),
        ("deny contains y if input.a", "unsafe"),
    ],
)
def test_a_rule_that_errors_is_could_not_check_and_the_others_still_judge(judge, text, cause):
    judgement = judge(text + '\n\nwarn contains "still"\n', {"a": 1, "zero": 0, "text": "t"}, {"b": 1})
    assert [finding.message for finding in judgement.findings].count("still") == 2
    (trouble,) = judgement.could_not_check
    assert cause in trouble.what
    assert "main/deny" in trouble.what
    assert "main.rego:" in trouble.where
    assert "backtrace" not in trouble.what


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('f(x) := y if y := f(x)\n\ndeny contains "x" if f(input.a)', "crashed the engine"),
        (
            'deny contains "x" if {\n\tsome i in numbers.range(1, input.a * 4000)\n\tsome j in numbers.range(1, 4000)\n\ti + j < 0\n}',
            "did not end within 0.5 s",
        ),
        ('deny contains "x" if count(numbers.range(1, input.a * 100000000)) < 0', "MiB of memory"),
    ],
)
def test_a_rule_that_breaks_the_engine_is_could_not_check_and_left_out_from_then_on(judge, text, reason):
    judgement = judge(text + '\n\nwarn contains "still"\n', {"b": 1}, {"a": 1}, {"a": 1}, {"c": 1})
    assert [finding.message for finding in judgement.findings] == ["still"] * 4
    first, second = judgement.could_not_check
    assert reason in first.what
    assert "left out" in second.what
    assert "1 more" in second.what


ENDLESS = """\
deny contains "x" if {
	some i in numbers.range(1, 1000000)
	some j in numbers.range(1, 4000)
	i + j < 0
}

warn contains "w"
"""


def test_a_rule_that_never_ends_costs_its_limit_once(judge):
    def spent():
        usage = getrusage(RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before = spent()
    judgement = judge(ENDLESS, *({"a": index} for index in range(60)))
    assert len(judgement.findings) == 60
    assert spent() - before < 15  # half a second for each document would be 30


@pytest.mark.parametrize(
    "rule",
    [
        'x := http.send({"method": "get", "url": "http://localhost"})',
        'x := http["send"]({})',
        "x := opa.runtime()",
        'x := net.lookup_ip_addr("localhost")',
    ],
)
def test_ways_out_are_refused_at_load(policy, rule):
    with pytest.raises(PolicyError) as caught:
        policy(f"deny contains x if {{\n\t{rule}\n}}\n")
    assert "is refused" in caught.value.what
    assert caught.value.where.endswith("main.rego:6")


def test_a_way_out_under_another_name_does_not_load(policy):
    with pytest.raises(PolicyError, match="http"):
        policy("deny contains x if x := count({}) with count as http.send")


def test_what_the_engine_finds_wrong_before_any_document_does_not_load(policy):
    with pytest.raises(PolicyError) as caught:
        policy("f(x) := x\n\ndeny contains x if some f in {f(1)}\n\ndeny contains x if some x in {x}\n")
    assert "do not compile" in caught.value.what
    assert "main.rego:" in caught.value.where


def test_a_built_in_that_does_not_exist_is_refused_at_load(policy):
    with pytest.raises(PolicyError) as caught:
        policy("deny contains x if x := graphql.is_valid(input.a, input.b)\n")
    assert "no built-in graphql.is_valid" in caught.value.what
    assert "docs/policies.md" in caught.value.hint


def test_functions_of_other_packages_and_files_are_no_built_ins(tmp_path, resource):
    (tmp_path / "a.rego").write_text(
        "package main\n\nimport data.lib.f as g\n\nimport data.lib\n\n"
        'deny contains x if x := concat("", [h(1), g(1), lib.f(2), data.lib.f(3)])\n'
    )
    (tmp_path / "b.rego").write_text('package main\n\nh(x) := "h"\n')
    (tmp_path / "c.rego").write_text('package lib\n\nf(x) := sprintf("%d", [x])\n')
    assert [finding.message for finding in Policies.load([tmp_path]).judge([resource({})]).findings] == ["h123"]


def test_a_policy_that_does_not_compile_names_file_and_line(policy):
    with pytest.raises(PolicyError) as caught:
        policy("deny contains x if {\n\tx := \n}\n")
    assert "main.rego:" in caught.value.where
    assert "backtrace" not in str(caught.value)


def test_prints_do_not_reach_the_report(judge, capfd):
    judge('deny contains "x" if print("noise")', {})
    assert capfd.readouterr() == ("", "")


TWINS = """\
deny contains {"msg": "two", "path": [i, "contents", "spec"]} if {
	some i, one in input
	some j, other in input
	i > j
	one.contents.kind == other.contents.kind
	one.path == "a.yaml"
}
"""


def test_rules_over_the_estate_see_all_documents_once(judge):
    (finding,) = judge(TWINS, {"kind": "A"}, {"kind": "A", "spec": 1}, combine=True).findings
    assert (finding.path, finding.place.file) == ("spec", "a.yaml")


def test_a_finding_over_the_estate_that_names_no_document_stands_at_the_rule(judge):
    (finding,) = judge('deny contains "no claim at all"', {"kind": "A"}, combine=True).findings
    assert finding.place.file.endswith("main.rego")
    assert finding.place.line == 5


@pytest.fixture
def x(policy):
    return policy(OWN)


def test_a_wrapped_manifest_speaks_for_the_field_of_its_object(x, resource):
    outer = resource({"kind": "Object", "spec": {"manifest": {"x": 1}}})
    inner = Resource({"x": 1}, Role.WRAPPED, outer.document, parent=outer, inside=("spec", "manifest"))
    (finding,) = x.judge([outer, inner]).findings
    assert finding.path == "x"


def test_a_claim_speaks_for_its_xr(x):
    document = Document({"kind": "Claim", "spec": {"x": 1}}, "c.yaml", 1, lambda _path: Place("c.yaml", 1))
    claim = Resource(document.body, Role.CLAIM, document)
    xr = Resource({"kind": "XClaim", "spec": {"x": 1}}, Role.XR, document, parent=claim, flows=(Flow(("spec",), ("spec",)),))
    (finding,) = x.judge([claim, xr]).findings
    assert finding.resource.kind == "Claim"


def test_a_composed_resource_speaks_for_the_template_where_no_patch_wrote(x, resource):
    body = {"kind": "Composition", "spec": {"base": {"x": 1}, "other": {"x": 1}}}
    composition = Document(body, "comp.yaml", 1, lambda _path: Place("comp.yaml", 1))
    xr = resource({"kind": "X"})
    composed = Resource({"x": 1}, Role.COMPOSED, xr.document, parent=xr, composition=composition, template="t", base=("spec", "base"))
    findings = x.judge([Resource(body, Role.DOCUMENT, composition), xr, composed]).findings
    assert sorted((finding.resource.kind, finding.path) for finding in findings) == [("", "x"), ("Composition", "spec.other.x")]


def test_a_patched_value_does_not_silence_the_template(x, resource):
    body = {"kind": "Composition", "spec": {"base": {"x": 1}}}
    composition = Document(body, "comp.yaml", 1, lambda _path: Place("comp.yaml", 1))
    xr = resource({"kind": "X", "y": 2})
    composed = Resource(
        {"x": 2},
        Role.COMPOSED,
        xr.document,
        parent=xr,
        composition=composition,
        base=("spec", "base"),
        flows=(Flow(("y",), ("x",), ("p",)),),
    )
    assert len(x.judge([Resource(body, Role.DOCUMENT, composition), composed]).findings) == 2


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("not {\n\t\tinput.a == 1\n\t}", "negated body"),
        ('[path, value] := walk(input)\n\tvalue == "x"', "walk as a value"),
        ('"a", "a" in {"a"}', "membership with a key"),
        ("not x = f(1)", "unification in a negation"),
        ("uuid.parse(input.a, x)", r"uuid\.parse"),
        ("yaml.is_valid(input.a)", r"yaml\.is_valid"),
        ('glob.match("{a,}b", [], input.a)', "empty alternative"),
    ],
)
def test_what_the_engine_would_misread_is_refused_at_load(policy, body, what):
    with pytest.raises(PolicyError, match=what) as caught:
        policy(f'deny contains "x" if {{\n\t{body}\n}}\n')
    assert caught.value.where.endswith("main.rego:6")
    assert "--engine opa" in caught.value.hint


def test_a_set_below_a_variable_in_a_head_is_refused(policy):
    with pytest.raises(PolicyError, match="a set below a rule"):
        policy('p[q].r contains "x" if some q in ["a"]\n\ndeny contains "x" if p.a.r.x\n')


@pytest.mark.parametrize(
    "body",
    [
        "some k, v in input.a\n\tk == v",
        "every k, v in input.a {\n\t\tk == v\n\t}",
        "x := input.a\n\tnot x == 1\n\tnot x != 2",
        'glob.match("{a,b}", [], input.a) # not {, k, v in {x}, glob.match("{a,}")',
        'input.a == "not { uuid.parse(x) }"',
    ],
)
def test_what_only_looks_like_it_is_not_refused(policy, body):
    assert policy(f'deny contains "x" if {{\n\t{body}\n}}\n').rules
