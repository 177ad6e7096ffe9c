"""The platform of this repository, from its own sources to what is committed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def crossgate(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "crossgate", *arguments], cwd=project, env={**os.environ}, capture_output=True, text=True, check=False
    )


@pytest.fixture
def copy(root: Path, tmp_path: Path) -> Path:
    """A copy of the platform's sources: its own constructs/ are used, not those that are installed."""
    for name in ("apps", "constructs"):
        shutil.copytree(root / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(root / "cdk8s.yaml", tmp_path)
    (tmp_path / "crossgate.toml").write_text(f'schemas = ["{root / "schemas"}"]\n')
    return tmp_path


def edit(path: Path, old: str, new: str) -> int:
    """Replace a text that stands there once; return its line."""
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))
    return text[: text.index(old)].count("\n") + 1


def test_dist_is_what_the_app_makes(root: Path) -> None:
    done = crossgate(root, "synth", "--check")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_patch_from_a_field_that_the_api_does_not_have(copy: Path) -> None:
    line = edit(copy / "constructs/mlplatform/gpucluster.py", "Size(_PARAMETERS.min_nodes,", "Size(_PARAMETERS.least_nodes,")
    done = crossgate(copy, "synth")
    assert done.returncode != 0
    assert "no field spec.parameters.leastNodes" in done.stderr
    assert f"constructs/mlplatform/gpucluster.py:{line}" in done.stderr
    assert not (copy / "dist").exists()


def test_a_patch_to_a_field_that_the_kind_does_not_have(copy: Path) -> None:
    line = edit(copy / "constructs/mlplatform/blocks/nodepool.py", "autoscaling.minNodeCount", "autoscaling.minNodes")
    done = crossgate(copy, "synth")
    assert done.returncode == 1
    assert f"constructs/mlplatform/blocks/nodepool.py:{line}: " in done.stderr
    assert "minNodes" in done.stderr
    assert not (copy / "dist").exists()


def test_a_patch_whose_value_has_the_wrong_type_after_its_transforms(copy: Path) -> None:
    file = copy / "constructs/mlplatform/blocks/nodepool.py"
    line = edit(
        file, 'gpu_type, "spec.forProvider.nodeConfig.labels.gpu-type")', 'gpu_type, "spec.forProvider.autoscaling.totalMaxNodeCount")'
    )
    done = crossgate(copy, "synth")
    assert done.returncode == 1
    assert f"constructs/mlplatform/blocks/nodepool.py:{line}: " in done.stderr


def test_a_base_with_a_field_that_the_kind_does_not_have(copy: Path) -> None:
    edit(copy / "constructs/mlplatform/blocks/bucket.py", '"storageClass": "STANDARD"', '"storageKind": "STANDARD"')
    done = crossgate(copy, "synth")
    assert done.returncode == 1
    assert "constructs/mlplatform/blocks/bucket.py:" in done.stderr
    assert "storageKind" in done.stderr


def test_a_claim_in_yaml_is_refused_at_its_own_line(copy: Path) -> None:
    line = edit(copy / "apps/claims/fraud/fraud-training.yaml", "gpuType: t4", "gpuType: h100")
    done = crossgate(copy, "synth")
    assert done.returncode == 1
    assert f"apps/claims/fraud/fraud-training.yaml:{line}:" in done.stderr
    assert "h100" in done.stderr


def test_a_claim_in_python_is_refused_at_its_own_line(copy: Path) -> None:
    line = edit(copy / "apps/teams/vision.py", 'gpu_type="a100"', 'gpu_type="h100"')
    done = crossgate(copy, "synth")
    assert done.returncode != 0
    assert f"apps/teams/vision.py:{line}" in done.stderr
    assert "Traceback" not in done.stderr


def test_what_a_construct_refuses_has_no_stack_of_javascript(copy: Path) -> None:
    file = copy / "apps/platform.py"
    line = edit(file, "        module.claims(claims)\n", "        module.claims(claims)\n        platform.folder('10-xrds')\n") + 1
    done = crossgate(copy, "synth")
    assert done.returncode != 0
    assert f"apps/platform.py:{line}" in done.stderr
    assert "There is already a Construct with name '10-xrds'" in done.stderr
    assert ".js:" not in done.stderr
