"""Rego tests on the opa program, beside the embedded engine."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from crossgate.cli.policy import command
from crossgate.errors import PolicyError
from crossgate.policy.opa.program import differences, run_tests_on_opa
from crossgate.policy.testing import TestOutcome

TESTS = "package a_test\n\nimport rego.v1\n\ntest_passes if data.a.x == 1\n\ntest_fails if data.a.x == 2\n\ntodo_test_later if false\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.rego").write_text("package a\n\nimport rego.v1\n\nx := 1\n\ndeny contains 1 if input.a\n")
    (tmp_path / "a_test.rego").write_text(TESTS)
    return tmp_path


def outcome(name: str, problem: str = "") -> TestOutcome:
    return TestOutcome(name, "a_test.rego", 5, problem, 0.0)


@pytest.mark.tools
def test_tests_end_as_on_the_embedded_engine(tool, folder):
    found = run_tests_on_opa(tool("opa"), [folder])
    assert [(each.name, each.line, each.problem) for each in found] == [
        ("a_test.test_passes", 5, ""),
        ("a_test.test_fails", 7, "it is not true"),
    ]
    assert [each.name for each in run_tests_on_opa(tool("opa"), [folder], "a_test.test_p")] == ["a_test.test_passes"]


@pytest.mark.tools
def test_a_policy_that_opa_does_not_compile_is_an_error(tool, folder):
    """An answer without tests would look like none that failed."""
    (folder / "b.rego").write_text("package b\n\nx if nobody(1)\n")
    with pytest.raises(PolicyError, match="undefined function nobody"):
        run_tests_on_opa(tool("opa"), [folder])


@pytest.mark.tools
def test_the_command_fails_where_the_engines_differ(tool, folder, monkeypatch):
    """An empty alternative in a glob is one of the few things that the two read differently (docs/policies.md)."""
    monkeypatch.setenv("PATH", str(Path(tool("opa")).parent))
    glob = 'test_glob if {\n\tglob.match(concat("", ["{a,", "}"]), [], "")\n}\n'
    (folder / "a_test.rego").write_text(f"package a_test\n\nimport rego.v1\n\n{glob}")
    result = CliRunner().invoke(command, ["test", "--policy", str(folder)])
    assert result.exit_code == 1
    assert "embedded: 0 of 1 tests passed" in result.output
    assert "opa: 1 of 1 tests passed" in result.output
    assert "a_test.rego:5 a_test.test_glob: embedded fails it (it is not true), opa passes it" in result.output
    (folder / "a_test.rego").write_text(TESTS)
    result = CliRunner().invoke(command, ["test", "--policy", str(folder)])
    assert result.exit_code == 1
    assert "embedded: 1 of 2 tests passed" in result.output
    assert "opa: 1 of 2 tests passed" in result.output
    assert "DIFFERENT" not in result.output


def test_what_one_engine_passes_and_the_other_does_not_is_different():
    here = [outcome("a"), outcome("b", "it is not true"), outcome("c"), outcome("d", "x")]
    there = [outcome("a"), outcome("b"), outcome("d", "y"), outcome("e")]
    assert differences(here, there) == [
        "a_test.rego:5 b: embedded fails it (it is not true), opa passes it",
        "a_test.rego:5 c: embedded passes it, opa does not know it",
        "a_test.rego:5 e: embedded does not know it, opa passes it",
    ]
