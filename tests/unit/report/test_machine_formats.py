"""Formats that other programs read: one malformed entry there loses the whole report."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossgate.model import CouldNotCheck, Finding, Identity, Place, Report, Severity, Subject, Waived
from crossgate.report import FORMATS, write
from crossgate.report.github import to_github
from crossgate.report.junit import to_junit
from crossgate.report.sarif import RESULTS, to_sarif

POD = Identity("v1", "Pod", "team-a", "p")


def found(rule: str, message: str, file: str, line: int = 0, severity: Severity = Severity.ERROR) -> Finding:
    return Finding(rule, "R", severity, message, Place(file, line), POD, fingerprint="f" * 32)


HOSTILE = (
    found("no-open-network", '100% open: 0.0.0.0/0\nsecond line; see <docs> & "policy"', "dist/pools a,b:c.yaml", 7),
    found("no-open-network", "no place known", ""),
    found("schema", "bell \u0007 and \u001b[31mred", "dist/ü.yaml", severity=Severity.WARNING),
    found("parse", "plain", "/abs/repo/dist/x.yaml"),
)


def run(report: Report) -> Any:
    return json.loads(to_sarif(report))["runs"][0]


def test_every_sarif_result_has_one_relative_encoded_location_with_a_line() -> None:
    """Code scanning refuses a whole upload for one result without a location, with an absolute path or with line 0."""
    results = run(Report(findings=HOSTILE, root="/abs/repo", could_not_check=(CouldNotCheck("broken", "dist/b.yaml:3:5"),)))["results"]
    places = [result["locations"][0]["physicalLocation"] for result in results]
    uris = {place["artifactLocation"]["uri"] for place in places}
    assert uris == {"dist/pools%20a,b%3Ac.yaml", "dist/%C3%BC.yaml", "dist/x.yaml", "dist/b.yaml"}
    assert all(len(result["locations"]) == 1 for result in results)
    assert min(place["region"]["startLine"] for place in places) == 1


def test_sarif_rules_are_listed_once_and_indexed() -> None:
    result = run(Report(findings=HOSTILE))
    rules = [rule["id"] for rule in result["tool"]["driver"]["rules"]]
    assert len(rules) == len(set(rules)) == 3
    assert all(rules[entry["ruleIndex"]] == entry["ruleId"] for entry in result["results"])


def test_sarif_tells_what_does_not_count_and_why() -> None:
    """A reader of the report alone must see who lets what pass; a result with suppressions counts nowhere, one without does."""
    new, old, let_pass = (found(f"a/{name}", name, "x.yaml", 1) for name in ("new", "old", "waived"))
    report = Report(findings=(new,), known=(old,), waived=(Waived(let_pass, "no digest before March", "fraud", "2027-03-01"),))
    waiver = {
        "kind": "external",
        "status": "accepted",
        "justification": "no digest before March",
        "properties": {"owner": "fraud", "expires": "2027-03-01"},
    }
    results = {each["ruleId"]: each for each in run(report)["results"]}
    assert list(results) == ["a/new", "a/old", "a/waived"]
    assert "suppressions" not in results["a/new"]
    assert results["a/waived"]["suppressions"] == [waiver]
    assert [each["justification"] for each in results["a/old"]["suppressions"]] == ["it stands in the project's baseline.json"]
    assert [each.get("baselineState") for each in results.values()] == [None, "unchanged", None]
    # what the base has is not let pass: it is shown as before
    results = {each["ruleId"]: each for each in run(replace(report, versions={"base": "0123"}))["results"]}
    assert [each.get("baselineState") for each in results.values()] == ["new", "unchanged", None]
    assert [name for name, each in results.items() if "suppressions" in each] == ["a/waived"]


def test_sarif_leaves_out_what_does_not_count_first() -> None:
    """Code scanning takes no more than so many results."""
    many = tuple(found("a/b", str(number), "x.yaml", 1, Severity.WARNING) for number in range(RESULTS))
    kept = run(Report(findings=many, known=(found("a/c", "old", "x.yaml"),), waived=(Waived(found("a/d", "w", "x.yaml"), "r", "o", "e"),)))
    assert len(kept["results"]) == RESULTS
    assert {each["ruleId"] for each in kept["results"]} == {"a/b"}
    assert kept["properties"]["omitted"] == 2


def test_a_clean_sarif_run_still_has_results() -> None:
    """Without the (empty) list, code scanning keeps showing what the last run found."""
    assert run(Report())["results"] == []


def test_junit_counts_add_up_and_names_differ() -> None:
    subjects = (Subject(POD, Place("dist/ok.yaml", 1)), Subject(Identity("v1", "Pod", "team-a", "b"), Place("dist/ok.yaml", 9)))
    twice = (found("a/b", "one", "x.yaml", 1), found("a/b", "two", "x.yaml", 2))
    root = ET.fromstring(
        to_junit(Report(findings=(*HOSTILE, *twice), subjects=subjects, could_not_check=(CouldNotCheck("w", "y.yaml:1"),)))
    )
    cases = root.findall("testsuite/testcase")
    failing = root.findall("testsuite/testcase/failure") + root.findall("testsuite/testcase/error")
    assert int(root.get("tests", "")) == len(cases) == 2 + 6 + 1
    assert int(root.get("failures", "")) + int(root.get("errors", "")) == len(failing) == 6
    names = [(case.get("classname"), case.get("name")) for case in cases]
    assert len(set(names)) == len(names)
    assert all(name and classname for classname, name in names)


def test_junit_skips_what_is_waived_and_says_who_answers_for_it() -> None:
    """A case that passes would hide that something was let pass, one that is missing would hide the object."""
    let_pass = found("a/waived", "no digest", "x.yaml", 1)
    subject = Subject(POD, Place("x.yaml", 1))
    root = ET.fromstring(to_junit(Report(waived=(Waived(let_pass, "none before March", "fraud", "2027-03-01"),), subjects=(subject,))))
    assert (root.get("tests"), root.get("failures"), root.get("skipped")) == ("1", "0", "1")
    [skipped] = root.iter("skipped")
    assert skipped.get("message") == "waived by fraud until 2027-03-01: none before March"


def test_an_empty_junit_run_has_a_suite_and_no_ghost_case() -> None:
    root = ET.fromstring(to_junit(Report()))
    assert [suite.get("tests") for suite in root.findall("testsuite")] == ["0"]
    assert root.findall("testsuite/testcase") == []


def test_github_annotations_stay_within_their_limit_and_say_so() -> None:
    lines = to_github(Report(findings=tuple(found("a/b", str(number), "x.yaml", 1) for number in range(25)))).splitlines()
    assert sum(line.startswith("::error ") for line in lines) == 10
    assert lines[-1] == "crossgate: 15 more of level error are in the full report"


@pytest.mark.parametrize("name", sorted(FORMATS))
@given(st.text(), st.text(), st.text())
def test_no_text_of_a_manifest_breaks_a_format_or_starts_a_command(name: str, message: str, file: str, kind: str) -> None:
    hostile = Finding("a/b", "R", Severity.ERROR, message, Place(file), Identity("v1", kind, "", message))
    text = write(Report(findings=(hostile,), subjects=(Subject(hostile.resource, Place(file)),)), name)
    if name == "junit":
        ET.fromstring(text)
    elif name in ("json", "sarif"):
        json.loads(text)
    elif name == "github":
        assert len(re.findall(r"^::", text, re.MULTILINE)) == 1
        assert text.count("\n") == 1


def test_sarif_of_a_file_whose_name_is_not_utf8() -> None:
    """Git and Linux take any bytes for a name; quoting such a name crashed, and with it the whole report."""
    written = json.loads(write(Report(findings=(found("a/b", "caf\udce9", "dist/caf\udce9.yaml", 1),)), "sarif"))
    location = written["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert location["artifactLocation"]["uri"] == "dist/caf%E9.yaml"
