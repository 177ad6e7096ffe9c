"""Reports say everything, at 80 columns and in JSON, and nothing in a manifest can break them."""

from __future__ import annotations

import json
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from crossgate.model import NOBODY, Cause, CouldNotCheck, Finding, Identity, Place, Report, Severity, Waived
from crossgate.report.json import to_json
from crossgate.report.text import to_text

OPEN = Finding(
    rule="network/open-cidr",
    reason="OPEN_CIDR",
    severity=Severity.ERROR,
    message='authorized network "0.0.0.0/0" is the whole Internet',
    place=Place("apps/claims/fraud/docs.yaml", 12, 7),
    resource=Identity("sql.gcp.upbound.io/v1beta2", "DatabaseInstance", "", "docs-x1b2c-9f"),
    path="spec.forProvider.settings.ipConfiguration.authorizedNetworks[0].value",
    origin=("VectorDatabaseClaim fraud/docs", "XVectorDatabase docs-x1b2c", "DatabaseInstance docs-x1b2c-9f (template metadata-database)"),
    causes=(
        Cause("claim", Place("apps/claims/fraud/docs.yaml", 12, 7), "spec.parameters.cidr"),
        Cause(
            "patch", Place("constructs/mlplatform/vector_database.py", 88), "spec.pipeline[0].input.resources[3].patches[2]", "template x"
        ),
    ),
    remediation="Give the database a private address on the cluster's network, or name the networks that may reach it.",
    fingerprint="0123456789abcdef0123456789abcdef",
)
WARNING = Finding("a/b", "AB", Severity.WARNING, "a warning", Place("x.yaml", 1), Identity("v1", "Pod", "ns", "p"))
REPORT = Report(
    findings=(OPEN, WARNING),
    could_not_check=(CouldNotCheck("function-go-templating is not known", "composition.yaml:3:5", "render that step elsewhere"),),
    waived=(Waived(WARNING, "migration", "team-a", "2027-01-01"),),
    counts={"files": 2, "documents": 1, "rules": 3},
    versions={"tool": "0.1.0"},
)


def test_text_report(golden: Callable[[str, str], None]) -> None:
    golden("report.txt", to_text(REPORT))


def test_a_finding_about_no_object_names_none() -> None:
    """What is wrong with a rule is in the rule."""
    text = to_text(Report(findings=(Finding("a/b", "AB", Severity.WARNING, "a warning", Place("x.rego", 1), NOBODY),)))
    assert "(no name)" not in text


def test_what_is_wrong_with_eight_objects_alike_is_said_once() -> None:
    """Every object and its place stand there; the message and the way out do not stand there eight times."""
    pods = [Identity("v1", "Pod", "ns", f"p{number}") for number in (1, 2, 3)]
    same = tuple(Finding("a/b", "AB", Severity.WARNING, "it goes", Place("x.yaml", int(pod.name[1:])), pod) for pod in pods)
    text = to_text(Report(findings=(*same, OPEN)))
    assert text.count("it goes") == 1
    assert all(f"x.yaml:{n}\n" in text and f"Pod ns/p{n}\n" in text for n in (1, 2, 3))
    assert "1 error, 3 warnings" in text


def test_a_way_out_that_the_message_says_is_not_said_twice() -> None:
    typo = Finding(
        "a/b", "AB", Severity.ERROR, "unknown field; did you mean 'b'?", Place("x.yaml", 1), NOBODY, remediation="did you mean 'b'?"
    )
    assert to_text(Report(findings=(typo,))).count("did you mean") == 1


def test_json_report(golden: Callable[[str, str], None]) -> None:
    golden("report.json", to_json(REPORT))


def test_the_worst_stands_last_above_the_prompt() -> None:
    text = to_text(REPORT)
    assert text.index("warning: a/b") < text.index("error: network/open-cidr")


def test_what_was_there_before_leaves_the_new_in_sight() -> None:
    """A large estate has hundreds of old findings: listed below the new one, or each of them above it, they would hide it."""
    known = tuple(Finding("a/b", "AB", Severity.WARNING, "old", Place(f"{number}.yaml", 1), NOBODY) for number in range(900))
    text = to_text(Report(findings=(OPEN,), known=known))
    old, new = text.split("error: network/open-cidr")
    assert "known already, not counted: 900" in old
    assert "0.yaml:1" in old
    assert "a/b  and 897 more" in old
    assert len(old.splitlines()) < 10
    assert "yaml:1\n" not in new


def test_exit_codes_as_promised() -> None:
    assert Report().exit_code == 0
    assert Report(findings=(WARNING,)).exit_code == 0
    assert Report(findings=(WARNING,), fail_on=Severity.WARNING).exit_code == 1
    assert Report(findings=(OPEN,)).exit_code == 1
    assert Report(could_not_check=REPORT.could_not_check).exit_code == 3
    assert REPORT.exit_code == 3, "what was not judged outranks what was found: it may hide worse"


@given(st.text(), st.text())
def test_no_message_or_name_can_forge_a_line_or_move_the_cursor(message: str, name: str) -> None:
    """A pull request's author writes names and values; the report must stay the gate's own words."""
    hostile = Finding("a/b", "AB", Severity.ERROR, message, Place(name or "x"), Identity("v1", "Pod", "", name))
    report = Report(findings=(hostile,))
    lines = to_text(report).split("\n")
    assert sum(line.startswith(("error:", "warning:", "could not check:", "checked ")) for line in lines) == 2
    assert not any(ord(character) < 32 or 0x7F <= ord(character) < 0xA0 for line in lines for character in line)
    assert json.loads(to_json(report))["findings"][0]["message"] == message
