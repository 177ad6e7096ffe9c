"""Answers of Crossplane's own render engine (core, function-patch-and-transform and function-environment-configs
of August 2026), recorded for inputs written for this project. Every one of them must be matched.

The files hold a case a line; the first line has the XR and the Composition's frame that a case uses unless
it brings its own. Message texts are not compared, their number is. Numbers that YAML 1.1 readers take for
strings (1e+21) stand in the answers as strings: that is the recorder's reading, not a type.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from crossgate.errors import RenderError
from crossgate.render import ENVIRONMENT_KEY, Rendering, render

HERE = Path(__file__).parent
TEMPLATE = "crossplane.io/composition-resource-name"


def _read(name: str) -> list[dict[str, Any]]:
    first, *cases = (json.loads(line) for line in gzip.decompress((HERE / name).read_bytes()).splitlines())
    return [{**first["defaults"], **case} for case in cases]


CASES = [*_read("render.jsonl.gz"), *_read("render-more.jsonl.gz")]


def _run(case: dict[str, Any]) -> Rendering:
    steps = case.get("pipeline")
    if steps is None:
        given = {"apiVersion": "pt.fn.crossplane.io/v1beta1", "kind": "Resources", **case["input"]}
        steps = [{"step": "pt", "functionRef": {"name": "function-patch-and-transform"}, "input": given}]
    composition = {**case["composition"], "spec": {**case["composition"]["spec"], "pipeline": steps}}
    return render(
        case["xr"], composition, observed=case.get("observed", ()), required=case.get("required", ()), context=case.get("context")
    )


def _as_recorded(value: Any) -> Any:
    """Write floats without a point as the recorder read them."""
    if isinstance(value, dict):
        return {key: _as_recorded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_recorded(item) for item in value]
    if isinstance(value, float) and "e" in repr(value) and "." not in repr(value):
        return repr(value)
    return value


def _typed(value: Any) -> Any:
    """Tell true from 1, which Python holds for equal."""
    if isinstance(value, dict):
        return {key: _typed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_typed(item) for item in value]
    return ("bool", value) if isinstance(value, bool) else value


def test_no_case_is_missing() -> None:
    assert len(CASES) == 2379 + 52


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_renders_as_crossplane_does(case: dict[str, Any]) -> None:
    expected = case["expect"]
    if expected.get("fatal"):
        with pytest.raises(RenderError) as raised:
            _run(case)
        assert raised.value.where.startswith("Composition xmodel")
        return
    found = _run(case)
    got = {body["metadata"]["annotations"][TEMPLATE]: body for body in found.composed}
    wanted = {body["metadata"]["annotations"][TEMPLATE]: body for body in expected["composed"]}
    assert _typed(_as_recorded(got)) == _typed(_as_recorded(wanted))
    assert len(found.composed) == len(expected["composed"])
    assert _typed(_as_recorded(found.xr["status"])) == _typed(_as_recorded(expected["xr_status"]))
    assert _typed(_as_recorded(found.xr["spec"])) == _typed(_as_recorded(expected["xr_spec"]))
    assert len(found.warnings) == expected["warnings"], found.warnings
    if "environment" in expected:
        assert _typed(_as_recorded(found.context[ENVIRONMENT_KEY])) == _typed(_as_recorded(expected["environment"]))
