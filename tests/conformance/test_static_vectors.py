"""The static check against recorded answers: what Crossplane renders is never called failing, what it refuses mostly is.

Each vector of ``render.jsonl`` is an XR and a Composition with what Crossplane's engine answered. Here an XRD is made of the XR in
which every field is an enum of its one value: then the static check, which never sees the XR, knows all that the engine knew
about the source side. So a finding that says "rendering fails" must stand beside a fatal answer.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from crossgate.model import Document, Finding
from crossgate.schema import Schemas
from crossgate.static import check_composition

HERE = Path(__file__).parent

FAILS = {
    ("invalid-input", "REFUSED"),
    ("invalid-input", "NO_PATTERN_TYPE"),
    ("invalid-path", "SYNTAX"),
    ("invalid-path", "SOURCE_WILDCARD"),
    ("invalid-path", "INDEX_TOO_LARGE"),
    ("invalid-base", "NO_BASE"),
    ("map-not-exhaustive", "MISSING_KEY"),
    ("type-mismatch", "TRANSFORM_INPUT"),
    ("type-mismatch", "TRANSFORM_FAILS"),
    ("type-mismatch", "BASE_CONFLICT"),
    ("unknown-source-field", "WRONG_PARENT"),
    ("wildcard-without-elements", "NOTHING_TO_EXPAND"),
}
"""Findings that say that rendering fails; others are about what the API server does with the result."""


def schema_of(value: Any) -> dict[str, Any]:
    """The narrowest schema that allows the value."""
    match value:
        case None:
            return {"x-kubernetes-preserve-unknown-fields": True}
        case bool():
            return {"type": "boolean", "enum": [value]}
        case int() | float():
            return {"type": "integer" if isinstance(value, int) else "number", "enum": [value]}
        case str():
            return {"type": "string", "enum": [value]}
        case list():
            items = [schema_of(item) for item in value]
            same = len({json.dumps(item, sort_keys=True) for item in items}) == 1
            return {"type": "array", "items": items[0] if same else {"x-kubernetes-preserve-unknown-fields": True}}
        case _:
            return {"type": "object", "properties": {name: schema_of(item) for name, item in value.items()}, "required": list(value)}


@cache
def schemas_for(xr_text: str) -> Schemas:
    xr = json.loads(xr_text)
    group, _, version = xr["apiVersion"].partition("/")
    properties = {part: schema_of(xr.get(part) or {}) for part in ("spec", "status")}
    xrd = {
        "apiVersion": "apiextensions.crossplane.io/v1",
        "kind": "CompositeResourceDefinition",
        "metadata": {"name": "xs"},
        "spec": {
            "group": group,
            "names": {"kind": xr["kind"], "plural": "xs"},
            "claimNames": {"kind": "Claim", "plural": "claims"},
            "versions": [
                {
                    "name": version,
                    "served": True,
                    "referenceable": True,
                    "schema": {"openAPIV3Schema": {"type": "object", "properties": properties}},
                }
            ],
        },
    }
    return Schemas.load(()).including([Document(xrd, "xrd.yaml", 1)])


def judged(case: dict[str, Any], defaults: dict[str, Any]) -> tuple[Finding, ...]:
    xr = case.get("xr", defaults["xr"])
    steps = case.get("pipeline")
    if steps is None:
        given = {"apiVersion": "pt.fn.crossplane.io/v1beta1", "kind": "Resources", **case["input"]}
        steps = [{"step": "pt", "functionRef": {"name": "function-patch-and-transform"}, "input": given}]
    reference = {"apiVersion": xr["apiVersion"], "kind": xr["kind"]}
    body = {**defaults["composition"], "spec": {**defaults["composition"]["spec"], "compositeTypeRef": reference, "pipeline": steps}}
    return check_composition(Document(body, "composition.yaml", 1), schemas_for(json.dumps(xr))).findings


def recorded(name: str) -> Iterator[tuple[dict[str, Any], bool]]:
    """Each case with whether the check calls it failing."""
    first, *cases = map(json.loads, gzip.decompress((HERE / name).read_bytes()).splitlines())
    for case in cases:
        yield case, any((finding.rule.partition("/")[2], finding.reason) in FAILS for finding in judged(case, first["defaults"]))


def test_against_the_answers_of_the_real_engine() -> None:
    """No false alarm in 1,427 renderings that work; 834 of 952 fatal ones are known without any XR.

    The others need more than a schema says: a null, an observed resource, a merge with what stands in the target.
    """
    cases = list(recorded("render.jsonl.gz"))
    assert [case["name"] for case, fails in cases if fails and not case["expect"].get("fatal")] == []
    assert sum(fails for case, fails in cases if case["expect"].get("fatal")) >= 834


def test_no_false_alarm_with_environment_configs_and_namespaced_xrs() -> None:
    """Nearly all fatal answers of these 52 depend on what the cluster holds, so that only false alarms can be counted."""
    assert [case["name"] for case, fails in recorded("render-more.jsonl.gz") if fails and not case["expect"].get("fatal")] == []


def test_compositions_that_a_real_crossplane_ran_have_no_other_finding_than_their_dead_patch() -> None:
    """All copy metadata.namespace of a cluster-scoped XR, in order to show that nothing comes of it."""
    recorded = json.loads((HERE / "claims.json").read_text(encoding="utf-8"))
    schemas = Schemas.load([HERE.parents[1] / "schemas"]).including([Document(xrd, "xrd.yaml", 1) for xrd in recorded["xrds"]])
    for composition in recorded["compositions"]:
        judgement = check_composition(Document(composition, "composition.yaml", 1), schemas)
        assert judgement.could_not_check == ()
        (finding,) = judgement.findings
        assert (finding.rule, finding.reason) == ("crossplane/unreachable-patch", "SOURCE_NEVER_SET")
        assert "metadata.namespace" in finding.message
