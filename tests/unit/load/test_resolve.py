"""The table of go-yaml v2, with the spellings that other readers take otherwise."""

from __future__ import annotations

import math
from typing import Any

import pytest

from crossgate.load.resolve import ScalarError, json_number, key_text, plain, tagged

TAG = "tag:yaml.org,2002:"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *[(word, True) for word in ("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON")],
        *[(word, False) for word in ("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF")],
        *[(word, word) for word in ("yEs", "tRUE", "oN", "nO", "yy", "t", "f", "Nil", "None", "nULL")],
        *[(word, None) for word in ("", "~", "null", "Null", "NULL")],
        ("0644", 420), ("0o644", 420), ("0O644", 420), ("-0o17", -15), ("644", 644), ("0888", 888.0), ("08", 8.0), ("00", 0),
        ("0x1F", 31), ("-0X1f", -31), ("0b101", 5), ("0B1", 1), ("0b-101", -5), ("0b", "0b"), ("0x", "0x"), ("0xg", "0xg"),
        ("1_000", 1000), ("1__0_", 10), ("0_x1F", 31), ("_1", "_1"), ("-", "-"), ("+", "+"), ("+1", 1), ("-0", 0), ("- 1", "- 1"),
        ("1e3", 1000.0), ("1E+3", 1000.0), ("1e", "1e"), ("1.", 1.0), (".5", 0.5), (".5_0", 0.5), (".", "."), (".5e400", ".5e400"),
        ("1e400", "1e400"), ("1_0.5", 10.5), ("12:30:45", "12:30:45"), ("1.2.3", "1.2.3"), ("2001-01-01", "2001-01-01"),
        ("9223372036854775807", 2**63 - 1), ("18446744073709551615", 2**64 - 1), ("+18446744073709551615", 1.8446744073709552e19),
        ("18446744073709551616", 1.8446744073709552e19), ("-9223372036854775808", -(2**63)),
        ("0x1FFFFFFFFFFFFFFFFF", "0x1FFFFFFFFFFFFFFFFF"),
        ("٣", "٣"), ("1٣", "1٣"),
    ],
)  # fmt: skip
def test_a_plain_scalar_is_what_go_yaml_takes_it_for(text: str, value: Any) -> None:
    found = plain(text)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize("text", [".inf", ".Inf", "+.INF", "-.inf", ".nan", ".NaN"])
def test_infinity_and_nan_are_read_and_have_no_json(text: str) -> None:
    assert not math.isfinite(plain(text))
    with pytest.raises(ScalarError):
        json_number(plain(text))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"),
        (-0.0, "0"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"),
        (1.8446744073709552e19, "18446744073709552000"),
        (0.5, "0.5"),
    ],
)
def test_a_number_is_what_its_json_text_says(value: float, text: str) -> None:
    """Go writes a float under 1e21 without exponent, with zeros behind its shortest digits; that is then an integer."""
    assert repr(json_number(value)) == text


@pytest.mark.parametrize(
    ("tag", "text", "value"),
    [
        ("str", "5", "5"), ("bool", "yes", True), ("int", "0o7", 7), ("float", "1", 1.0), ("null", "", None), ("binary", "aGk=", "hi"),
        ("binary", "/w==", "\ufffd"), ("timestamp", "2001-01-01", "2001-01-01"),
        ("timestamp", "2001-1-1t1:1:1.5+01:00", "2001-1-1t1:1:1.5+01:00"),
        ("set", "5", "5"), ("merge", "5", "5"),
    ],
)  # fmt: skip
def test_a_tag_is_followed(tag: str, text: str, value: Any) -> None:
    found = tagged(TAG + tag, text)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("tag", "text"),
    [
        ("int", "1.5"), ("int", "x"), ("bool", "1"), ("null", "x"), ("float", "x"), ("float", "18446744073709551615"), ("binary", "a"),
        ("binary", "AA=A"), ("timestamp", "2001-02-30"), ("timestamp", "2001-01-01T00:00:00"), ("timestamp", "2001-01-01 00:00:00Z"),
        ("timestamp", "5"),
    ],
)  # fmt: skip
def test_a_text_that_is_not_of_its_tag_is_refused(tag: str, text: str) -> None:
    with pytest.raises(ScalarError):
        tagged(TAG + tag, text)


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("a", "a"), (True, "true"), (False, "false"), (16, "16"), (1.0, "1"), (1.5, "1.5"), (1e6, "1e+06"), (0.0001, "0.0001"),
        (1e-5, "1e-05"),
        (1.23456789, "1.2345679"), (16777217.0, "1.6777216e+07"), (1e39, ".inf"), (float("nan"), ".nan"), (float("-inf"), "-.inf"),
        (-0.0, "-0"),
    ],
)  # fmt: skip
def test_a_key_is_spelt_as_sigs_yaml_spells_it(key: Any, text: str) -> None:
    """A float key is written with the precision of 32 bits."""
    assert key_text(key) == text


@pytest.mark.parametrize("key", [None, 2**63])
def test_some_keys_are_refused(key: Any) -> None:
    with pytest.raises(ScalarError):
        key_text(key)


@pytest.mark.parametrize("text", ["9" * 5000, "-" + "9" * 5000, "9_" * 3000 + "9"], ids=["digits", "sign", "underscores"])
def test_integers_longer_than_python_reads_are_texts(text: str) -> None:
    """As a float they overflow, which go-yaml leaves a string; Python refuses to read more than 4,300 digits."""
    assert plain(text) == text


def test_integers_over_64_bits_are_floats() -> None:
    assert plain("9" * 300) == float("9" * 300)
    assert plain("18446744073709551615") == 2**64 - 1
    assert plain("0" * 5000) == 0
