"""The same files on the real tools: opa runs every Rego test, conftest finds what we find."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from crossgate.load import load_text
from crossgate.model import Document, Place, Resource, Role
from crossgate.policy import Limits, Policies
from crossgate.policy.asked import Asked, json_text
from crossgate.policy.engine import Question
from crossgate.policy.judge import verdicts_of

POLICIES = Path(__file__).parents[2] / "policies"
DOCUMENTS = sorted((Path(__file__).parent / "policy").glob("*/*.yaml"))

pytestmark = pytest.mark.tools


def test_every_rego_test_passes_on_opa(tool):
    result = subprocess.run([tool("opa"), "test", POLICIES], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout


def test_the_rules_are_written_as_opa_writes_them_and_compile_strictly(tool):
    assert subprocess.run([tool("opa"), "fmt", "--list", POLICIES], capture_output=True, text=True, check=True).stdout == ""
    result = subprocess.run([tool("opa"), "check", "--strict", POLICIES], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


def ours(policies: Policies, bodies: list[Any]) -> Counter[tuple[str, str, str]]:
    asked, texts = Asked(policies.rules), [json_text(body) for body in bodies]
    questions = [Question(text, rules) for body, text in zip(bodies, texts, strict=True) if (rules := asked.about(body, text))]
    verdicts = list(verdicts_of(policies.engine, questions, Limits()))
    assert not any(troubles for _, troubles in verdicts)
    return Counter(
        (".".join(result.rule.package), result.message, json.dumps(list(result.path)))
        for verdict, _ in verdicts
        for result in verdict.results
    )


def conftests(conftest: str, *files: Path) -> Counter[tuple[str, str, str]]:
    command = [conftest, "test", "--all-namespaces", "-p", POLICIES, "-o", "json", *files]
    answer = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
    return Counter(
        (part["namespace"], result["msg"], json.dumps(result["metadata"]["path"]))
        for part in answer
        for kind in ("failures", "warnings")
        for result in part.get(kind, ())
    )


def test_conftest_finds_what_we_find_in_the_inputs_of_the_rego_tests(tool, tmp_path):
    """Each object that stands in a Rego test is a document of its own."""
    bodies = [body for module in sorted(POLICIES.rglob("*_test.rego")) for body in _objects(module, tool("opa"))]
    assert len(bodies) > 30
    file = tmp_path / "all.json"
    file.write_text(json.dumps({"kind": "List", "items": bodies}))
    separate = tmp_path / "separate.yaml"
    separate.write_text("\n---\n".join(json.dumps(body) for body in bodies))
    policies = Policies.load([POLICIES])
    assert ours(policies, bodies) == conftests(tool("conftest"), separate)
    assert ours(policies, [json.loads(file.read_text())]) == conftests(tool("conftest"), file)


def test_conftest_finds_what_we_find_in_the_documents_of_the_cases(tool):
    policies = Policies.load([POLICIES])
    for path in DOCUMENTS:
        if path.parent.name.startswith("39-"):
            continue  # conftest does not see every document there: that is the case
        bodies = [document.body for document in load_text(path.read_bytes(), path.name) if document.body is not None]
        assert ours(policies, bodies) == conftests(tool("conftest"), path), path


def _objects(module: Path, opa: str) -> list[dict[str, Any]]:
    """Return the objects with a ``kind`` or ``spec`` that are written out in a Rego file, as opa parses it."""
    answer = subprocess.run([opa, "parse", "--format", "json", module], capture_output=True, text=True, check=True)
    found: list[dict[str, Any]] = []

    def walk(node: Any) -> None:
        if isinstance(node, dict):
            value = _constant(node)
            if isinstance(value, dict) and {"kind", "spec", "data", "stringData"} & set(value):
                found.append(value)
                return
            for child in node.values():
                walk(child)
        elif isinstance(node, list):
            for child in node:
                walk(child)

    walk(json.loads(answer.stdout))
    return found


class _Variable(Exception):
    """A term that is no constant."""


def _constant(term: dict[str, Any]) -> Any:
    try:
        return _value(term)
    except _Variable:
        return None


def _value(term: Any) -> Any:
    if not isinstance(term, dict) or set(term) - {"type", "value", "location"}:
        raise _Variable
    if term.get("type") in ("string", "number", "boolean", "null"):
        return term.get("value")
    if term.get("type") == "array":
        return [_value(item) for item in term["value"]]
    if term.get("type") == "object":
        return {_value(key): _value(value) for key, value in term["value"]}
    raise _Variable


def test_a_place_of_a_composed_resource_is_no_part_of_the_verdict():
    """The verdicts compared above are what judging makes its findings of; this holds them together."""
    policies = Policies.load([POLICIES])
    body = {"kind": "Secret", "stringData": {"a": "CHANGE_ME"}}
    resource = Resource(body, Role.DOCUMENT, Document(body, "a.yaml", 1, lambda _path: Place("a.yaml", 1)))
    assert [finding.message for finding in policies.judge([resource]).findings] == [message for _, message, _ in ours(policies, [body])]
