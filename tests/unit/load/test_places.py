"""Every value's line and column, found again from the text when somebody asks."""

from __future__ import annotations

import pytest

from crossgate.load import load_text
from crossgate.paths import Path

TEXT = """\
# a comment
---
kind: Pod  # trailing
metadata: {name: a, "labels": {x: 'y'}}
spec:
  containers:
  - name: c
    image: i
  -   name: d
    # about the ports
      ports: [80,
        443]
on: 1
base: &base
  cpu: 1
merged:
  <<: *base
  mem: 2
alias: *base
twice: 1
twice: 2
text: |
  several
  lines
? long
: value
"""


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ((), "3:1"),
        (("kind",), "3:1"),
        (("metadata",), "4:1"),
        (("metadata", "name"), "4:12"),
        (("metadata", "labels", "x"), "4:32"),
        (("spec", "containers", 0), "7:5"),
        (("spec", "containers", 0, "image"), "8:5"),
        (("spec", "containers", 1), "9:7"),
        (("spec", "containers", 1, "ports", 1), "12:9"),
        (("true",), "13:1"),
        (("merged", "mem"), "18:3"),
        (("text",), "22:1"),
        (("long",), "25:3"),
    ],
)
def test_a_field_stands_at_its_key_and_an_item_at_its_value(path: Path, place: str) -> None:
    (document,) = load_text(TEXT, "f.yaml")
    assert str(document.place(path)) == f"f.yaml:{place}"


@pytest.mark.parametrize(
    ("path", "place"),
    [
        (("merged", "cpu"), "15:3"),
        (("alias", "cpu"), "15:3"),
        (("twice",), "21:1"),
    ],
)
def test_a_value_stands_where_it_is_written(path: Path, place: str) -> None:
    """Through an alias or a merge key: at the anchor; of two equal keys: at the one that wins."""
    (document,) = load_text(TEXT, "f.yaml")
    assert str(document.place(path)) == f"f.yaml:{place}"


@pytest.mark.parametrize(
    ("path", "place"),
    [
        (("spec", "nodeSelector", "zone"), "5:1"),
        (("spec", "containers", 7, "image"), "6:3"),
        (("kind", "deeper"), "3:1"),
        (("spec", "containers", "name"), "6:3"),
        (("nothing",), "3:1"),
    ],
)
def test_a_path_that_is_not_there_leads_to_the_nearest_field_above(path: Path, place: str) -> None:
    (document,) = load_text(TEXT, "f.yaml")
    assert str(document.place(path)) == f"f.yaml:{place}"


def test_later_documents_count_on() -> None:
    documents = load_text("a: 1\r\n---\r\nb:\r\n- c: 1\r\n--- # x\r\n\r\nd: 1\r\n", "f.yaml")
    assert [str(document.place(path)) for document, path in zip(documents, [("a",), ("b", 0, "c"), ("d",)], strict=True)] == [
        "f.yaml:1:1",
        "f.yaml:4:3",
        "f.yaml:7:1",
    ]


def test_json_has_places_too() -> None:
    (document,) = load_text('{"kind": "A",\n "spec": {"list": [1,\n  {"x": true}]}}\n', "f.json")
    assert str(document.place(("spec", "list", 1, "x"))) == "f.json:3:4"
