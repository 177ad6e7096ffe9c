from __future__ import annotations

import math

import pytest

from crossgate.render.faults import Fault
from crossgate.render.gofloat import format_float, parse_float


@pytest.mark.parametrize(
    ("value", "verb", "precision", "answer"),
    [
        (9007199254740993.0, "f", -1, "9007199254740992"),
        (1e21, "f", -1, "1000000000000000000000"),
        (1e-7, "f", -1, "0.0000001"),
        (0.1, "g", -1, "0.1"),
        (100000.0, "g", 3, "1e+05"),
        (123.456, "g", 4, "123.5"),
        (-0.0, "g", -1, "-0"),
        (2.5, "x", -1, "0x1.4p+01"),
        (1.999, "X", 1, "0X1.0P+01"),
        (5e-324, "b", -1, "1p-1074"),
        (math.inf, "f", 2, "+Inf"),
        (-math.inf, "g", -1, "-Inf"),
        (math.nan, "f", -1, "NaN"),
    ],
)
def test_writes_as_strconv_does(value: float, verb: str, precision: int, answer: str) -> None:
    assert format_float(value, verb, precision) == answer


@pytest.mark.parametrize(
    ("source", "value"),
    [("1e3", 1000.0), (".5", 0.5), ("5.", 5.0), ("+1_000", 1000.0), ("0x1p-2", 0.25), ("Inf", math.inf), ("-infinity", -math.inf)],
)
def test_reads_as_strconv_does(source: str, value: float) -> None:
    assert parse_float(source) == value


@pytest.mark.parametrize("source", ["", " 1", "1e", "0x1", "1__0", "_1", "1e400", "१"])
def test_refuses_what_strconv_refuses(source: str) -> None:
    """Python takes spaces, other scripts' digits and infinity for an overflow."""
    with pytest.raises(Fault):
        parse_float(source)


def test_nan_is_read() -> None:
    assert math.isnan(parse_float("nan"))
