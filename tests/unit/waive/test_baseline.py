from __future__ import annotations

import json

import pytest

from crossgate.errors import PolicyError
from crossgate.gate.known import divided
from crossgate.model import Finding, Identity, Place, Severity
from crossgate.waive import read_baseline, write_baseline


def finding(fingerprint="f", **more):
    fields = {"path": "spec.a", "origin": ("Claim a/b", "Bucket x"), **more}
    return Finding(
        "a/b", "R", Severity.ERROR, "an ä message", Place("f.yaml", 3), Identity("v1", "A", "n", "a"), fingerprint=fingerprint, **fields
    )


def test_what_was_written_is_known_again_and_the_rest_is_new(tmp_path):
    file = tmp_path / "baseline.json"
    file.write_text(write_baseline([finding("1"), finding("2"), finding("2")]))
    fresh, known = divided([finding("1"), finding("2"), finding("2"), finding("2"), finding("3", path="other")], read_baseline(file))
    assert [one.fingerprint for one in known] == ["1", "2", "2"]
    assert [one.fingerprint for one in fresh] == ["2", "3"]


def test_the_text_is_sorted_one_line_a_finding_and_free_of_lines_and_files():
    text = write_baseline([finding("2", path="z"), finding("1")])
    assert text == write_baseline([finding("1"), finding("2", path="z")])
    assert len(text.splitlines()) == 7
    assert "f.yaml" not in text
    assert json.loads(write_baseline([])) == {"schemaVersion": 1, "findings": []}


def test_no_file_knows_nothing(tmp_path):
    assert read_baseline(tmp_path / "none.json") == ()


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"schemaVersion": 2, "findings": []}', '{"schemaVersion": 1, "findings": [{}]}', '{"schemaVersion": 1}']
)
def test_a_broken_baseline_is_an_error_and_not_an_empty_one(tmp_path, text):
    file = tmp_path / "baseline.json"
    file.write_text(text)
    with pytest.raises(PolicyError, match="baseline"):
        read_baseline(file)
