"""Data files of a bundle may come from elsewhere: none may hold a check up, end it with a fault, or be read otherwise than by OPA."""

from __future__ import annotations

import pytest

from crossgate.errors import PolicyError
from crossgate.policy.values import values_of

BOMB = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join([f'*{before}'] * 10)}]\n" for before, name in zip("abcdefghi", "bcdefghij", strict=True)
)


@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        ("data.yaml", BOMB, "aliases"),
        ("data.yaml", "a: &a [*a]", "contains itself"),
        ("data.yaml", "a: " + "[" * 50_000, "nested"),
        ("data.yaml", "{a: " * 130 + "1" + "}" * 130, "nested"),
        ("data.json", '{"a":' * 130 + "1" + "}" * 130, "nested"),
        ("data.json", '{"a":' * 50_000, "nested"),
        ("data.yaml", "? [x]\n: 1", "cannot be a key"),
        ("data.yaml", "a: .inf", "infinity"),
        ("data.json", '{"a": NaN}', "NaN is no number"),
        ("data.json", '{"a": 1e999}', "1e999 is no number"),
        ("data.json", '{"a": ' + "1" * 5000 + "}", "cannot read"),
        ("data.yaml", "a: 1\n---\nb: 2", "several documents"),
        ("data.yaml", "", "is not an object"),
        ("data.json", "[1]", "is not an object"),
        ("data.yaml", "a: [", "cannot read"),
        ("data.yaml", b"a: \xff", "cannot read"),
    ],
    ids=range(16),
)
def test_what_no_rule_can_work_with_is_refused(name, text, what):
    with pytest.raises(PolicyError, match=what) as refused:
        values_of(text, name)
    assert name in refused.value.where
    assert refused.value.hint


def test_yaml_is_read_as_opa_reads_it():
    """A time is a text, ``yes`` is true, a number that is a key is a text: PyYAML alone has another opinion on each."""
    text = "a: 2020-01-01\n1: 0x1F\nb: yes\nc: &c {d: 1}\ne: *c"
    assert values_of(text, "data.yaml") == {"a": "2020-01-01", "1": 31, "b": True, "c": {"d": 1}, "e": {"d": 1}}
