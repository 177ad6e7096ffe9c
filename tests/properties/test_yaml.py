"""What holds for every text and every value: the quick reader agrees with the exact one, and what is written is read back."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from crossgate.errors import CrossgateError
from crossgate.load import load_text
from crossgate.load.compose import compose
from crossgate.load.construct import construct
from crossgate.load.quick import quick
from crossgate.load.reading import read
from crossgate.load.scan import ScanError
from crossgate.load.write import to_yaml

# Texts that look like manifests, and texts that nearly do.

KEYS = st.sampled_from(["kind", "name", "a.b/c", "on", "y", "1", '"a b"', "'x'", "0x1", "null", "...", "a-b", ".x", "x: y", "&a k"])
SCALARS = st.sampled_from(
    [
        *(
            "a",
            "a b",
            "5",
            "0o7",
            "1e3",
            "yes",
            "~",
            "''",
            '"x # y"',
            "'it''s'",
            '"\\u00e9\\n"',
            "a:b",
            "a: b",
            "a #b",
            "a#b",
            "-x",
            "- x",
            "x:",
            "",
        ),
        *(
            "é",
            "{}",
            "[]",
            "[a, 1, 'b']",
            "{a: b, c: [d]}",
            "{a:b}",
            "[a: b]",
            "{a}",
            "::",
            "*a",
            "&a b",
            "!!str 5",
            "{{ x }}",
            "2001-01-01",
            "@",
        ),
        *(".inf", "<<", "|", ">", "|-", ">-", "|+", "|2", "'open", '"open', "close'", 'close"', "a  ", "x # comment"),
    ]
)
LINES = st.one_of(
    st.builds("{}{}: {}".format, st.sampled_from(["", "- ", "-   ", "- - "]), KEYS, SCALARS),
    st.builds("{}{}:".format, st.sampled_from(["", "- "]), KEYS),
    st.builds("- {}".format, SCALARS),
    SCALARS,
    st.sampled_from(["", "  ", "# comment", "-", "---", "...", "\t", "? a", ": b"]),
)
INDENTED = st.builds(lambda depth, line: "  " * depth + line, st.integers(0, 3), LINES)
TEXTS = st.lists(INDENTED, min_size=1, max_size=8).map(lambda lines: "\n".join(lines) + "\n")

JSON_TEXTS = st.recursive(
    st.sampled_from(
        [
            *("1", "-0", "1.5", "1E400", "1e3", "true", "null", "NaN", "18446744073709551616"),
            *('"a"', '"\\/"', '"\\u0041"', '"\\ud83d\\ude00"', '"é"'),
        ]
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: "[" + ", ".join(items) + "]"),
        st.lists(st.tuples(st.sampled_from(['"a"', '"b"', '"1"', '"a" ', '"b"\n']), inner), max_size=3).map(
            lambda pairs: "{" + ",\n\t".join(f"{key}:{value}" for key, value in pairs) + "}"
        ),
    ),
    max_leaves=8,
)


OBJECTS = st.dictionaries(
    st.sampled_from(["kind", "name", "spec", "a.b/c", "on", "items", "x"]),
    st.recursive(
        st.sampled_from([None, True, 1, 1.5, "a", "a b", "yes", "", "0o7", "a: b", "x\ny", "x\ny\n", "é", "-x", "it's", 'say "x"']),
        lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["a", "b", "c d", "1"]), inner, max_size=3)),
        max_leaves=8,
    ),
    min_size=1,
    max_size=4,
)


def exact(text: str) -> Any:
    tree = compose(text)
    made = construct(tree.root)
    assert tree.rest < 0
    assert not made.duplicates
    return made.body


def agree(text: str) -> None:
    found = quick(text)
    if found is not None:
        assert json.dumps(found[0]) == json.dumps(exact(text))


@given(TEXTS)
@example("a: |\n  x\n\n   y\nb: >-\n  folded\n  text\n\n  more\n")
@example("description: a text\n  that goes on: no\n")
@example("a: b # c\n  d\n")
@example("a: 1\n... b: 2\n")
@example("v: a #a\n\n c\n")
@example("a: 'x\n\n  y' # z\n")
def test_the_quick_reader_agrees_with_the_exact_one_or_gives_up(text: str) -> None:
    agree(text)


@given(st.data())
def test_the_quick_reader_notices_the_one_odd_line(data: st.DataObject) -> None:
    """A manifest like any other, with one line put in somewhere that may change the meaning of all."""
    lines = to_yaml([data.draw(OBJECTS)]).split("\n")
    at = data.draw(st.integers(0, len(lines) - 1))
    lines.insert(at, data.draw(INDENTED))
    agree("\n".join(lines))


@given(OBJECTS)
def test_the_quick_reader_does_not_give_up_on_what_is_written_here(value: dict[str, Any]) -> None:
    assert quick(to_yaml([value])) is not None


@given(JSON_TEXTS)
def test_json_is_read_as_the_yaml_that_it_is(text: str) -> None:
    """YAML refuses some JSON (``\\/``, surrogate pairs) and reads other numbers; the quick way must know."""
    agree(f'{{"v": {text}}}\n')


@given(st.one_of(TEXTS, st.text(), st.binary()))
def test_reading_says_what_is_wrong_and_never_breaks(text: str | bytes) -> None:
    reading = read(text, "f.yaml")
    for document in reading.documents:
        assert document.place(()).line >= 1
        json.dumps(document.body)
    if reading.fault is not None:
        assert reading.fault.where.startswith("f.yaml:")


# Values.

NUMBERS = st.one_of(
    st.integers(-(2**63), 2**64 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([1e22, 1.0, -0.0, 5e-324, 1e16, 2**53 + 1]),
)
HARD = [
    "yes",
    "y",
    "N",
    "on",
    "~",
    "",
    "1e3",
    "0o7",
    "0777",
    "08",
    "1_000",
    "+12",
    ".5",
    "1.",
    "0x1F",
    "12:30:00",
    "2024-01-01",
    ".inf",
    "=",
    "<<",
]
HARD += [
    "- a",
    "a: b",
    "#x",
    " x ",
    "---",
    "...",
    "--- a",
    "a\nb\n",
    "a\n\n",
    "\n",
    "a\n b",
    " a\nb",
    "a\n \nb",
    "\ta\nb",
    "é",
    "\t",
    "\u2028",
    "\x85",
]
HARD += [
    "\ufeff",
    "😀",
    "\x00",
    "a\\b",
    '"',
    "'",
    "@x",
    "%x",
    "`x`",
    "{{ x }}",
    "[a]",
    "null",
    "a #b",
    "a:",
    "-",
    "?",
    "? a",
    "!x",
    "&x",
    "*x",
    "|",
    ">",
]
TEXT_VALUES = st.one_of(st.sampled_from(HARD), st.text(), st.text(alphabet="ab: #-\n\t'\"1e.~"))
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, TEXT_VALUES),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXT_VALUES, inner, max_size=4)),
    max_leaves=12,
)


def as_the_cluster_has_it(value: Any) -> Any:
    """Turn whole floats into the integers that their JSON text is (1e21 and more keep their exponent)."""
    if isinstance(value, dict):
        return {key: as_the_cluster_has_it(item) for key, item in value.items()}
    if isinstance(value, list):
        return [as_the_cluster_has_it(item) for item in value]
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e21:
        return int(Decimal(repr(value)))
    return value


@given(st.lists(VALUES.filter(lambda value: value is not None), min_size=1, max_size=3))
def test_what_is_written_is_read_back(values: list[Any]) -> None:
    found = [document.body for document in load_text(to_yaml(values))]
    assert json.dumps(found) == json.dumps([as_the_cluster_has_it(value) for value in values])


@given(VALUES)
def test_another_reader_takes_it_for_the_same_values(value: Any) -> None:
    """PyYAML stands for the YAML 1.1 readers."""
    assert json.dumps(yaml.load(to_yaml([value]), Loader=yaml.CSafeLoader)) == json.dumps(value)


@given(VALUES)
def test_writing_is_deterministic_and_keeps_to_lines(value: Any) -> None:
    text = to_yaml([value])
    assert text == to_yaml([value])
    assert text.endswith("\n")
    assert all(line == line.rstrip("\n\r") for line in text.split("\n"))


@pytest.mark.parametrize(
    ("value", "where"),
    [
        ({"spec": {"x": float("nan")}}, "spec.x"),
        ({"spec": [1, float("-inf")]}, "spec[1]"),
        ({"a": 2**64}, "a"),
        ({"a": -(2**63) - 1}, "a"),
        ({"a": "\ud83d"}, "a"),
        ({"a": {1: 2}}, "a.1"),
        ({"a": {"b\udc80": 2}}, "a.b\udc80"),
        ({"a": {1, 2}}, "a"),
        (object(), "the document itself"),
    ],
)
def test_what_no_manifest_can_hold_is_refused(value: Any, where: str) -> None:
    with pytest.raises(CrossgateError) as caught:
        to_yaml([value])
    assert caught.value.where == where


def test_a_long_key_is_announced() -> None:
    """Readers look for the colon of a key in its first 1,024 characters only."""
    value = {"k" * 2000: {"x": "y"}, "l\n" * 600: [1], "m" * 3000: "z"}
    assert [document.body for document in load_text(to_yaml([value]))] == [value]


def test_a_scan_error_is_not_hidden_by_the_quick_reader() -> None:
    with pytest.raises(ScanError):
        compose("a: 'x\n")
    assert quick("a: 'x\n") is None
