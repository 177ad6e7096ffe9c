"""Policies that stand elsewhere, as users lock them and judge by them."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from crossgate.cli import crossgate

POLICY = 'package main\n\nimport rego.v1\n\ndeny contains "no ConfigMaps" if input.kind == "ConfigMap"\n'
MANIFEST = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\n"


def git(folder: Path, *arguments: str) -> str:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout


def committed(folder: Path, name: str, text: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "x")


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A repository of policies."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    git(folder, "init", "-qb", "main")
    committed(folder, "rules/main.rego", POLICY)
    return folder


@pytest.fixture
def project(tmp_path: Path, elsewhere: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository that is judged by these policies alone; the user's cache is empty."""
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "-qb", "main")
    (folder / "crossgate.toml").write_text(f'policies = ["git+file://{elsewhere}@main#rules"]\nschemas = ["{root}/schemas"]\n')
    committed(folder, "dist/a.yaml", MANIFEST)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return folder


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(crossgate, [*arguments])
    return result.exit_code, result.output + str(result.exception or "")


def judged(*options: str) -> tuple[int, list[str], str]:
    code, output = run("check", "-o", "json", *options)
    report = json.loads(output[: output.rindex("}") + 1])
    return code, [finding["rule"] for finding in report["findings"]], json.dumps(report["couldNotCheck"])


def test_only_what_is_locked_judges(project, elsewhere):
    """Not locked is "could not check"; what changes elsewhere later changes nothing here."""
    code, _, trouble = judged()
    assert code == 3
    assert "crossgate policy lock" in trouble
    assert run("policy", "lock")[0] == 0
    assert judged()[:2] == (1, ["main/deny"])
    committed(elsewhere, "rules/main.rego", POLICY.replace("ConfigMap", "Secret"))
    assert "as before" in run("policy", "lock")[1]
    assert judged()[:2] == (1, ["main/deny"])
    assert "(changed)" in run("policy", "lock", "--update")[1]
    assert judged()[:2] == (0, [])


def test_a_machine_without_the_content_pulls_it_by_the_lock(project, tmp_path):
    run("policy", "lock")
    shutil.rmtree(tmp_path / "cache")
    code, _, trouble = judged()
    assert code == 3
    assert "crossgate policy pull" in trouble
    assert "1 of 1 fetched" in run("policy", "pull")[1]
    assert judged()[0] == 1
    assert "0 of 1 fetched" in run("policy", "pull")[1]


def test_another_content_than_the_locked_one_is_refused(project, elsewhere, tmp_path):
    run("policy", "lock")
    lock = project / "policies.lock.toml"
    text = lock.read_text()
    lock.write_text(text[:-10] + "00000000" + text[-2:])
    assert "not what is locked" in run("policy", "pull")[1]
    assert judged()[0] == 3


def test_a_cache_that_somebody_changed_is_not_believed(project, tmp_path):
    run("policy", "lock")
    (rule,) = (tmp_path / "cache").rglob("main.rego")
    rule.write_text(POLICY.replace("ConfigMap", "Secret"))
    assert judged()[0] == 3


def test_the_lock_of_the_base_judges_a_pull_request(project, elsewhere):
    """A change of the lock in the same branch shows itself and judges nothing."""
    run("policy", "lock")
    git(project, "add", "-A")
    git(project, "commit", "-qm", "lock")
    git(project, "checkout", "-qb", "change")
    committed(elsewhere, "rules/main.rego", POLICY.replace("ConfigMap", "Secret"))
    run("policy", "lock", "--update")
    committed(project, "dist/b.yaml", MANIFEST.replace("name: a", "name: b"))
    code, rules, _ = judged("--base", "main")
    assert code == 1
    assert sorted(rules) == ["gate/changed-settings", "main/deny"]


def test_a_source_on_the_command_line_has_to_be_locked_too(project, elsewhere):
    other = f"git+file://{elsewhere}@main"
    assert judged("--policy", other)[0] == 3
    assert run("policy", "lock", other)[0] == 0
    assert judged("--policy", other)[:2] == (1, ["main/deny"])
    assert "main/deny" in run("policy", "list", "--policy", other)[1]


def test_a_place_that_is_none_is_named_with_the_settings(project):
    (project / "crossgate.toml").write_text('policies = ["policies", "https://host/policies.tar"]\n')
    code, output = run("check")
    assert code != 0
    assert "crossgate.toml:1: https://host/policies.tar" in output
