"""``crossgate check --watch`` as somebody uses it: in a process of its own, while files change."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossgate.cli.watch import look

Project = Any
"""The fixture of conftest.py, which tests cannot import."""

CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: z}\n"


class Watched:
    """The running command; its output goes to files, so that nothing waits for a full pipe."""

    def __init__(self, project: Project, *arguments: str) -> None:
        self.out = project.root.parent / "out"
        with self.out.open("wb") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "crossgate", "check", "--watch", *arguments], cwd=project.root, stdout=out, stderr=subprocess.STDOUT
            )

    def until(self, holds: Callable[[str], bool]) -> str:
        for _ in range(600):
            text = self.out.read_text()
            if holds(text):
                return text
            assert self.process.poll() is None, text
            time.sleep(0.1)
        raise AssertionError(f"it does not come to that: {text}")

    def runs(self, count: int) -> str:
        return self.until(lambda text: text.count("watching for changes") == count)


def test_each_change_is_checked_until_the_user_ends_it(project: Project) -> None:
    """A fault, its mending, settings that are broken for a while, and a rule: one run for each, and Ctrl-C is no error."""
    file = project.write("maps/a.yaml", CONFIG_MAP)
    watched = Watched(project, "maps", "-o", "text", "-o", "json=maps/report.txt")
    try:
        assert "0 errors" in watched.runs(1)
        file.write_text(CONFIG_MAP + "dta: {}\n")
        assert 'unknown field "dta"' in watched.runs(2)
        replaced = file.with_suffix(".new")
        replaced.write_text(CONFIG_MAP + "data: {}\n")
        replaced.rename(file)
        assert watched.runs(3).rstrip().splitlines()[-2].startswith("0 errors")
        settings = (project.root / "crossgate.toml").read_text()
        project.write("crossgate.toml", "= broken [")
        assert "cannot read the settings" in watched.runs(4)
        project.write("crossgate.toml", settings)
        watched.runs(5)
        time.sleep(1.5)
        assert watched.out.read_text().count("watching for changes") == 5, "its own report is no change"
        watched.process.send_signal(signal.SIGINT)
        assert watched.process.wait(timeout=20) == 130
        assert "Traceback" not in watched.out.read_text()
    finally:
        if watched.process.poll() is None:
            watched.process.kill()
            watched.process.wait()


def test_standard_input_cannot_be_watched(project: Project) -> None:
    done = project.run("check", "-", "--watch")
    assert done.returncode == 2
    assert "standard input cannot be watched" in done.stderr


@pytest.mark.parametrize("change", ["write", "rename", "remove", "add"])
def test_every_kind_of_change_is_seen(tmp_path: Path, change: str) -> None:
    file = tmp_path / "a" / "b.yaml"
    file.parent.mkdir()
    file.write_text("a")
    (tmp_path / ".git").mkdir()
    os.utime(file, ns=(1, 1))
    before = look([tmp_path])
    (tmp_path / ".git" / "index").write_text("x")
    assert look([tmp_path]) == before, "git's own files change all the time"
    if change == "write":
        file.write_text("b")
    elif change == "rename":
        other = file.with_name("c")
        other.write_text("b")
        os.utime(other, ns=(1, 1))
        other.rename(file)
    elif change == "remove":
        file.unlink()
    else:
        (tmp_path / "new.rego").write_text("")
    assert look([tmp_path]) != before
