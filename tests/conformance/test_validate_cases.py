"""Situations from public bug reports of the neighbouring validators, with the right answer.

Each folder in validate_cases/ has its inputs and ``expected.json``. ``contains`` are words of the real tool: the same place and
cause must be named here, which ``SAME`` translates where our words differ.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import crossgate
from crossgate.config import Config

ROOT = Path(__file__).parent / "validate_cases"
SAME = {
    "/spec/forProvider/cidr": "spec.forProvider.cidr",
    "could not find schema": "no schema for",
    "could not find CRD/XRD": "no schema for",
    "missing": "no schema for",
    "error": "templated.yaml:",
}
FLAGS = {"-ignore-missing-schemas", "foo loose"}
"""Runs that switch the complaint about missing schemas off, which crossgate does not."""


def _runs() -> list[Any]:
    return [
        pytest.param(folder, run, id=f"{folder.name}-{run['name']}")
        for folder in sorted(ROOT.iterdir())
        for run in json.loads((folder / "expected.json").read_text())["runs"]
        if not FLAGS & {run["name"], *run.get("args", ())}
    ]


@pytest.mark.parametrize(("folder", "run"), _runs())
def test_gives_the_right_answer(folder: Path, run: dict[str, Any], root: Path, tmp_path: Path) -> None:
    if run["inputs"] == "empty-dir":
        subject = tmp_path / "empty"
        subject.mkdir()
    else:
        subject = folder / run["inputs"]
    definitions = [path for path in (folder / "xrd.yaml", folder / "schemas") if path.exists()]
    config = Config(root=folder, dist=tmp_path / "dist", schemas=(root / "schemas", *definitions), policies=(root / "policies",))
    report = crossgate.check([subject], config=config)
    said = [f"{finding.path} {finding.message}" for finding in report.findings if finding.rule.startswith(("schema/", "manifest/"))]
    said += [f"{unknown.what} {unknown.where}" for unknown in report.could_not_check]
    if run["expect"]["outcome"] == "ok":
        assert said == []
        return
    assert said
    assert report.exit_code != 0
    for error in run["expect"]["errors"]:
        for text in error["contains"]:
            assert any(SAME.get(text, text) in line for line in said), (text, said)
