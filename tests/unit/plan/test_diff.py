"""Two values are compared by what their parts are, not by where they stand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossgate.paths import MISSING, format_path
from crossgate.plan.diff import differences
from crossgate.plan.ignore import ignored


def changes(before: Any, after: Any) -> list[tuple[str, Any, Any]]:
    return [
        (
            format_path(change.after_path if change.after is not MISSING else change.before_path)
            + (f"#{format_path(change.inside_after or change.inside_before)}" if change.inside_after or change.inside_before else ""),
            "-" if change.before is MISSING else change.before,
            "-" if change.after is MISSING else change.after,
        )
        for change in differences(before, after)
    ]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"a": 1}, {"a": 1.0}, []),
        ({"a": 1}, {"a": True}, [("a", 1, True)]),
        ({"a": []}, {"a": []}, []),
        ({"a": []}, {"a": {}}, [("a", [], {})]),
        ({"a": None}, {}, [("a", None, "-")]),
        ({"a": {"b": 1}}, {"a": 2}, [("a", {"b": 1}, 2)]),
        ({}, {"a": {"b": [1, {"c": 2}]}}, [("a.b[0]", "-", 1), ("a.b[1].c", "-", 2)]),
        # an item put in front of named ones is one added item, not three changed ones
        (
            {"e": [{"name": "a", "v": 1}, {"name": "b"}]},
            {"e": [{"name": "z"}, {"name": "a", "v": 2}, {"name": "b"}]},
            [("e[1].v", 1, 2), ("e[0].name", "-", "z")],
        ),
        ({"c": ["a", "b"]}, {"c": ["x", "a", "b"]}, [("c[0]", "-", "x")]),
        ({"c": ["a", "b", "c"]}, {"c": ["a", "c"]}, [("c[1]", "b", "-")]),
        ({"c": [{"x": 1}]}, {"c": [{"x": 2}]}, [("c[0].x", 1, 2)]),
        ({"t": "a: 1\nb: 2\n"}, {"t": "b: 3\na: 1\n"}, [("t#b", 2, 3)]),
        # the same values written otherwise are still another text
        ({"t": "a: 1\nb: 2\n"}, {"t": "b: 2\na: 1\n"}, [("t", "a: 1\nb: 2\n", "b: 2\na: 1\n")]),
        ({"t": "a: 1\nb: 2\n"}, {"t": "just text"}, [("t", "a: 1\nb: 2\n", "just text")]),
    ],
)
def test_leaves(before: Any, after: Any, expected: list[tuple[str, Any, Any]]) -> None:
    assert changes(before, after) == expected


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("abname"), inner, max_size=4),
    max_leaves=20,
)


@given(JSON, JSON)
def test_nothing_is_said_of_equal_values_and_something_of_others(before: Any, after: Any) -> None:
    assert not list(differences(before, before))
    if repr(before) != repr(after) and before != after:
        assert list(differences(before, after))


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("metadata.labels[helm.sh/chart]", ("metadata", "labels", "helm.sh/chart"), True),
        ("**.annotations[checksum/*]", ("spec", "template", "metadata", "annotations", "checksum/config"), True),
        ("**.annotations[checksum/*]", ("spec", "annotations", "sum"), False),
        ("spec.items[*].version", ("spec", "items", 3, "version"), True),
        ("spec", ("spec", "a", "b"), True),
        ("spec.a", ("spec", "ab"), False),
        ("spec.*", ("spec",), False),
    ],
)
def test_patterns(pattern: str, path: tuple[str | int, ...], expected: bool) -> None:
    assert ignored(path, [pattern]) is expected
