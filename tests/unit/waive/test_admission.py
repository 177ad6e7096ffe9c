"""What of the waivers holds at admission."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

from crossgate.waive import load_waivers
from crossgate.waive.admission import exemptions

HEAD = "rule: a/b, reason: It is the one door., owner: o, expires"


def given(tmp_path: Path, *waivers: str):
    (tmp_path / "waivers.yaml").write_text("waivers:\n" + "".join(f"- {{{waiver}}}\n" for waiver in waivers))
    return exemptions(load_waivers([tmp_path / "waivers.yaml"]), date(2027, 1, 31))


def test_what_has_expired_lets_nothing_pass(tmp_path):
    """The last day still counts, as in a check."""
    exempt, left = given(
        tmp_path, f"id: a, scope: {{resource: Pod a/b}}, {HEAD}: 2027-01-31", f"id: b, scope: {{resource: Pod a/b}}, {HEAD}: 2027-01-30"
    )
    assert [str(each) for each in exempt] == ["a until 2027-01-31 (o)"]
    assert [(each.rule, each.why) for each in left] == [("b", "it expired on 2027-01-30")]


def test_a_scope_that_admission_cannot_tell_is_left_out_and_not_widened(tmp_path):
    exempt, left = given(
        tmp_path,
        f"id: f, scope: {{resource: Pod a/b, file: dist/*}}, {HEAD}: 2027-01-31",
        f"scope: {{path: spec.x}}, {HEAD}: 2027-01-31",
        f"id: note, scope: {{annotated: true}}, {HEAD}: 2027-01-31",
    )
    assert exempt == ()
    assert [(each.rule, re.search("file|exempt himself", each.why)[0]) for each in left] == [
        ("f", "file"),
        ("a/b", "exempt himself"),
        ("note", "exempt himself"),
    ]


def test_patterns_mean_what_they_mean_in_a_check(tmp_path):
    """``*`` is any text, a path covers what is below it, and nothing else is special."""
    ((one,), _) = given(tmp_path, f"scope: {{resource: 'Pod a.b/*', path: 'spec.x[0]'}}, {HEAD}: 2027-01-31")
    assert [bool(re.search(one.resource, text)) for text in ("Pod a.b/c", "Pod axb/c", "A Pod a.b/c", "Pod a.b/c\nd")] == [
        True,
        False,
        False,
        True,
    ]
    assert [bool(re.search(one.path, text)) for text in ("spec.x[0]", "spec.x[0].y", "spec.x[0][1]", "spec.x[01]", "spec.x0")] == [
        True,
        True,
        True,
        False,
        False,
    ]
