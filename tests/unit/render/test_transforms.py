"""One chain of transforms a row; the values are those that Go's function gives (see conformance/test_go_answers.py for many more)."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from crossgate.render.faults import Fault
from crossgate.render.transforms import compile_chain


def run(value: Any, *transforms: dict[str, Any]) -> Any:
    chain = compile_chain(transforms)
    assert chain is not None
    return chain(value)


def math(kind: str, operand: int) -> dict[str, Any]:
    return {"type": "math", "math": {"type": kind, kind[0].lower() + kind[1:]: operand}}


def string(kind: str, **given: Any) -> dict[str, Any]:
    return {"type": "string", "string": {"type": kind, **given}}


def convert(to: str, form: str = "none") -> dict[str, Any]:
    return {"type": "convert", "convert": {"toType": to, "format": form}}


def match(*patterns: dict[str, Any], **given: Any) -> dict[str, Any]:
    return {"type": "match", "match": {"patterns": list(patterns), **given}}


def test_nothing_to_do_is_no_chain() -> None:
    assert compile_chain(()) is None


@pytest.mark.parametrize(
    ("value", "transform", "answer"),
    [
        pytest.param(2.5, math("Multiply", 3), 7.5, id="floats stay floats"),
        pytest.param(2**62, math("Multiply", 4), 0, id="an int64 overflows"),
        pytest.param(10.9, math("ClampMax", 10), 10.9, id="a clamp looks at the whole part only"),
        pytest.param(11.5, math("ClampMax", 10), 10, id="and gives an int64"),
        pytest.param(-0.5, math("ClampMin", 0), -0.5, id="below zero, but its whole part is not"),
        pytest.param(1e300, math("ClampMin", 0), 0, id="what does not fit an int64 is the lowest one"),
        pytest.param("t4", {"type": "map", "map": {"t4": {"n": 1}}}, {"n": 1.0}, id="map to any value"),
        pytest.param("abc", match({"type": "literal", "literal": "abc", "result": 1}), 1.0, id="match literal"),
        pytest.param("abc", match({"type": "regexp", "regexp": "b", "result": True}), True, id="match anywhere"),
        pytest.param("x", match({"type": "literal", "literal": "y", "result": 1}), None, id="no match gives null"),
        pytest.param("x", match({"type": "literal", "literal": "y", "result": 1}, fallbackValue="z"), "z", id="fallback value"),
        pytest.param("x", match({"type": "literal", "literal": "y", "result": 1}, fallbackTo="Input"), "x", id="fallback to the input"),
        pytest.param(3.0, string("Format", fmt="%d"), "%!d(float64=3)", id="format"),
        pytest.param("ß", string("Convert", convert="ToUpper"), "ß", id="upper case by rune"),
        pytest.param(1e21, string("Convert", convert="ToJson"), "1e+21", id="JSON"),
        pytest.param([1.0], string("Convert", convert="ToBase64"), "WzFd", id="base64 of the text"),
        pytest.param("aGk=", string("Convert", convert="FromBase64"), "hi", id="from base64"),
        pytest.param("x", string("Convert", convert="ToAdler32"), "7929977", id="checksum"),
        pytest.param("x", string("Convert", convert="ToSha256"), hashlib.sha256(b"x").hexdigest(), id="hash of the string itself"),
        pytest.param(1.0, string("Convert", convert="ToSha1"), hashlib.sha1(b"1").hexdigest(), id="hash of the JSON of anything else"),
        pytest.param("aab", string("TrimPrefix", trim="a"), "ab", id="one prefix"),
        pytest.param(True, string("TrimSuffix", trim="e"), "tru", id="of the text of a value"),
        pytest.param("v1.2", string("Regexp", regexp={"match": "(\\d)\\.(\\d)", "group": 2}), "2", id="group"),
        pytest.param(["a", 1.0, None], string("Join", join={"separator": ","}), "a,1,<nil>", id="join"),
        pytest.param(["a", "b"], string("Join", join={"separator": ", "}), "a, b,", id="only one byte is cut off the end"),
        pytest.param(["a"], string("Join", join={"separator": "é"}), "a\udcc3", id="even within a character"),
        pytest.param([], string("Join", join={"separator": ","}), "", id="join nothing"),
        pytest.param("aXa", string("Replace", replace={"search": "a", "replace": "b"}), "bXb", id="replace"),
        pytest.param(3.0, convert("string"), "3", id="float to string"),
        pytest.param(1e21, convert("string"), "1000000000000000000000", id="without an exponent"),
        pytest.param(2.9, convert("int"), 2, id="int is int64"),
        pytest.param(1.5, convert("bool"), False, id="only one is true"),
        pytest.param("T", convert("bool"), True, id="bool"),
        pytest.param("+7", convert("int64"), 7, id="signs"),
        pytest.param("1.5Gi", convert("float64", "quantity"), 1610612736.0, id="quantity"),
        pytest.param('{"a":1}', convert("object", "json"), {"a": 1.0}, id="JSON object"),
        pytest.param("[1]", convert("array", "json"), [1.0], id="JSON array"),
        pytest.param("x", convert("string", "json"), "x", id="the same type needs no conversion"),
        pytest.param(True, convert("int64"), 1, id="bool to int64"),
    ],
)
def test_gives_what_the_function_gives(value: Any, transform: dict[str, Any], answer: Any) -> None:
    found = run(value, transform)
    assert found == answer
    assert type(found) is type(answer)


def test_an_int64_of_a_convert_can_be_formatted() -> None:
    assert run(3.0, convert("int64"), string("Format", fmt="n=%d")) == "n=3"


@pytest.mark.parametrize(
    ("value", "transform", "says"),
    [
        ("3", math("Multiply", 2), "required to be a number"),
        (3.0, {"type": "map", "map": {"3": 1}}, "type float64 is not supported for map"),
        ("x", {"type": "map", "map": {"y": 1}}, "key x is not found in map"),
        ("x", {"type": "map", "map": {"x": None}}, "not valid JSON"),
        ("x", match({"literal": "x", "result": 1}), "unsupported pattern type ''"),
        (3.0, match({"type": "literal", "literal": "x", "result": 1}), "unsupported input type 'float64'"),
        ("x", match({"type": "literal", "literal": "y"}, fallbackTo="Input", fallbackValue=1), "cannot set both"),
        ("a$", string("Convert", convert="FromBase64"), "not valid base64"),
        ("x", string("Regexp", regexp={"match": "y"}), "no matches for group 0"),
        ("x", string("Regexp", regexp={"match": "x", "group": 1}), "no matches for group 1"),
        ("x", string("Regexp", regexp={"match": "x", "group": -1}), "crashes"),
        ("text", string("Join", join={"separator": ","}), "could not parse input array"),
        ([1.0], convert("string"), r"invalid input type \[\]interface"),
        (None, convert("string"), "invalid input type <nil>"),
        ("x", convert("object"), "conversion from string to object is not supported with format none"),
        ("1_000", convert("int64"), "invalid syntax"),
        ("9223372036854775808", convert("int64"), "out of range"),
        ("yes", convert("bool"), "invalid syntax"),
        ("[1]", convert("object", "json"), "cannot unmarshal array"),
    ],
)
def test_fails_where_the_function_fails(value: Any, transform: dict[str, Any], says: str) -> None:
    with pytest.raises(Fault, match=says) as raised:
        run(value, transform)
    assert raised.value.what.startswith("transform at index 0 returned error")
    assert raised.value.place == ("transforms", 0)


@pytest.mark.parametrize(
    "transform",
    [
        {"type": "nope"},
        {"type": "math"},
        {"type": "math", "math": {"type": "Divide"}},
        {"type": "string", "string": {"type": "Format"}},
        {"type": "string", "string": {"type": "Shout"}},
        {"type": "string", "string": {"type": "Convert", "convert": "ToRot13"}},
        {"type": "convert", "convert": {"toType": "int32"}},
    ],
)
def test_what_validation_did_not_see_fails_when_it_runs(transform: dict[str, Any]) -> None:
    """Validation leaves out the transforms of combine patches: compiling them must not fail."""
    chain = compile_chain([transform])
    assert chain is not None
    with pytest.raises(Fault):
        chain("x")
