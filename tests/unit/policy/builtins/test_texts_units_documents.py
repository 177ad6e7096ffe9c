"""Built-ins beside networks; OPA's own suite (tests/conformance) holds them to OPA, these say what each case is about."""

from __future__ import annotations

import pytest

from crossgate.policy.builtins.documents import hmac_equal, is_valid, match_schema, semver_is_valid, verify_schema
from crossgate.policy.builtins.texts import count, flatten, replace_n, split_n
from crossgate.policy.builtins.units import parse, parse_bytes


def test_overlaps_are_not_counted():
    assert count("11111", "11") == 2


def test_nothing_is_replaced_twice_and_the_first_key_wins():
    assert replace_n({"a": "b", "b": "a"}, "abba") == "baab"
    assert replace_n({"aa": "2", "a": "1"}, "aaa") == "111"
    assert replace_n({}, "a") == "a"
    with pytest.raises(ValueError, match="empty key"):
        replace_n({"": "x"}, "a")


@pytest.mark.parametrize(
    ("number", "parts"), [(2, ["a", "b"]), (-2, ["b", "c"]), (9, ["a", "b", "c"]), (-9, ["a", "b", "c"]), (0, []), (1.0, ["a"])]
)
def test_parts_from_the_front_or_the_back(number, parts):
    assert split_n("a,b,c", ",", number) == parts


def test_one_level_is_flattened():
    assert flatten([[1], 2, [[3]]]) == [1, 2, [3]]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("100m", 0.1),
        ("1M", 1_000_000),
        ("1Mi", 1 << 20),
        ("1mi", 1 << 20),
        ("1.5Gi", 3 << 29),
        ("1e3", 1000),
        ("1e3Ki", 1_024_000),
        ("10", 10),
        ("1k", 1000),
    ],
)
def test_amounts_with_units(text, value):
    assert parse(text) == pytest.approx(value)


@pytest.mark.parametrize(("text", "value"), [("10KB", 10_000), ("10KiB", 10_240), ("1.5", 1), ("0.5Ki", 512), ('"1m"', 1_000_000)])
def test_amounts_of_bytes(text, value):
    assert parse_bytes(text) == value


@pytest.mark.parametrize("text", ["", "Gi", "1 Gi", "1X", "1e1234567", "1..2", None, "1ib"])
def test_what_is_no_amount_is_an_error(text):
    with pytest.raises(ValueError, match=r"."):
        parse(text)


def test_only_texts_are_json_and_versions():
    assert is_valid('{"a": 1}')
    assert not any(map(is_valid, ("{", "NaN", 1, None)))
    assert semver_is_valid("1.2.3-rc.1+5")
    assert not any(map(semver_is_valid, ("1.2", "v1.2.3", "01.2.3", "1.2.3-01", 1)))


def test_a_schema_says_whether_and_how_not():
    schema = {"properties": {"id": {"type": "integer"}}}
    assert match_schema({"id": 1}, schema) == [True, []]
    matches, (error,) = match_schema('{"id": "a"}', schema)
    assert not matches
    assert error["field"] == "id"
    assert verify_schema(schema) == [True, None]
    assert verify_schema({"type": "unknown"})[0] is False


def test_digests_are_compared():
    assert hmac_equal("a", "a")
    assert not hmac_equal("a", "b")
