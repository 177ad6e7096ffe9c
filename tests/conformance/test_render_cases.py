"""Situations from public bug reports of the neighbouring tools, with the right answer.

Each folder in render_cases/ has its inputs and ``expected.json``; the answers were determined by running the real tools.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crossgate.errors import RenderError
from crossgate.load import load_text
from crossgate.paths import MISSING, follow
from crossgate.render import ENVIRONMENT_KEY, Rendering, render

ROOT = Path(__file__).parent / "render_cases"
RUNS = [
    pytest.param(folder, run, id=f"{folder.name}-{run['name']}")
    for folder in sorted(ROOT.iterdir())
    for run in json.loads((folder / "expected.json").read_text())["runs"]
]


def _bodies(path: Path) -> list[Any]:
    return [document.body for document in load_text(path.read_text(), str(path))]


def _render(folder: Path, run: dict[str, Any]) -> Rendering:
    (xr,) = _bodies(folder / run.get("xr", "xr.yaml"))
    (composition,) = _bodies(folder / (run["inputs"] or "composition.yaml"))
    observed = _bodies(folder / run["observed"]) if "observed" in run else []
    context = {ENVIRONMENT_KEY: json.loads((folder / run["environment"]).read_text())} if "environment" in run else None
    return render(xr, composition, observed=observed, context=context)


def test_no_case_is_missing() -> None:
    assert len({folder.values[0] for folder in RUNS}) == 15


@pytest.mark.parametrize(("folder", "run"), RUNS)
def test_gives_the_right_answer(folder: Path, run: dict[str, Any]) -> None:
    expected = run["expect"]
    if expected["outcome"] == "error":
        with pytest.raises(RenderError) as raised:
            _render(folder, run)
        for error in expected["errors"]:
            for text in error["contains"]:
                assert text in str(raised.value)
        return
    found = _render(folder, run)
    for template, wanted in expected.get("resources", {}).items():
        bodies = {resource.template: resource.body for resource in found.resources} | {"(xr)": found.xr}
        body = bodies.get(template)
        if wanted.get("present") is False:
            assert body is None
            continue
        for field in wanted.get("fields", ()):
            assert follow(body, field["path"]) == field["value"], field["path"]
        for path in wanted.get("absent", ()):
            assert follow(body, path) is MISSING, path
    for warning in expected.get("warnings", ()):
        assert any(all(text in got for text in warning["contains"]) for got in found.warnings)
    if "xr_ready" in expected:
        (ready,) = (condition for condition in found.xr["status"]["conditions"] if condition["type"] == "Ready")
        assert (ready["status"] == "True") is expected["xr_ready"]
