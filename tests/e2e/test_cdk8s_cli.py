"""The real cdk8s command line makes the same bytes: nobody has to use crossgate to build this platform."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.tools
def test_cdk8s_synth_writes_what_is_committed(tool: Callable[[str], str], root: Path, tmp_path: Path) -> None:
    cdk8s = tool("cdk8s")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    out = tmp_path / "dist"
    done = subprocess.run(
        [cdk8s, "synth", "--check-upgrade=false", "--output", str(out)],
        cwd=root,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    committed = files(root / "dist")
    assert committed, "dist/ is committed"
    assert files(out) == committed
