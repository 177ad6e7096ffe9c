"""Random renders, and what Crossplane's core with the real functions (August 2026) made of them.

``patches`` are Compositions with random patches, transforms, policies and environments; ``core`` vary the XR's and
the bases' metadata, observed resources and legacy XRs (those with ``xrd``); ``environment`` put
function-environment-configs in front and function-auto-ready behind. A third of each is fatal. Transition times
are all one, as in a rendering of ours.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from crossgate.errors import RenderError
from crossgate.render import Rendering, conditions, render
from crossgate.render.merge import merge_over

LINES = gzip.decompress((Path(__file__).parent / "render-random.jsonl.gz").read_bytes()).splitlines()
CASES = [json.loads(line) for line in LINES]
TEMPLATE = "crossplane.io/composition-resource-name"


def _render(case: dict[str, Any]) -> Rendering:
    names = ("observed", "required", "context")
    return render(case["xr"], case["composition"], legacy="xrd" in case, **{name: case[name] for name in names if name in case})


def _comparable(value: Any) -> Any:
    """Numbers are those of JSON; true is not 1."""
    if isinstance(value, dict):
        return {key: _comparable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_comparable(item) for item in value]
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "number", float(value)
    return value


def _stamped(body: dict[str, Any]) -> dict[str, Any]:
    """Treat conditions as the command line tool does after the engine, which made these answers."""
    found = conditions.read(body)
    if found is not None and isinstance(body["status"], dict):
        body["status"]["conditions"] = [{**condition, "lastTransitionTime": conditions.NOW} for condition in found] or None
    return body


def _by_template(bodies: list[dict[str, Any]]) -> dict[str, Any]:
    return {body["metadata"]["annotations"][TEMPLATE]: _comparable(body) for body in bodies}


def test_the_answers_are_there() -> None:
    assert len(CASES) > 1000


@pytest.mark.parametrize("part", range(10))
def test_renders_as_crossplane_does(part: int) -> None:
    for case in CASES[part::10]:
        given, expected = case["case"], case["expect"]
        if expected.get("fatal"):
            with pytest.raises(RenderError):
                _render(given)
                pytest.fail(f"{case['name']} must be fatal")
            continue
        found = _render(given)
        assert _by_template(found.composed) == _by_template([_stamped(body) for body in expected["composed"]]), case["name"]
        assert len(found.warnings) == expected["warnings"], (case["name"], found.warnings)
        assert _comparable(found.context) == _comparable(expected["context"] or {}), case["name"]
        old = given["xr"].get("status")
        status = merge_over({"status": old} if isinstance(old, dict) else {}, {"status": expected["status"]})
        assert _comparable(found.xr.get("status")) == _comparable(_stamped(status)["status"]), case["name"]
