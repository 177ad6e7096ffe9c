"""OPA's own conformance suite on the embedded engine. What it answers otherwise without a word is known, and listed in docs/policies.md."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
import regorus
import yaml

from crossgate.errors import PolicyError
from crossgate.policy.bundle import Bundle, Module
from crossgate.policy.embedded import load_engine
from crossgate.policy.isolate import Death, Limits, isolated
from crossgate.policy.syntax import outline

DOCS = Path(__file__).parents[2] / "docs" / "policies.md"
RAISED_AT_MOST = 0.30

pytestmark = pytest.mark.tools


class _Loader(yaml.CSafeLoader):
    """Reads ``on`` as a text, as OPA does: it is a key in the suite's data."""


_Loader.yaml_implicit_resolvers = {
    letter: [(tag, expression) for tag, expression in found if tag != "tag:yaml.org,2002:bool"]
    for letter, found in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(?:true|false)$"), list("tf"))


@pytest.fixture(scope="module")
def cases(tool) -> list[dict[str, Any]]:
    """The suite out of OPA's Go module, which `make tools` puts beside the tools."""
    tool("opa")
    folder = Path(os.environ.get("CROSSGATE_TOOLS", ""), "opa-suite")
    assert folder.is_dir(), "OPA is here, but not its suite: run `make tools`"
    return [case for file in sorted(folder.rglob("*.yaml")) for case in yaml.load(file.read_text(), Loader=_Loader)["cases"]]


def answer(case: dict[str, Any]) -> dict[str, Any]:
    """Return the bindings of the query, or why there are none."""
    texts = case.get("modules") or []
    modules = tuple(Module(f"m{number}.rego", Path("m.rego"), text, outline(text)) for number, text in enumerate(texts))
    try:
        engine = load_engine(Bundle(modules, (), case.get("data") or {}, ""))
        given = case.get("input")
        if case.get("input_term") is not None:
            scratch = regorus.Engine()
            scratch.set_input_json("{}")
            given = json.loads(scratch.eval_query_as_json(case["input_term"]))["result"][0]["expressions"][0]["value"]
        if given is not None:
            engine.set_input_json(json.dumps(given))
        results = json.loads(engine.eval_query_as_json(case["query"])).get("result") or []
    except PolicyError as error:
        return {"raised": error.what}
    except BaseException as error:
        return {"raised": type(error).__name__}
    return {
        "bindings": [result.get("bindings", {}) for result in results if all(part["value"] is not False for part in result["expressions"])]
    }


def normal(value: Any) -> Any:
    """Order what has no order, and write whole numbers as such."""
    if isinstance(value, dict):
        return {key: normal(item) for key, item in value.items()}
    if isinstance(value, list):
        return sorted(map(normal, value), key=lambda item: json.dumps(item, sort_keys=True))
    return int(value) if isinstance(value, float) and value == int(value) else value


def test_what_is_answered_is_right_or_known(cases):
    raised = wrong = 0
    unknown: list[str] = []
    known = set(re.findall(r"^- `([^`]+)`", DOCS.read_text(), re.MULTILINE))
    found: set[str] = set()
    for index, outcome in isolated(lambda index: json.dumps(answer(cases[index])).encode(), len(cases), Limits(seconds=3)):
        case = cases[index]
        got = {"raised": outcome.reason} if isinstance(outcome, Death) else json.loads(outcome)
        wants_error = "want_error" in case or "want_error_code" in case
        if "raised" in got:
            raised += not wants_error
            continue
        right = not wants_error and (
            bool(got["bindings"]) == case["want_defined"]
            if case.get("want_result") is None and "want_defined" in case
            else normal(got["bindings"]) == normal(case.get("want_result") or [])
        )
        if not right:
            wrong += 1
            found.add(case["note"])
            if case["note"] not in known:
                unknown.append(case["note"])
    assert unknown == []
    assert raised / len(cases) < RAISED_AT_MOST
    assert known & {case["note"] for case in cases} == found, "docs/policies.md lists what is right by now"
