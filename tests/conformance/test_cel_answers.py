"""Answers of cel-go with Kubernetes' libraries (apiserver 0.36) to 150 rules over 3,000 values: holds, fails, or ends with an error."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from crossgate.schema import ProblemKind
from crossgate.schema.rules import RuleTree, check_rules

RECORDED = json.loads(gzip.decompress((Path(__file__).parent / "cel.json.gz").read_bytes()))

OTHERWISE = {("quantity(self).asInteger() == 1073741824", "1.0"), ("isQuantity(self) && quantity(self).isInteger()", "1.0")}
"""1.0 is an integer here: a quantity is known by its value alone, there by how it was written too."""


@pytest.mark.parametrize("recorded", RECORDED, ids=[recorded["rule"] for recorded in RECORDED])
def test_a_rule_answers_as_cel_go_does(recorded: dict[str, Any]) -> None:
    tree = RuleTree.of(
        {"type": "object", "properties": {"v": {**recorded["schema"], "x-kubernetes-validations": [{"rule": recorded["rule"]}]}}}
    )
    assert tree is not None
    for value, answer in recorded["answers"]:
        if isinstance(value, str) and (recorded["rule"], value) in OTHERWISE:
            continue
        problems = check_rules(tree, {"v": value})
        found = "holds" if not problems else "fails" if problems[0].message.startswith("failed rule") else "error"
        assert found == answer, (value, problems)
        assert all(problem.kind is ProblemKind.CEL for problem in problems)
