"""Cases from public bug reports about policy gates (see tests/conformance/policy/*/expected.json), judged by both engines."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from crossgate.errors import CrossgateError
from crossgate.load import load_paths
from crossgate.model import Judgement, Resource, Role, Severity
from crossgate.policy import Policies
from crossgate.policy.bundle import read_bundle
from crossgate.policy.embedded import load_engine
from crossgate.policy.opa.engine import opa_at

CASES = Path(__file__).parent / "policy"
PACK = Path(__file__).parents[2] / "policies"
RUNS = [
    (folder, run)
    for folder in sorted(CASES.iterdir())
    for run in json.loads((folder / "expected.json").read_text())["runs"]
    if "query" not in run
]


def options(run: dict[str, Any]) -> dict[str, Any]:
    args = run.get("args", [])
    given: dict[str, Any] = {"combine": "--combine" in args, "rego_v0": "v0" in args}
    if "-n" in args:
        given["namespaces"] = [args[args.index("-n") + 1]]
    return given


def _on_opa(server: Callable[..., str], policies: Path, rego_v0: bool, *loaded: Any) -> Any:
    """Start the server only for what loads: OPA does not start with the others."""
    return opa_at(server(policies, rego_v0=rego_v0), rego_v0=rego_v0)(*loaded)


def judge(folder: Path, run: dict[str, Any], server: Callable[..., str] | None) -> tuple[str, list[Any]]:
    """Return the outcome and what was said: texts of errors, or findings. ``server`` starts an OPA for a folder, which then judges."""
    policies = PACK if folder.name.startswith("45-") else folder / run.get("policy", "policy")
    given = options(run)
    try:
        if server is not None:
            given["engine"] = partial(_on_opa, server, policies, given["rego_v0"])
        loaded = Policies.load([policies], **given)
        inventory = load_paths([folder / name for name in run["inputs"].split()], root=folder)
        judgement = Judgement(could_not_check=inventory.judgement.could_not_check) + loaded.judge(
            Resource(document.body, Role.DOCUMENT, document) for document in inventory.documents if isinstance(document.body, dict)
        )
    except CrossgateError as error:
        return "error", [str(error)]
    errors = [finding for finding in judgement.findings if finding.severity is Severity.ERROR]
    if errors:
        return "violation", list(judgement.findings)
    if judgement.could_not_check:
        return "error", [f"{trouble.what} {trouble.where}" for trouble in judgement.could_not_check]
    return "ok", list(judgement.findings)


each_run = pytest.mark.parametrize(("folder", "run"), RUNS, ids=[f"{folder.name[:2]}-{run['name']}" for folder, run in RUNS])


@each_run
def test_case(folder, run):
    is_right(folder, run, *judge(folder, run, None))


@pytest.mark.tools
@each_run
def test_case_on_opa(folder, run, opa_server):
    is_right(folder, run, *judge(folder, run, opa_server))


def is_right(folder: Path, run: dict[str, Any], outcome: str, said: list[Any]) -> None:
    expected = run["expect"]
    unread = folder.name.startswith("39-") and run["name"] in ("doc end", "inline")
    assert outcome == expected["outcome"] or (unread and outcome == "error"), said
    texts = [finding if isinstance(finding, str) else finding.message for finding in said]
    for error in expected.get("errors", ()):
        for part in error["contains"]:
            assert any(part.removeprefix("main - ") in text for text in texts), texts
    for wanted in expected.get("findings_wanted", ()):
        file = wanted["where"].split()[0]
        assert any(
            finding.severity == wanted["level"] and finding.place.file.endswith(file) and wanted["why"] in finding.message
            for finding in said
        )
    if "violations" in expected:
        by_reason: dict[str, set[str]] = {}
        for finding in said:
            by_reason.setdefault(finding.reason, set()).add(finding.resource.name)
        assert by_reason["OPEN_CIDR"] == set(expected["violations"])
        assert by_reason["MALFORMED_CIDR"] == set(expected["invalid"])
        assert not set(expected["clean"]) & set().union(*by_reason.values())


QUERIES = [run for run in json.loads((CASES / "45-cidr-spellings-of-everywhere" / "expected.json").read_text())["runs"] if "query" in run]


@pytest.mark.parametrize("run", QUERIES, ids=lambda run: run["name"])
def test_built_ins_for_networks_answer_as_opa_does(run):
    engine = load_engine(read_bundle([CASES / "45-cidr-spellings-of-everywhere" / "policy"]))
    engine.set_input_json("{}")
    answer = json.loads(engine.eval_query_as_json(run["query"]))
    assert answer["result"][0]["expressions"][0]["value"] == run["expect_value"]
