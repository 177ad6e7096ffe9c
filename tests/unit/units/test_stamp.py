"""What verdicts are kept under: the program itself is a part of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import crossgate
from crossgate.units.stamp import tool


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "rules.py").write_text("LIMIT = 1\n")
    monkeypatch.setattr(crossgate, "__file__", str(tmp_path / "__init__.py"))
    return tmp_path


def test_another_installation_of_the_same_program_is_the_same(program: Path) -> None:
    """Each job of a CI system installs it anew: with the files' times in the digest no job would find what another has kept."""
    before = tool.__wrapped__()
    os.utime(program / "rules.py", (1, 1))
    assert tool.__wrapped__() == before


def test_a_program_that_was_edited_is_another(program: Path) -> None:
    """As long as it was, and at the same time: neither tells."""
    before, times = tool.__wrapped__(), (program / "rules.py").stat()
    (program / "rules.py").write_text("LIMIT = 2\n")
    os.utime(program / "rules.py", ns=(times.st_atime_ns, times.st_mtime_ns))
    assert tool.__wrapped__() != before


def test_another_version_of_an_engine_is_another_program(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = tool.__wrapped__()
    (program / "gordon_to_regorus-99.0.dist-info").mkdir()
    monkeypatch.syspath_prepend(str(program))
    assert tool.__wrapped__() != before
