"""A throw-away git repository with a small platform, and the commands run in it as a user runs them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from crossgate.check import check
from crossgate.config import Config
from crossgate.plan.make import plan
from crossgate.report import FORMATS, write
from crossgate.report.plan import FORMATS as PLAN_FORMATS
from crossgate.report.plan import write as write_plan


@dataclass(frozen=True)
class Repo:
    """The repository's folder. Its first commit is the branch ``main``; the branch ``change`` is checked out."""

    root: Path

    def at(self, root: Path) -> Repo:
        """Return another repository, or a folder of this one."""
        return Repo(root)

    def git(self, *arguments: str) -> str:
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false", "-c", "protocol.file.allow=always"]
        return subprocess.run(["git", *who, *arguments], cwd=self.root, check=True, capture_output=True, text=True).stdout

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace a text that stands there once."""
        path = self.root / name
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {name}"
        path.write_text(text.replace(old, new), encoding="utf-8")

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-qm", "change")

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "crossgate", *arguments],
            cwd=self.root,
            env={**os.environ, "PYTHONIOENCODING": "utf-8", **environment},
            capture_output=True,
            check=False,
        )
        # decoded here: Python's own text mode would hide carriage returns
        out, err = (text.decode("utf-8") for text in (done.stdout, done.stderr))
        assert "Traceback" not in err, err
        return subprocess.CompletedProcess(done.args, done.returncode, out, err)

    def check(self, *paths: str) -> tuple[int, dict[str, Any]]:
        """Judge the checked-out files by ``main``; give the exit code and the JSON report."""
        report = check([self.root / path for path in paths] or None, config=Config.find(self.root), base="main")
        return report.exit_code, json.loads(write(report, "json"))

    def reports(self) -> dict[str, str]:
        """Return all that the gate and the plan write about the checked-out files, by format."""
        config = Config.find(self.root)
        report, made = check(config=config, base="main", with_plan=True), plan(config=config, base="main")
        said = {name: write(report, name) for name in FORMATS}
        return said | {"plan" if name == "text" else f"plan.{name}": write_plan(made, name) for name in PLAN_FORMATS}

    def plan(self, *paths: str) -> dict[str, Any]:
        """Compare the checked-out files with ``main``; give the JSON plan."""
        made: dict[str, Any] = json.loads(
            write_plan(plan([self.root / path for path in paths] or None, config=Config.find(self.root), base="main"), "json")
        )
        return made


@pytest.fixture
def repo(tmp_path: Path, root: Path) -> Repo:
    made = Repo(tmp_path / "repo")
    shutil.copytree(Path(__file__).parent / "store", made.root)
    (made.root / "crossgate.toml").write_text(f'schemas = ["{root}/schemas"]\n')
    made.git("init", "-q", "-b", "main")
    made.commit()
    made.git("checkout", "-q", "-b", "change")
    return made
