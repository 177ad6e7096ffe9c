"""What the command line says when it is misused, and what a shell is told while a command is written."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

Project = Any
"""The fixture of conftest.py, which tests cannot import."""


@pytest.mark.parametrize(
    ("arguments", "what", "where"),
    [
        (["check", "--bogus"], "no such option '--bogus'", "crossgate check"),
        (["check", "-o"], "option '-o' requires an argument", "crossgate check"),
        (["bogus"], "no such command 'bogus'", "crossgate"),
        (["render"], "missing argument", "crossgate render"),
        (["schema", "bogus"], "no such command 'bogus'", "crossgate schema"),
        (["check", "--fail-on", "x"], "invalid value for '--fail-on'", "crossgate check"),
    ],
)
def test_misuse_is_three_short_lines(project: Project, arguments: list[str], what: str, where: str) -> None:
    """What, where and the way out, as every error."""
    done = project.run(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    first, second, third = done.stderr.splitlines()
    assert first.startswith(f"crossgate: {what}")
    assert (second, third) == (f"  at {where}", f"  {where} --help says what it takes")


def test_no_verb_shows_what_there_is(project: Project) -> None:
    done = project.run()
    assert done.returncode == 2
    assert "Commands:" in done.stderr + done.stdout


def test_a_kind_that_nobody_knows_is_no_success(project: Project) -> None:
    done = project.run("schema", "list", "nope")
    assert done.returncode == 2
    assert "'nope'" in done.stderr


def test_the_schema_of_the_settings_is_printed(project: Project) -> None:
    assert json.loads(project.run("schema", "settings").stdout)["additionalProperties"] is False


def completed(folder: Path, *words: str) -> list[str]:
    """Ask as the script for bash does: the last word is the one that is being written."""
    environment = {"COMP_WORDS": " ".join(["crossgate", *words]), "COMP_CWORD": str(len(words)), "_CROSSGATE_COMPLETE": "bash_complete"}
    script = "from crossgate.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=folder, env=environment | {"PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return [line.partition(",")[2] for line in done.stdout.splitlines() if line]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("che",), ["check"]),
        (("check", "--ba"), ["--base"]),
        (("policy", "explain", "network/open-c"), ["network/open-cidr"]),
        (("schema", "list", "StatefulS"), ["StatefulSet"]),
        (("completion", "b"), ["bash"]),
        (("claim", "new", "GPUCluster"), ["GPUClusterClaim"]),
    ],
)
def test_a_shell_completes(root: Path, words: tuple[str, ...], expected: list[str]) -> None:
    assert completed(root, *words) == expected


@pytest.mark.parametrize("settings", ["= broken [", 'dist = "none"\npolicies = []\nschemas = []\n'])
def test_completion_is_silent_where_there_is_nothing(tmp_path: Path, settings: str) -> None:
    """An error in the middle of the line that somebody writes would help nobody."""
    (tmp_path / "crossgate.toml").write_text(settings)
    for words in (("policy", "explain", ""), ("schema", "list", ""), ("claim", "new", "")):
        assert completed(tmp_path, *words) == []


def test_completion_offers_no_command_of_a_files_name(tmp_path: Path) -> None:
    """What is completed stands in the line that is run next."""
    (tmp_path / "schemas" / "a" / "v1").mkdir(parents=True)
    for name in ("Pod", "Po$(touch x)", "Po`id`", "Po;id", "Po d"):
        (tmp_path / "schemas" / "a" / "v1" / f"{name}.json").write_text("{}")
    assert completed(tmp_path, "schema", "list", "Po") == ["Pod"]


def test_completion_says_nothing_about_what_it_cannot_read(tmp_path: Path) -> None:
    """Not even that crossgate itself is at fault."""
    (tmp_path / "crossgate.toml").write_bytes(b"\xff")
    assert completed(tmp_path, "policy", "explain", "") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_is_one(project: Project, shell: str) -> None:
    done = project.run("completion", shell)
    assert done.returncode == 0
    assert f"_CROSSGATE_COMPLETE={shell}_complete" in done.stdout
    if shutil.which(shell):
        assert subprocess.run([shell, "-n"], input=done.stdout, capture_output=True, text=True, check=False).stderr == ""


def test_bash_completes_a_line(project: Project, root: Path) -> None:
    """The script in a real bash."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("bash is not installed")
    script = project.run("completion", "bash").stdout
    ask = 'COMP_WORDS=(crossgate policy ex); COMP_CWORD=2; _crossgate_completion crossgate; echo "${COMPREPLY[@]}"'
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    done = subprocess.run([bash, "-c", f"{script}\n{ask}"], cwd=root, env={"PATH": path}, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["explain", "export"]


def test_a_check_of_the_whole_project_says_what_it_left_out(project: Project) -> None:
    """``check .`` judged the packages of virtual environments and the project's own schemas."""
    broken = "apiVersion: v1\nkind: ConfigMap\ndta: {}\n"
    for name in ("node_modules/a/x.yaml", ".venv/y.yaml", "schemas/z.json"):
        project.write(name, broken)
    code, report = project.check(".")
    assert code == 0
    assert {finding["file"].partition("/")[0] for finding in report["findings"]} <= {"dist"}
    assert any(note.startswith("3 files were left out, in .venv, node_modules, schemas") for note in report["notes"])
    code, report = project.check("node_modules")
    assert code == 1
    assert not any("left out" in note for note in report["notes"])


def test_an_empty_path_is_not_the_working_folder(project: Project) -> None:
    """``crossgate check "$UNSET"`` must not judge whatever stands around."""
    for verb in (["check"], ["plan", "--base", "HEAD"], ["baseline", "write"]):
        done = project.run(*verb, "")
        assert done.returncode == 2
        assert "the path is empty" in done.stderr
