"""A small platform of its own, judged by this project's rules and schemas."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from crossgate.cli import main

PLATFORM = Path(__file__).parent / "platform"

Invoke = Callable[..., subprocess.CompletedProcess[str]]


@dataclass(frozen=True)
class Project:
    """A project's folder, and the command run in it as a user runs it."""

    root: Path

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def run(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "crossgate", *arguments],
            cwd=self.root,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONWARNINGS": "default"},
        )

    def check(self, *paths: str) -> tuple[int, dict[str, Any]]:
        """Run the gate; give its exit code and its JSON report."""
        done = self.run("check", *paths, "-o", "json")
        assert "Traceback" not in done.stderr, done.stderr
        return done.returncode, json.loads(done.stdout)


@pytest.fixture
def project(tmp_path: Path, root: Path) -> Project:
    (tmp_path / "crossgate.toml").write_text(f'policies = ["{root}/policies"]\nschemas = ["{root}/schemas"]\n')
    shutil.copytree(PLATFORM, tmp_path / "dist")
    return Project(tmp_path)


@pytest.fixture
def invoke(project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Invoke:
    """Run the command line within this process: the same as ``project.run``, without its start-up."""

    def run(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        monkeypatch.chdir(project.root)
        monkeypatch.setattr(sys, "argv", ["crossgate", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        code = 0
        try:
            main()
        except SystemExit as ending:
            code = int(ending.code or 0)
        said = capsys.readouterr()
        return subprocess.CompletedProcess(arguments, code, said.out, said.err)

    return run
