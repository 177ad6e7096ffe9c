from __future__ import annotations

from typing import Any

import pytest

from crossgate.render import fieldpath
from crossgate.render.faults import Fault, NotFound


@pytest.mark.parametrize(
    ("written", "path"),
    [
        pytest.param("metadata.name", ("metadata", "name"), id="dots"),
        pytest.param("spec.items[0][8]", ("spec", "items", 0, 8), id="indices"),
        pytest.param("data[.config.yml]", ("data", ".config.yml"), id="dots in brackets separate nothing"),
        pytest.param("a['b.c'][\"d\"]", ("a", "b.c", "d"), id="quotes fall off"),
        pytest.param("a[007]", ("a", 7), id="leading zeros are no octal"),
        pytest.param("a[4294967295]", ("a", 4294967295), id="the largest index"),
        pytest.param("a[4294967296]", ("a", "4294967296"), id="beyond 32 bits it is a key"),
        pytest.param("a[+1]", ("a", "+1"), id="a sign makes it a key"),
        pytest.param("a.0", ("a", "0"), id="a number after a dot is a key"),
        pytest.param("a[0]b", ("a", 0, "b"), id="no dot is needed after a bracket"),
        pytest.param("", (), id="the empty path is no error"),
    ],
)
def test_paths_are_split(written: str, path: tuple[Any, ...]) -> None:
    assert fieldpath.parse(written) == path


@pytest.mark.parametrize(
    ("written", "says"),
    [
        (".a", "unexpected '.' at position 0"),
        ("a.", "unexpected '.' at position 1"),
        ("a..b", "unexpected '.' at position 2"),
        ("a.[0]", "unexpected '[' at position 2"),
        ("a[]", "unexpected ']' at position 2"),
        ("a]", "unexpected ']' at position 1"),
        ("a[0", "unterminated '[' at position 1"),
        ("a[[0]]", "unexpected '[' at position 2"),
        ("é.", "unexpected '.' at position 2"),
    ],
)
def test_errors_name_the_position_in_bytes(written: str, says: str) -> None:
    with pytest.raises(Fault, match="cannot parse path") as raised:
        fieldpath.parse(written)
    assert raised.value.what.endswith(says)


def test_what_is_missing_is_not_found_and_what_is_of_another_kind_is_a_fault() -> None:
    """An Optional patch skips the one and fails on the other."""
    value = {"map": {"k": None}, "list": ["a"], "text": "x"}
    for path in ("missing", "map.k.deeper", "list[1]", "missing.a.b"):
        with pytest.raises(NotFound):
            fieldpath.get(value, fieldpath.parse(path))
    for path in ("text.a", "list.a", "map[0]", "text[0]"):
        with pytest.raises(Fault) as raised:
            fieldpath.get(value, fieldpath.parse(path))
        assert not isinstance(raised.value, NotFound)


def test_a_reader_gives_what_get_gives() -> None:
    read = fieldpath.reader(("a", "b"))
    assert read({"a": {"b": 1}}) == 1
    with pytest.raises(NotFound, match=r"a.b: no such field"):
        read({"a": {}})
    with pytest.raises(Fault, match="a: not an object"):
        read({"a": "text"})
    assert fieldpath.reader(("l", 0))({"l": ["y"]}) == "y"


def test_setting_makes_objects_and_pads_arrays_with_nulls() -> None:
    target: dict[str, Any] = {}
    fieldpath.put(target, ("a", 2, "b"), 1)
    assert target == {"a": [None, None, {"b": 1}]}
    fieldpath.put(target, ("a", 3), "end")
    assert target["a"][3] == "end"
    fieldpath.writer(("x", "y"))(target, 1)
    assert target["x"] == {"y": 1}


def test_setting_below_null_is_refused_in_an_object_but_not_in_an_array() -> None:
    """A null field is there; a null element is a gap to be filled."""
    with pytest.raises(Fault, match="a is not an object"):
        fieldpath.put({"a": None}, ("a", "b"), 1)
    with pytest.raises(Fault, match="a is not an object"):
        fieldpath.writer(("a", "b"))({"a": None}, 1)
    target: dict[str, Any] = {"a": [None]}
    fieldpath.put(target, ("a", 0, "b"), 1)
    assert target == {"a": [{"b": 1}]}


def test_indices_end_at_1024() -> None:
    fieldpath.put({}, ("a", 1024), 1)
    for path in (("a", 1025), ("a", 1025, "b"), ("a", 0, 1025)):
        with pytest.raises(Fault, match="index 1025 is greater than max allowed index 1024"):
            fieldpath.put({}, path, 1)


def test_wildcards_expand_over_lists_and_objects() -> None:
    value = {"l": [{"a": 1}, {"b": 2}], "m": {"x.y": {"a": 1}, "z": {"a": 2}}}
    assert fieldpath.expand(value, ("l", "*", "a")) == [("l", 0, "a")]
    assert fieldpath.expand(value, ("m", "*", "a")) == [("m", "x.y", "a"), ("m", "z", "a")]
    assert fieldpath.expand(value, ("missing", "*")) == []
    with pytest.raises(NotFound):
        fieldpath.expand({"l": None}, ("l", "*"))
    with pytest.raises(Fault, match="unexpected wildcard usage"):
        fieldpath.expand({"l": "text"}, ("l", "*"))


def test_a_key_that_is_a_wildcard_is_refused() -> None:
    """The real code expands it for ever."""
    with pytest.raises(Fault, match="crashes"):
        fieldpath.expand({"m": {"*": 1}}, ("m", "*"))


def test_a_fault_at_one_key_wins_over_null_at_another() -> None:
    """Go takes keys in random order: on some runs it is skipped, on others fatal."""
    for value in ({"m": {"a": None, "b": 1}}, {"m": {"b": 1, "a": None}}):
        with pytest.raises(Fault) as raised:
            fieldpath.expand(value, ("m", "*", "*"))
        assert not isinstance(raised.value, NotFound)


def test_expanded_paths_are_written_out_and_read_again() -> None:
    """As in Crossplane: an empty key or brackets do not survive it."""
    with pytest.raises(Fault, match="cannot parse path"):
        fieldpath.expand({"m": {"": 1}}, ("m", "*"))
    with pytest.raises(Fault, match="cannot parse path"):
        fieldpath.expand({"m": {"[": 1}}, ("m", "*"))
