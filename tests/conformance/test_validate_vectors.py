"""Answers of a real kube-apiserver 1.36 to a create with ``dryRun=All`` and ``fieldValidation=Strict``.

``extensions`` are two XRDs, whose CRDs Crossplane's own conversion made; the other kinds are those of schemas/. A case names the
fields that the server named (null where it named none); at least one of them must be named here.
"""

from __future__ import annotations

import copy
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from crossgate.model import Document
from crossgate.schema import Problem, ProblemKind, Schemas, validation

HERE = Path(__file__).parent
VECTORS = json.loads(gzip.decompress((HERE / "validate.json.gz").read_bytes()))
CASES = VECTORS["cases"]


@pytest.fixture(scope="module")
def schemas(root: Path) -> Schemas:
    return Schemas.load([root / "schemas"]).including(Document(body, "xrd.yaml") for body in VECTORS["extensions"])


@pytest.fixture(scope="module")
def fast_schemas(root: Path) -> Schemas:
    """The same, of which every kind takes the fast yes from the first resource on."""
    return Schemas.load([root / "schemas"]).including(Document(body, "xrd.yaml") for body in VECTORS["extensions"])


def _assert_answer(case: dict[str, Any], problems: list[Problem]) -> None:
    kinds = {problem.kind for problem in problems}
    status = "missingSchema" if ProblemKind.MISSING_SCHEMA in kinds else "invalid" if problems else "valid"
    assert status == case["status"], problems
    assert ProblemKind.COULD_NOT_CHECK not in kinds
    named = {(problem.path, problem.kind is ProblemKind.UNKNOWN_FIELD) for problem in problems}
    wanted = [(error["field"], bool(error.get("unknown"))) for error in case["errors"] if error["field"] is not None]
    # The server stops at unknown fields; we say everything, so all that it names must be named.
    assert set(wanted) <= named


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_resource_is_taken_or_refused_as_the_api_server_does(case: dict[str, Any], schemas: Schemas) -> None:
    before = copy.deepcopy(case["resource"])
    _assert_answer(case, schemas.validate(case["resource"]))
    assert case["resource"] == before, "validation must leave the resource alone"


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_fast_yes_changes_no_answer(case: dict[str, Any], fast_schemas: Schemas, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validation, "WALKED", 0)
    _assert_answer(case, fast_schemas.validate(case["resource"]))
