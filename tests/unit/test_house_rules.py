"""The rules of the house that no linter knows."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

LIMIT = 400


def tracked(root: Path, *patterns: str) -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z", *patterns], cwd=root, capture_output=True, text=True, check=True).stdout
    return [root / name for name in listed.split("\0") if name and (root / name).is_file()]


def test_no_file_is_over_the_limit_without_a_reason(root: Path) -> None:
    """One concept a file: a longer one says why in its docstring ("this file is long because …")."""
    for path in tracked(root, "*.py", "*.rego"):
        text = path.read_text(encoding="utf-8")
        if text.count("\n") > LIMIT:
            assert "long because" in text[:1500], f"{path.relative_to(root)} has {text.count(chr(10))} lines and gives no reason"


def test_constructs_is_a_source_root_and_not_a_package(root: Path) -> None:
    """With an __init__.py it would shadow the PyPI package `constructs`, and cdk8s would no longer import."""
    assert not (root / "constructs" / "__init__.py").exists()


def test_pins_carry_hashes_and_no_addresses(root: Path) -> None:
    """Where packages come from is the business of who installs them."""
    text = (root / "constraints" / "dev.txt").read_text(encoding="utf-8")
    assert "://" not in text
    assert "--index-url" not in text
    assert "--find-links" not in text
    pins = re.findall(r"^[a-z0-9][a-z0-9._-]*==\S+ \\\n    --hash=sha256:", text, re.MULTILINE)
    assert len(pins) == len(re.findall(r"^[a-z0-9][^\n]*==", text, re.MULTILINE)) > 40


@pytest.mark.parametrize("pattern", ["/root/", "/work/", "/tmp/w/"])
def test_no_path_of_a_machine_is_written_down(root: Path, pattern: str) -> None:
    """What is committed must work wherever it is cloned."""
    for path in tracked(root, "*.py", "*.md", "*.toml", "*.yml", "*.yaml", "*.sh", "Makefile", ".ci/run"):
        if path.name != Path(__file__).name:
            assert pattern not in path.read_text(encoding="utf-8"), path.relative_to(root)
