from __future__ import annotations

from typing import Any

import pytest

from crossgate.render.faults import Fault
from crossgate.render.gojson import NilArray
from crossgate.render.merge import merge_over, policy


def merged(name: str, present: Any, value: Any) -> Any:
    merging = policy(name)
    assert merging is not None
    return merging(present, value)


def test_replace_merges_nothing() -> None:
    assert policy("Replace") is None


def test_an_unknown_policy_is_refused() -> None:
    with pytest.raises(Fault, match="invalid patch policy Merge"):
        policy("Merge")


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("MergeObjects", {"a": 1, "l": [1], "new": 2}),
        ("MergeObject", {"a": 1, "l": [1], "new": 2}),
        ("MergeObjectsAppendArrays", {"a": 1, "l": [1, 1, 2], "new": 2}),
        ("ForceMergeObjects", {"a": 9, "l": [1, 2], "new": 2}),
        ("ForceMergeObjectsAppendArrays", {"a": 9, "l": [1, 1, 2], "new": 2}),
        ("AppendArray", {"a": 9, "l": [1, 1, 2], "new": 2}),
    ],
)
def test_the_policies_on_an_object(name: str, answer: Any) -> None:
    assert merged(name, {"a": 1, "l": [1]}, {"a": 9, "l": [1, 2], "new": 2}) == answer


@pytest.mark.parametrize("empty", [0, "", False, None, {}, []])
def test_an_empty_value_is_overwritten_even_by_a_policy_that_keeps_values(empty: Any) -> None:
    assert merged("MergeObjects", {"a": empty}, {"a": "patched"}) == {"a": "patched"}


def test_null_in_the_patch_is_dropped_where_values_are_kept() -> None:
    assert merged("MergeObjects", {"a": 1}, {"a": None, "b": None}) == {"a": 1}
    assert merged("ForceMergeObjects", {"a": 1}, {"a": None, "b": None}) == {"a": None, "b": None}


def test_duplicates_are_left_out_only_of_the_list_at_the_path_itself() -> None:
    assert merged("AppendArray", ["a"], ["a", "b"]) == ["a", "b"]
    assert merged("AppendArray", {"l": ["a"]}, {"l": ["a", "b"]}) == {"l": ["a", "a", "b"]}


def test_a_float_is_no_duplicate_of_an_integer() -> None:
    """In Go they are values of two types: a base-less template meets 1.0 and 1."""
    assert merged("AppendArray", [1.0], [1]) == [1.0, 1]
    assert merged("AppendArray", [{"a": [1]}], [{"a": [1]}, {"a": [1.0]}]) == [{"a": [1]}, {"a": [1.0]}]


def test_appending_nothing_to_nothing_makes_null() -> None:
    """What is left of an empty list is Go's nil slice, which is written as null."""
    assert isinstance(merged("AppendArray", [], []), NilArray)


def test_appending_a_list_to_something_else_is_a_fault() -> None:
    with pytest.raises(Fault, match="different type"):
        merged("AppendArray", {"a": "text"}, {"a": [1]})


def test_merging_over_changes_the_first_object() -> None:
    present: dict[str, Any] = {"a": {"b": 1}}
    assert merge_over(present, {"a": {"c": 2}}) is present
    assert present == {"a": {"b": 1, "c": 2}}
