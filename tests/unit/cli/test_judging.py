"""Options that say how the rules judge, on top of the settings."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from crossgate.cli.check import command
from crossgate.errors import UsageError

POD = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {bad: 'yes'}\n"
MAIN = 'package main\n\nimport rego.v1\n\ndeny contains "main" if input.data.bad in data.bad\n'
OTHER = 'package other\n\nimport rego.v1\n\ndeny contains "other" if input.data.bad\n\ndeny contains "all" if count(input) == 1\n'


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "crossgate.toml").write_text("")
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies" / "main.rego").write_text(MAIN)
    (tmp_path / "policies" / "other.rego").write_text(OTHER)
    (tmp_path / "more.yaml").write_text("bad: ['yes']\n")
    (tmp_path / "a.yaml").write_text(POD)
    monkeypatch.chdir(tmp_path)

    def run(*options: str) -> Result:
        result = CliRunner().invoke(command, ["a.yaml", "-o", "json", *options])
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


def messages(result: Result) -> list[str]:
    return sorted(finding["message"] for finding in json.loads(result.output)["findings"] if finding["severity"] == "error")


def test_all_packages_decide_unless_some_are_named(check):
    assert messages(check("--data", "more.yaml")) == ["main", "other"]
    assert messages(check("-n", "other", "--data", "more.yaml")) == ["other"]
    assert messages(check("-n", "main", "-n", "other", "--data", "more.yaml")) == ["main", "other"]


def test_data_is_handed_to_the_rules_and_named_in_the_report(check):
    without, given = check(), check("--data", "more.yaml")
    assert messages(without) == ["other"]
    first, second = (json.loads(result.output)["versions"] for result in (without, given))
    assert first["data"] != second["data"]
    assert first["policies"] != second["policies"]
    assert first["engine"] == "embedded"


def test_rules_in_conftests_style_see_all_documents_at_once(check):
    assert messages(check("--combine")) == ["all"]


def test_rego_of_the_first_version_is_read_as_such(check):
    Path("policies/main.rego").unlink()
    Path("policies/other.rego").write_text('package old\n\ndeny[msg] { input.data.bad; msg := "old" }\n')
    result = check()
    assert result.exit_code == 3
    assert "keyword is required" in result.output
    assert messages(check("--rego-version", "v0")) == ["old"]


def test_the_settings_say_it_too(check):
    Path("crossgate.toml").write_text('[policy]\nnamespaces = ["other"]\ndata = ["more.yaml"]\n')
    assert messages(check()) == ["other"]
    assert messages(check("-n", "main")) == ["main"]


@pytest.mark.parametrize("options", [("--engine", "opa"), ("--opa-url", "http://localhost:8181")])
def test_an_engine_and_its_server_belong_together(check, options):
    with pytest.raises(UsageError, match=r"opa|OPA"):
        check(*options)


def test_an_engine_that_is_not_there_could_not_check(check):
    result = check("--engine", "opa", "--opa-url", "http://127.0.0.1:9")
    assert result.exit_code == 3
    assert any(item["where"] == "http://127.0.0.1:9" for item in json.loads(result.output)["couldNotCheck"])


def test_no_file_of_the_project_is_needed(check, tmp_path):
    """Data may stand anywhere; the options are about the folder that the command runs in."""
    os.chdir(tmp_path / "policies")
    result = CliRunner().invoke(command, ["../a.yaml", "-o", "json", "--data", "../more.yaml"])
    assert messages(result) == ["main", "other"]
