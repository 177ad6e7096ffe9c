from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from crossgate.policy.remote import Store

POLICY = 'package main\n\nimport rego.v1\n\ndeny contains "x" if input.x\n'


class Repository:
    """A git repository that policies stand in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.git("init", "-q", "-b", "main")
        self.write("policy/main.rego", POLICY)
        self.commit()

    def git(self, *arguments: str) -> str:
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false", "-c", "protocol.file.allow=always"]
        return subprocess.run(["git", *who, *arguments], cwd=self.folder, check=True, capture_output=True, text=True).stdout.strip()

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def commit(self) -> str:
        self.git("add", "-A")
        self.git("commit", "-qm", "change")
        return self.git("rev-parse", "HEAD")

    def source(self, ref: str = "main", folder: str = "policy") -> str:
        return f"git+file://{self.folder}@{ref}" + (f"#{folder}" if folder else "")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repository")


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """The user's cache, empty."""
    monkeypatch.setitem(os.environ, "XDG_CACHE_HOME", str(tmp_path / "cache"))
    return Store.default()
