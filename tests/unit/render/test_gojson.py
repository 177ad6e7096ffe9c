from __future__ import annotations

import datetime
import math
from collections import OrderedDict
from typing import Any

import pytest

from crossgate.render.faults import Fault
from crossgate.render.gojson import NilArray, NilObject, clone, floats, objects, output, text, wire
from crossgate.render.jsontext import marshal, unmarshal


def test_on_the_wire_every_number_is_a_float() -> None:
    found = wire({"a": 1, "b": [True, None, 2.5]}, [])
    assert found == {"a": 1.0, "b": [True, None, 2.5]}
    assert isinstance(found["a"], float)
    assert found["b"][0] is True


def test_large_numbers_are_noted() -> None:
    large: list[bool] = []
    wire({"a": 2**53 - 1}, large)
    assert not large
    wire({"a": 2**53}, large)
    assert large


def test_what_json_cannot_hold_is_refused() -> None:
    for value in (math.nan, math.inf, 10**400, {1: 2}, {None: 1}, datetime.date(2024, 1, 1), {1, 2}, b"x"):
        with pytest.raises(Fault):
            wire(value, [])


def test_the_types_of_yaml_readers_are_taken() -> None:
    class Text(str):
        __slots__ = ()

    class Number(int):
        pass

    found = wire(OrderedDict(a=(Text("x"), Number(3))), [])
    assert found == {"a": ["x", 3.0]}
    assert type(found) is dict
    assert type(found["a"][0]) is str


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        (3.0, 3),
        (-0.0, 0),
        (2.5, 2.5),
        (1e20, 1e20),
        (float(2**62), 4611686018427388000),
        (float(2**63), float(2**63)),
        (-float(2**63), -float(2**63)),
    ],
)
def test_kubernetes_reads_integers_where_the_text_is_one(value: float, answer: float) -> None:
    """The text is the shortest one padded with zeros, so 2**62 comes back as another integer."""
    found = objects(value)
    assert found == answer
    assert type(found) is type(answer)


def test_nil_is_null_when_written() -> None:
    assert objects({"a": NilArray(), "b": NilObject()}) == {"a": None, "b": None}
    assert marshal([NilArray(), NilObject()]) == "[null,null]"


def test_the_last_reader_takes_integers_up_to_64_bits_without_a_sign() -> None:
    assert output(2**63) == 9223372036854776000
    assert output(2**53 + 1) == 2**53
    assert isinstance(output(1e20), float)
    assert floats({"a": [1]}) == {"a": [1.0]}


def test_broken_unicode_becomes_the_replacement_character() -> None:
    assert text("a\ud800b") == "a\ufffdb"
    assert wire({"k\udfff": "\ud83d"}, []) == {"k\ufffd": "\ufffd"}
    assert objects("\udcff") == "\ufffd"


def test_halves_that_come_together_are_one_character() -> None:
    """Two byte strings may each end within a character of UTF-8."""
    assert text("\udcc3\udca9") == "é"


def test_clones_share_nothing() -> None:
    value = {"a": [{"b": 1}]}
    copied = clone(value)
    copied["a"][0]["b"] = 2
    assert value == {"a": [{"b": 1}]}


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        ({"b": 1.0, "a": [None, True]}, '{"a":[null,true],"b":1}'),
        ("<a&b>\u2028\x00\n", '"\\u003ca\\u0026b\\u003e\\u2028\\u0000\\n"'),
        ([1e21, 1e-7, 1e-6, 1e20, 0.1, -0.0], "[1e+21,1e-7,0.000001,100000000000000000000,0.1,-0]"),
        ("\udcff", '"\\ufffd"'),
    ],
)
def test_writes_json_as_go_does(value: Any, answer: str) -> None:
    assert marshal(value) == answer


@pytest.mark.parametrize("source", ["", "{", "NaN", "[1,]", "1e400", "01", '"\t"', "{} x", "[" * 100_000])
def test_refuses_json_that_go_refuses(source: str) -> None:
    with pytest.raises(Fault, match="invalid JSON"):
        unmarshal(source)


def test_reads_json_as_go_does() -> None:
    assert unmarshal('{"a": 12345678901234567890, "b": "\\ud800"}') == {"a": 1.2345678901234567e19, "b": "\ufffd"}
