"""The tour of the README, as a newcomer takes it: what it shows is what comes out, and where it says that a claim passes, it passes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]


@pytest.fixture
def tour(root: Path) -> str:
    return (root / "README.md").read_text(encoding="utf-8").partition("\n## Two-minute tour\n")[2].partition("\n## ")[0]


@pytest.fixture
def run(root: Path) -> Run:
    def run(*arguments: str | Path) -> Done:
        words = [sys.executable, "-m", "crossgate", *map(str, arguments)]
        return subprocess.run(words, cwd=root, env={**os.environ, "COLUMNS": "80"}, capture_output=True, text=True, check=False)

    return run


@pytest.fixture
def claim(tour: str, tmp_path: Path) -> Path:
    """The claim of the tour, with its mistake."""
    file = tmp_path / "embeddings.yaml"
    file.write_text(re.findall(r"^```yaml\n(.*?)^```", tour, re.MULTILINE | re.DOTALL)[0], encoding="utf-8")
    return file


def shown(tour: str, command: str) -> list[str]:
    """Return the lines that the tour shows below a command, but for the last, which stands for the rest, and for names of files."""
    text = re.findall(rf"^```console\n\$ crossgate {command}\b[^\n]*\n(.*?)^```", tour, re.MULTILINE | re.DOTALL)[0]
    return [re.sub(r" +\S*embeddings\.yaml", "", line) for line in text.splitlines()[:-1]]


def said(done: Done) -> list[str]:
    return [re.sub(r" +\S*embeddings\.yaml", "", line) for line in done.stdout.splitlines()]


def test_the_claim_is_refused_as_shown(tour: str, claim: Path, run: Run) -> None:
    expected = shown(tour, "check")
    done = run("check", claim)
    assert (done.returncode, said(done)[: len(expected)]) == (1, expected)
    assert len(expected) > 5


def test_mended_it_passes_alone_and_with_all_that_stands_in_dist(claim: Path, run: Run) -> None:
    """A team's budget and quota are over all of its claims: what passes alone may be too much for the team."""
    claim.write_text(claim.read_text(encoding="utf-8").replace("h100", "a100"), encoding="utf-8")
    alone = run("check", claim)
    assert alone.stdout.splitlines()[-1] == "0 errors, 0 warnings, 0 could not be checked"
    together = run("check", "dist", claim)
    assert together.stdout.splitlines()[-1].startswith("0 errors, ")
    assert together.returncode == 0


def test_it_becomes_what_is_shown(tour: str, claim: Path, run: Run) -> None:
    claim.write_text(claim.read_text(encoding="utf-8").replace("h100", "a100"), encoding="utf-8")
    expected = shown(tour, "render")
    assert said(run("render", "--tree", claim))[: len(expected)] == expected
    assert len(expected) > 3


def test_the_example_of_claim_new_is_accepted(claim: Path, run: Run) -> None:
    """Who copies the example from --help gets a claim: the team's budget and quota have room for it."""
    example = re.search(r"crossgate claim new GPUCluster (--team .*)", run("claim", "new", "--help").stdout)
    assert example
    words = example[1].split()
    options = dict(zip(words[::2], words[1::2], strict=True))
    text = claim.read_text(encoding="utf-8").replace("ml-team-research", f"ml-team-{options['--team']}")
    text = text.replace("h100", options["--gpu-type"]).replace("maxNodes: 2", f"maxNodes: {options['--max-nodes']}")
    claim.write_text(text, encoding="utf-8")
    assert run("check", "dist", claim).returncode == 0
