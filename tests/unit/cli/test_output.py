"""Where reports go: several per run, none over another, and nobody has to read to the end."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from crossgate.cli.output import parse
from crossgate.errors import UsageError


def test_several_reports_and_one_to_standard_output() -> None:
    assert parse(["json=a.json", "sarif=b/c.sarif", "github"]) == [
        ("json", Path("a.json")),
        ("sarif", Path("b/c.sarif")),
        ("github", None),
    ]


@pytest.mark.parametrize("other", ["report", "./report", "folder/../report", "link"])
def test_two_reports_in_one_file_would_leave_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: str) -> None:
    """The later overwrote the earlier without a word, and an upload of the earlier took the other format."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("report")
    with pytest.raises(UsageError, match="two reports want one file"):
        parse(["json=report", f"sarif={other}"])


@pytest.mark.parametrize("values", [["xml"], ["json="], ["json", "sarif"]])
def test_what_cannot_be_followed(values: list[str]) -> None:
    with pytest.raises(UsageError):
        parse(values)


@pytest.mark.parametrize(("manifest", "code"), [("kind: ConfigMap", 0), ("kind: ConfigMap\ndatum: {}", 1)])
def test_a_reader_that_stops_early_does_not_change_the_verdict(tmp_path: Path, root: Path, manifest: str, code: int) -> None:
    """``crossgate check | head`` ended with 1 for a clean project: click's own answer to a closed pipe."""
    (tmp_path / "crossgate.toml").write_text(f'schemas = ["{root}/schemas"]\npolicies = ["rules"]\n')
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "a.rego").write_text('package a\ndeny contains {"msg": "x"} if input.never\n')
    (tmp_path / "x.yaml").write_text(f"apiVersion: v1\n{manifest}\nmetadata: {{name: a, namespace: b}}\n")
    reading, writing = os.pipe()
    os.close(reading)
    for form in ("text", "json"):
        done = subprocess.run(
            [sys.executable, "-m", "crossgate", "check", "x.yaml", "-o", form, "-o", f"junit={form}.xml"],
            cwd=tmp_path,
            stdout=writing,
            stderr=subprocess.PIPE,
            check=False,
        )
        assert (done.returncode, done.stderr) == (code, b"")
        assert (tmp_path / f"{form}.xml").is_file()
    os.close(writing)


@pytest.mark.parametrize(
    "arguments",
    [
        ("render", "claim.yaml"),
        ("render", "claim.yaml", "--tree"),
        ("policy", "list"),
        ("schema", "list"),
        ("report", "schema", "report"),
        ("cost", "claim.yaml"),
        ("--help",),
        ("check", "nowhere.yaml"),
        ("check", "--no-such-option"),
    ],
)
def test_no_verb_minds_a_reader_that_stops_early(tmp_path: Path, root: Path, arguments: tuple[str, ...]) -> None:
    """They ended with 1, which means findings, or with Python's words about a broken pipe."""
    (tmp_path / "crossgate.toml").write_text(f'schemas = ["{root}/schemas"]\npolicies = ["{root}/policies"]\ndist = "{root}/dist"\n')
    shutil.copy(root / "apps/claims/fraud/fraud-training.yaml", tmp_path / "claim.yaml")

    def run(out: int, err: int) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run([sys.executable, "-m", "crossgate", *arguments], cwd=tmp_path, stdout=out, stderr=err, check=False)

    reading, writing = os.pipe()
    os.close(reading)
    read = run(subprocess.PIPE, subprocess.PIPE)
    assert read.returncode == (2 if arguments[0] == "check" else 0)
    unread = run(writing, subprocess.PIPE)
    assert (unread.returncode, unread.stderr) == (read.returncode, read.stderr)
    assert run(writing, writing).returncode == read.returncode
    os.close(writing)
