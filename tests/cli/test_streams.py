"""Where output goes must not change what a command says by its exit code, and what could not be said is no pass."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

CLAIM = "kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\n"
RULE = 'package main\n\nimport rego.v1\n\ndeny contains msg if { input.kind == data.refused; msg := sprintf("no %s", [input.kind]) }\n'


def run(folder: Path, shell: str) -> subprocess.CompletedProcess[str]:
    """Run ``check`` in a shell that adds ``shell`` to it: only a shell starts a program with its streams closed."""
    command = f'exec "$0" -m crossgate check m.yaml --policy p --schemas s {shell}'
    environment = {**os.environ, "CROSSGATE_CACHE": "off"}
    return subprocess.run(["sh", "-c", command, sys.executable], cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in (("m.yaml", CLAIM), ("p/a.rego", RULE), ("p/data.yaml", "refused: ConfigMap"), ("s/none.yaml", "")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_changes_no_verdict(project: Path, closed: str) -> None:
    """The pipe to the process that evaluates rules would be opened in its place, and be given up by that process with its own output."""
    usual = run(project, "")
    assert "main/deny" in usual.stdout
    done = run(project, closed)
    assert done.returncode == usual.returncode
    assert done.stdout == ("" if ">&-" in closed.split() else usual.stdout)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is always full")
def test_a_report_that_cannot_be_written_is_no_verdict(project: Path) -> None:
    """Exit code 120 and a traceback, as Python has it, mean nothing to whoever reads exit codes."""
    done = run(project, ">/dev/full")
    assert done.returncode == 3
    assert done.stderr.splitlines()[:2] == ["crossgate: cannot write what was found: No space left on device", "  at standard output"]
    assert "Traceback" not in done.stderr
    assert run(project, "2>/dev/full").returncode == run(project, "").returncode
