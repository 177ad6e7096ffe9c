from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from crossgate.model import CouldNotCheck
from crossgate.testing import Case, Outcome
from crossgate.testing.junit import junit


def test_counts_add_up_and_texts_survive() -> None:
    outcomes = [
        (Outcome(Case(Path("t/a"), "a")), 0.5),
        (Outcome(Case(Path("t/b"), "b"), ("first <&>\nsecond", 'with "quotes" and \x1b[31m')), 0.25),
        (Outcome(Case(Path("t/c"), "c"), could_not_check=CouldNotCheck("unknown function", "c.yaml:3", "hint")), 0.0),
    ]
    root = ElementTree.fromstring(junit(outcomes))
    (suite,) = root
    for element in (root, suite):
        assert (element.get("tests"), element.get("failures"), element.get("errors"), element.get("time")) == ("3", "1", "1", "0.750")
    assert [case.get("name") for case in suite] == ["a", "b", "c"]
    failure = suite[1].find("failure")
    assert failure is not None
    assert failure.get("message") == "first <&>"
    assert failure.text == 'first <&>\nsecond\nwith "quotes" and �[31m'
    error = suite[2].find("error")
    assert error is not None
    assert error.text == "unknown function\nc.yaml:3\nhint"
