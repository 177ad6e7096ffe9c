from __future__ import annotations

import pytest

from crossgate.errors import PolicyError
from crossgate.policy.metadata import read_annotations


def test_blocks_belong_to_the_package_or_the_rule_that_follows():
    found = read_annotations(
        "# METADATA\n# title: A\n# custom:\n#   severity: error\npackage a\n\n#METADATA\n# title: B\ndeny contains 1\n", "a.rego"
    )
    assert [(block.target, block.line, block.values) for block in found] == [
        ("package", 1, {"title": "A", "custom": {"severity": "error"}}),
        ("deny", 7, {"title": "B"}),
    ]


def test_other_comments_are_none():
    assert read_annotations("# about METADATA\npackage a\n", "a.rego") == []


@pytest.mark.parametrize(
    ("text", "place", "what"),
    [
        ("# METADATA\n# title: [\npackage a\n", "a.rego:", "not YAML"),
        ("# METADATA\n# just text\npackage a\n", "a.rego:1", "not a mapping"),
        ("package a\n# METADATA\n# title: A\n", "a.rego:2", "before nothing"),
    ],
)
def test_a_block_that_cannot_be_read_names_its_place(text, place, what):
    with pytest.raises(PolicyError) as caught:
        read_annotations(text, "a.rego")
    assert what in caught.value.what
    assert caught.value.where.startswith(place)
