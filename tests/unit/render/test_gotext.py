from __future__ import annotations

import pytest

from crossgate.render.faults import Fault
from crossgate.render.gotext import decode_base64, lower, upper
from crossgate.render.regexps import compile_regexp


def test_one_letter_stays_one_letter() -> None:
    """Python makes two of the sharp s and knows the final sigma."""
    assert upper("straße ŉ ᾳ ﬁ") == "STRAßE ŉ ᾼ ﬁ"
    assert lower("İΣ ΑΣ") == "iσ ασ"
    assert upper("a\udcff") == "A\ufffd"


@pytest.mark.parametrize("source", [b"a", b"YQ", b"YQ=", b"YQ==x", b"Y!==", b"YQ= =", b"===="])
def test_base64_must_be_padded_and_clean(source: bytes) -> None:
    with pytest.raises(Fault, match="base64"):
        decode_base64(source)


def test_base64_may_be_wrapped() -> None:
    assert decode_base64(b"YWJj\r\nZGVm\n") == "abcdef"
    assert decode_base64(b"/w==") == "\udcff"


def test_expressions_are_leftmost_first_and_on_bytes() -> None:
    assert compile_regexp("(a|ab)(c)?").groups("abc") == ["a", "a", ""]
    assert compile_regexp("é+").groups("caféé") == ["éé"]
    assert compile_regexp("x").groups("y") == []
    assert compile_regexp("(?P<n>[0-9]+)").matches("a1")


@pytest.mark.parametrize("pattern", ["(?=a)", "(a)\\1", "[", "a**", "a{1001}", "\\C", "(?<n>"])
def test_expressions_of_other_dialects_are_refused(pattern: str) -> None:
    with pytest.raises(Fault, match="error parsing regexp"):
        compile_regexp(pattern)
