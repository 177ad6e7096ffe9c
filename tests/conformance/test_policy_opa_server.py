"""A real server of OPA as the engine: it says what the embedded one says, and where it cannot judge nothing passes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from crossgate.errors import PolicyError
from crossgate.model import Document, Place, Resource, Role
from crossgate.policy import Limits, Policies
from crossgate.policy.bundle import read_bundle
from crossgate.policy.opa import engine as opa_engine
from crossgate.policy.opa.archive import archive
from crossgate.policy.opa.engine import opa_at

from .conftest import serving

ROOT = Path(__file__).parents[2]
HEAD = "package main\n\nimport rego.v1\n\n"

pytestmark = pytest.mark.tools


def resource(body):
    return Resource(body, Role.DOCUMENT, Document(body, "a.yaml", 1, lambda _path: Place("a.yaml", 1)))


@pytest.fixture
def judge(tmp_path, opa_server):
    """Judge inputs by one Rego text on a server that has it."""

    def run(text, *inputs, limits=None, after=None):
        (tmp_path / "main.rego").write_text(HEAD + text)
        url = opa_server(tmp_path)
        if after:
            after()
        policies = Policies.load([tmp_path], engine=opa_at(url), limits=limits)
        return policies.judge(resource(body) for body in inputs)

    return run


def messages(judgement):
    return [finding.message for finding in judgement.findings], [item.what for item in judgement.could_not_check]


def test_findings_are_found(judge):
    assert messages(judge("deny contains input.a if input.a", {"a": "x"}, {"b": 1}, {"a": "y"})) == (["x", "y"], [])


def test_a_rule_that_cannot_be_evaluated_could_not_check_and_the_others_judge(judge):
    """OPA itself would take a division by zero as no finding."""
    text = "deny contains input.a if input.n / input.n == 1\n\nwarn contains input.a\n"
    judgement = judge(text, {"a": "x", "n": 1}, {"a": "y", "n": 0}, {"a": "z", "n": 1})
    assert messages(judgement) == (["x", "x", "y", "z", "z"], ["rule main/deny cannot be evaluated: div: divide by zero"])
    assert judgement.could_not_check[0].where.endswith("main.rego:5")


def test_two_values_of_one_rule_could_not_check(judge):
    found, troubles = messages(judge('deny := "a" if input.a\n\ndeny := "b" if input.b\n', {"a": 1, "b": 1}, {"a": 1}))
    assert found == ["a"]
    assert troubles[0].startswith("rule main/deny cannot be evaluated: rule data.main.deny produced conflicting values")
    assert "main.rego:7" in troubles[0]


def test_a_rule_that_does_not_end_could_not_check(judge, monkeypatch):
    monkeypatch.setattr(opa_engine, "SECONDS_OF_A_BATCH", 2.0)
    slow = "count([1 | some i in numbers.range(1, input.n); some j in numbers.range(1, input.n); i * j < 0]) == 0"
    judgement = judge(
        f"deny contains input.a if {{\n\t{slow}\n}}\n\nwarn contains input.a\n",
        {"a": "x", "n": 9000},
        {"a": "y", "n": 1},
        limits=Limits(seconds=1),
    )
    assert messages(judgement) == (
        ["x", "y"],
        ["rule main/deny: evaluation did not end within 1 s", "rule main/deny was left out after it broke the engine"],
    )


def test_rego_that_only_opa_understands_is_judged_there_and_refused_here_with_the_way_there(judge, tmp_path):
    text = 'deny contains $"{input.a} is there" if input.a\n'
    assert messages(judge(text, {"a": "x"})) == (["x is there"], [])
    with pytest.raises(PolicyError) as caught:
        Policies.load([tmp_path])
    assert "--engine opa --opa-url URL" in caught.value.hint


@pytest.mark.parametrize("rule", ['http.send({"url": "http://localhost", "method": "get"})', 'http["send"]({})', "opa.runtime()"])
def test_ways_out_are_refused_there_too(judge, rule):
    with pytest.raises(PolicyError, match="is refused"):
        judge(f"deny contains x if x := {rule}\n", {})


def test_a_server_with_older_rules_judges_nothing(judge, tmp_path):
    """Whoever changed a rule and not the server would otherwise be judged by the old one."""
    with pytest.raises(PolicyError, match="another bundle"):
        judge("deny contains 1 if input.a\n", {}, after=lambda: (tmp_path / "main.rego").write_text(HEAD + "deny contains 1 if input.b\n"))


def test_a_server_without_a_bundle_of_crossgate_judges_nothing(tool, tmp_path):
    (tmp_path / "main.rego").write_text(HEAD + 'deny contains "x" if input.a\n')
    bundle = tmp_path / "other.tar.gz"
    subprocess.run([tool("opa"), "build", "-o", str(bundle), str(tmp_path / "main.rego")], check=True)
    with serving(tool("opa"), bundle) as url, pytest.raises(PolicyError, match="does not know state"):
        Policies.load([tmp_path], engine=opa_at(url))


def test_a_server_that_goes_down_in_between_judges_nothing(tool, tmp_path):
    (tmp_path / "main.rego").write_text(HEAD + 'deny contains "x" if input.a\n')
    file = tmp_path / "bundle.tar.gz"
    file.write_bytes(archive(read_bundle([tmp_path]))[0])
    with serving(tool("opa"), file) as url:
        policies = Policies.load([tmp_path], engine=opa_at(url))
    with pytest.raises(PolicyError, match="cannot be asked"):
        policies.judge([resource({"a": 1})])


def test_a_check_says_the_same_with_both_engines(opa_server, root):
    """The command as a user runs it, over all that stands in dist/ and what it becomes; only the name of the engine differs."""
    command = [sys.executable, "-m", "crossgate", "check", "-o", "json", "--fail-on", "info"]
    there = subprocess.run(
        [*command, "--engine", "opa", "--opa-url", opa_server(root / "policies")], cwd=root, capture_output=True, text=True, check=False
    )
    here = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert there.stdout.replace('"engine": "opa"', '"engine": "embedded"') == here.stdout
    assert there.returncode == here.returncode < 2
    assert json.loads(here.stdout)["summary"]["checked"]["rules"] > 30


def test_a_check_of_a_server_that_is_not_there_exits_with_3(root):
    command = [
        sys.executable,
        "-m",
        "crossgate",
        "check",
        "--engine",
        "opa",
        "--opa-url",
        "http://127.0.0.1:9",
        "-o",
        "json",
        "dist/00-argocd",
    ]
    run = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert run.returncode == 3
    assert any("the OPA server cannot be asked" in item["what"] for item in json.loads(run.stdout)["couldNotCheck"])
