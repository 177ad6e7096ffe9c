"""What apiextensions-apiserver 0.36.1 said of CRDs: changed ones of real providers, and CEL rules on one schema.

Recorded from ``ValidateCustomResourceDefinition`` after strict decoding and defaulting. Whatever the API server refuses must be a
finding, and whatever it takes must be none (warnings aside); its own words are kept to say what a failure is about.
"""

from __future__ import annotations

import copy
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from crossgate.model import Severity
from crossgate.schema import Schemas
from crossgate.schema.definition import definition_faults

DATA = json.loads(gzip.decompress((Path(__file__).parent / "definitions.json.gz").read_bytes()))


def refused(body: dict[str, Any]) -> list[str]:
    return [fault.message for fault in definition_faults(body) if fault.severity is Severity.ERROR]


@pytest.fixture(scope="module")
def schemas(root: Path) -> Schemas:
    return Schemas.load([root / "schemas"])


def test_changed_definitions(schemas: Schemas) -> None:
    """The shape of a CRD is judged by the schema of its kind, the rest by the check of definitions; together they answer."""
    assert len(DATA["definitions"]) > 300
    wrong = []
    for case in DATA["definitions"]:
        ours = refused(case["crd"]) + [problem.message for problem in schemas.validate(case["crd"])]
        if bool(ours) != bool(case["refused"]):
            wrong.append((case["said"], case["refused"], ours[:2]))
    assert wrong == []


def put(rule: dict[str, Any], where: str) -> dict[str, Any]:
    """Put a rule on the schema, at the root or inside lists and maps: there it may be run many times."""
    judged = {**copy.deepcopy(DATA["base"]), "x-kubernetes-validations": [rule]}
    around = {
        "spec": judged,
        "list": {"type": "object", "properties": {"x": {"type": "array", "items": judged}}},
        "few": {"type": "object", "properties": {"x": {"type": "array", "maxItems": 50, "items": judged}}},
        "map": {"type": "object", "properties": {"x": {"type": "object", "additionalProperties": judged}}},
    }
    schema = {"type": "object", "properties": {"spec": around[where]}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "a.b.c"},
        "spec": {
            "group": "b.c",
            "scope": "Namespaced",
            "names": {"kind": "A", "plural": "a"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}],
        },
    }


def test_rules() -> None:
    """Whether a rule compiles, and whether its estimated cost is within the limit, for one value and for many."""
    assert len(DATA["rules"]) > 1000
    wrong = []
    for rule, where, said in DATA["rules"]:
        ours = refused(put(rule, where))
        if bool(ours) != bool(said):
            wrong.append((rule, where, said, ours[:1]))
    assert wrong == []
