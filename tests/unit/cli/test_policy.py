from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from crossgate.cli.policy import command
from crossgate.errors import PolicyError, UsageError

POLICIES = Path(__file__).parents[3] / "policies"


@pytest.fixture
def run(monkeypatch):
    monkeypatch.chdir(POLICIES.parent)
    monkeypatch.setenv("CROSSGATE_TOOLS", "/nowhere")
    monkeypatch.setenv("PATH", "/nowhere")

    def invoke(*args):
        result = CliRunner().invoke(command, list(map(str, args)))
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return invoke


def test_list_shows_every_rule_with_severity_and_title(run):
    assert re.search(r"^network/open-cidr +error +No network is the whole Internet$", run("list").output, re.MULTILINE)


def test_list_as_json_has_the_reason_codes(run):
    rules = {rule["id"]: rule for rule in json.loads(run("list", "-o", "json").output)}
    assert rules["network/open-cidr"]["reason"] == "OPEN_CIDR"


def test_explain_shows_the_page(run):
    """In the columns of the terminal: the same words."""
    assert run("explain", "secret/placeholder").output.split() == (POLICIES / "secret/placeholder/README.md").read_text().split()


@pytest.mark.parametrize("rule", ["crossplane/native-patch-mode", "crossplane/ambiguous-composition"])
def test_rules_judged_while_rendering_have_a_page_and_are_listed(run, rule):
    """Somebody who meets their findings looks there, whatever they are judged with."""
    assert run("explain", rule).output.startswith(f"# {rule}\n")
    assert rule in run("list").output.partition("Judged without Rego: ")[2]


def test_explain_of_a_rule_without_page_shows_its_metadata(run, tmp_path):
    (tmp_path / "a.rego").write_text("# METADATA\n# title: A title\npackage main\n\nimport rego.v1\n\ndeny contains 1\n")
    assert run("explain", "main/deny", "--policy", tmp_path).output == "# main/deny\n\nA title\n\n"


def test_explain_of_a_rule_with_a_typo_says_which_was_meant(run):
    with pytest.raises(UsageError) as raised:
        run("explain", "storage/versione")
    assert raised.value.hint == "did you mean storage/versioned?"


def test_tests_are_chosen_by_the_name_of_their_rule(run):
    """As list, explain and every finding write it: with a slash and dashes, which no package of Rego has."""
    assert re.search(r"^embedded: (\d+) of \1 tests passed$", run("test", "gpu/allowed-type").output, re.MULTILINE)
    with pytest.raises(UsageError, match="no test has"):
        run("test", "gpu/nothing")


def test_explain_of_no_rule_says_how_to_find_one(run):
    with pytest.raises(UsageError, match="no rule 'nope/nope'"):
        run("explain", "nope/nope")


def test_a_new_rule_compiles_and_passes_its_own_tests(run, tmp_path):
    run("new", "storage/my-rule", "--policy", tmp_path)
    result = run("test", "--policy", tmp_path)
    assert result.exit_code == 0
    assert "embedded: 3 of 3 tests passed" in result.output
    assert "storage/my-rule" in run("list", "--policy", tmp_path).output


@pytest.mark.parametrize("name", ["storage", "Storage/x", "storage/x_y", "../x/y", "a/b/c"])
def test_a_name_that_is_none_is_refused(run, tmp_path, name):
    with pytest.raises(UsageError, match="no name for a rule"):
        run("new", name, "--policy", tmp_path)


def test_a_rule_that_exists_is_not_written_over(run, tmp_path):
    run("new", "a/b", "--policy", tmp_path)
    with pytest.raises(UsageError, match="exists"):
        run("new", "a/b", "--policy", tmp_path)


def test_a_test_that_fails_or_cannot_be_evaluated_fails_the_run(run, tmp_path):
    run("new", "a/b", "--policy", tmp_path)
    (tmp_path / "a/b/more_test.rego").write_text(
        "package more_test\n\nimport rego.v1\n\ntest_false if 1 == 2\n\ntest_error if 1 / 0 == 1\n\ntest_true if true\n"
    )
    result = run("test", "more_test", "--policy", tmp_path)
    assert result.exit_code == 1
    assert "more_test.rego:5 more_test.test_false: it is not true" in result.output
    assert "divide by zero" in result.output
    assert "embedded: 1 of 3 tests passed" in result.output


def test_no_tests_are_no_pass(run, tmp_path):
    (tmp_path / "a.rego").write_text("package main\n\nimport rego.v1\n\ndeny contains 1\n")
    with pytest.raises(UsageError, match="no tests"):
        run("test", "--policy", tmp_path)


def test_data_that_is_not_what_its_schema_says_is_refused(run, tmp_path):
    shutil.copytree(POLICIES, tmp_path / "policies")
    data = tmp_path / "policies/data/gpu.rego"
    data.write_text(data.read_text().replace('{"t4", "v100", "a100"}', '"t4"'))
    with pytest.raises(PolicyError, match=r"the data gpu\.allowed is wrong"):
        run("test", "--policy", tmp_path / "policies")


def test_a_bundle_for_opa_is_written_with_its_digest(run, tmp_path):
    file = tmp_path / "build" / "bundle.tar.gz"
    result = run("bundle", "-o", file)
    assert re.search(r"bundle\.tar\.gz: \d+ rules, digest [0-9a-f]{64}$", result.output.strip())
    assert file.read_bytes()[:2] == b"\x1f\x8b"
    again = tmp_path / "again.tar.gz"
    run("bundle", "-o", again)
    assert again.read_bytes() == file.read_bytes()


def test_a_bundle_of_what_reaches_out_is_not_written(run, tmp_path):
    (tmp_path / "a.rego").write_text('package main\n\nimport rego.v1\n\ndeny contains x if x := http.send({"url": "http://localhost"})\n')
    with pytest.raises(PolicyError, match="is refused"):
        run("bundle", "--policy", tmp_path, "-o", tmp_path / "b.tar.gz")
    assert not (tmp_path / "b.tar.gz").exists()
