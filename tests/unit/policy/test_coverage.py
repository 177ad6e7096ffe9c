"""Which lines of rules the Rego tests reach."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from crossgate.cli.policy import command
from crossgate.policy.bundle import read_bundle
from crossgate.policy.coverage import coverage, declare, lines_of
from crossgate.policy.embedded import load_engine

POLICIES = Path(__file__).parents[3] / "policies"
RULE = """package a

import rego.v1

deny contains "x" if {
	input.a
	input.b
}

f(x) := 1 if x == 1

f(x) := 2 if {
	x == 2
}

deny contains "y" if input.c
"""
NEVER = 'package b\n\nimport rego.v1\n\ndeny contains "z" if {\n\tinput.a\n\tinput.b\n}\n'
TESTS = """package a_test

import rego.v1

test_a if count(data.a.deny) == 0 with input as {"a": 1}

test_b if data.a.f(1) == 1
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.rego").write_text(RULE)
    (tmp_path / "b.rego").write_text(NEVER)
    (tmp_path / "a_test.rego").write_text(TESTS)
    return tmp_path


def run(*args: object) -> tuple[int, str]:
    result = CliRunner().invoke(command, ["coverage", *map(str, args)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


def test_lines_are_covered_that_a_test_makes_the_engine_evaluate(folder):
    first = coverage(read_bundle([folder], tests=True)).files[0]
    assert (first.covered, first.missed) == ((6, 7, 10, 13, 16), (5, 12))


def test_a_file_that_no_test_meets_is_not_covered_at_all(folder):
    """The engine's report leaves it out; a rule without a test would count as covered whole."""
    second = coverage(read_bundle([folder], tests=True)).files[1]
    assert (second.covered, second.missed, second.percent) == ((), (5, 6, 7), 0)


def test_tests_are_not_counted(folder):
    found = coverage(read_bundle([folder], tests=True))
    assert [Path(file.file).name for file in found.files] == ["a.rego", "b.rego"]
    assert (len(found.total.covered), len(found.total.missed)) == (5, 5)


def test_the_least_covered_rule_decides(folder):
    """A rule without tests must not hide behind the others."""
    (folder / "b.rego").unlink()
    assert run("--policy", folder, "--fail-under", "71")[0] == 0
    code, text = run("--policy", folder, "--fail-under", "72")
    assert code == 1
    assert "71.4 %  not reached: 5, 12" in text
    assert "1 under 72 %" in text


def test_a_test_that_fails_fails_the_run(folder):
    (folder / "a_test.rego").write_text(TESTS + "\ntest_c if data.a.f(1) == 2\n")
    code, text = run("--policy", folder, "--fail-under", "0")
    assert code == 1
    assert "a_test.rego:9 a_test.test_c: it is not true" in text


def test_lcov_has_a_record_for_each_file(folder):
    _, text = run("--policy", folder, "-o", "lcov")
    records = text.split("end_of_record\n")
    assert records[0].splitlines() == [
        "TN:",
        f"SF:{folder / 'a.rego'}",
        *("DA:5,0", "DA:6,1", "DA:7,1", "DA:10,1", "DA:12,0", "DA:13,1", "DA:16,1"),
        *("LF:7", "LH:5"),
    ]
    assert len(records) == 3


def test_json_says_it_by_rule(folder):
    _, text = run("--policy", folder, "-o", "json")
    body = json.loads(text)
    assert body["tests"] == {"run": 2, "failed": 0}
    assert body["total"] == {"lines": 10, "covered": 5, "percent": 50.0}
    assert body["rules"][1] == {
        "rule": str(folder / "b.rego"),
        "file": str(folder / "b.rego"),
        "lines": 3,
        "covered": 0,
        "percent": 0.0,
        "missed": [5, 6, 7],
    }


def test_our_own_rules_are_covered():
    found = coverage(read_bundle([POLICIES], tests=True))
    assert {file.name: file.missed for file in found.files if file.percent < 95} == {}
    assert found.total.lines > 1000


@pytest.mark.tools
def test_opa_counts_the_same_lines_but_for_heads(tool):
    """What we call covered and OPA does not is a head that stands on the line of its body, a body that OPA's index passes over, or what
    rules declare: no test asks for that."""
    bundle = read_bundle([POLICIES], tests=True)
    loading = load_engine(bundle, tests=True)
    loading.set_enable_coverage(True)
    declare(loading, bundle)
    declared = {name: covered for name, (covered, _) in lines_of(loading).items()}
    answer = subprocess.run([tool("opa"), "test", "--coverage", str(POLICIES)], capture_output=True, text=True, check=True)
    theirs = json.loads(answer.stdout)["files"]
    for file in coverage(bundle).files:
        there = theirs.get(str(Path(file.file).absolute())) or theirs.get(file.file) or {}
        reached = {line for part in there.get("covered", ()) for line in range(part["start"]["row"], part["end"]["row"] + 1)}
        assert set(file.missed) & reached == set(), file.file
        excluded = {
            line for part in there.get("not_covered", ()) if "kinds" in part for line in range(part["start"]["row"], part["end"]["row"] + 1)
        }
        assert set(file.covered) - reached - set(declared.get(file.file, ())) <= excluded, file.file
