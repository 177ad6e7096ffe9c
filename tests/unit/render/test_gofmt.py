from __future__ import annotations

from typing import Any

import pytest

from crossgate.render.faults import Fault
from crossgate.render.gofmt import Format, sprintf, text_of


@pytest.mark.parametrize(
    ("form", "arguments", "answer"),
    [
        pytest.param("%d", [3.0], "%!d(float64=3)", id="numbers are floats"),
        pytest.param("%d", [3], "3", id="but an int64 after a convert"),
        pytest.param("%s", [True], "%!s(bool=true)", id="bool"),
        pytest.param("%s", [None], "%!s(<nil>)", id="null"),
        pytest.param("%v", [None], "<nil>", id="null with v"),
        pytest.param("%v", [{"b": 1.0, "a": ["x", None]}], "map[a:[x <nil>] b:1]", id="keys are sorted"),
        pytest.param("%#v", [{"a": ["x", None]}], 'map[string]interface {}{"a":[]interface {}{"x", interface {}(nil)}}', id="Go syntax"),
        pytest.param("%s-%s", ["a"], "a-%!s(MISSING)", id="too few"),
        pytest.param("%s", ["a", 1.5, None], "a%!(EXTRA float64=1.5, <nil>)", id="too many"),
        pytest.param("%[2]s %[1]s", ["a", "b"], "b a", id="argument indexes, no complaint about the rest"),
        pytest.param("%[3]s", ["a"], "%!s(BADINDEX)", id="no such argument"),
        pytest.param("%*d", [5, 42], "   42", id="width from an int64"),
        pytest.param("%*d", [5.0, 42], "%!(BADWIDTH)42", id="but not from a float"),
        pytest.param("%", [], "%!(NOVERB)", id="nothing after the sign"),
        pytest.param("%!", ["x"], "%!!(string=x)", id="no such verb"),
        pytest.param("100%%", [], "100%", id="a percent sign"),
        pytest.param("%6.2f|%-6s|%06d", [3.14159, "ab", 42], "  3.14|ab    |000042", id="widths"),
        pytest.param("%x %X %#x", ["hi", "hi", "hi"], "6869 6869 0x6869", id="hexadecimal strings"),
        pytest.param("%+q %q %#q", ["é", "a\n", "a"], '"\\u00e9" "a\\n" `a`', id="quotes"),
        pytest.param("%e %g %G %b", [1e21, 1e-7, 1e21, 1.0], "1.000000e+21 1e-07 1E+21 4503599627370496p-52", id="floats"),
        pytest.param("%v %v", [1e20, 1e21], "1e+20 1e+21", id="v goes to exponents at 1e21"),
        pytest.param("%c %U %#U %q", [65, 9731, 9731, 9731], "A U+2603 U+2603 '☃' '☃'", id="code points"),
        pytest.param("%T %T %T", [1.0, [], {}], "float64 []interface {} map[string]interface {}", id="types"),
        pytest.param("%.2s|%5t", ["☃☃☃", True], "☃☃| true", id="precision counts runes"),
    ],
)
def test_prints_what_go_prints(form: str, arguments: list[Any], answer: str) -> None:
    assert sprintf(form, arguments) == answer
    assert Format(form)(arguments) == answer


def test_an_address_is_refused() -> None:
    """It would differ on every reconciliation."""
    with pytest.raises(Fault, match="memory address"):
        sprintf("%p", [{}])


def test_text_is_that_of_v() -> None:
    assert text_of("x") == "x"
    assert text_of([1.0, True]) == "[1 true]"
