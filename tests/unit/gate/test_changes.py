from __future__ import annotations

import pytest

from crossgate.gate.changes import _section


@pytest.mark.parametrize("text", [b"a = " + b"[" * 50_000, b"a = " + b"1" * 5000, b"\xff", b"not toml", b"tool = 1"], ids=range(5))
def test_settings_that_cannot_be_read_are_other_settings(text: bytes) -> None:
    """The pyproject.toml of a pull request may hold anything: it must not end the check of it."""
    assert _section(text) != _section(b"")
    assert _section(text) == _section(text)
