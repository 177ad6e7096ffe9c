"""What ``crossgate check .`` does not look at, and what it must not overlook."""

from __future__ import annotations

from pathlib import Path

import pytest

from crossgate.load.aside import Aside, left_out
from crossgate.load.files import find_files


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in (
        "a.yaml",
        "apps/b.yaml",
        "apps/node_modules/x/c.yaml",
        "venv/pyvenv.cfg",
        "venv/lib/d.yaml",
        ".github/e.yaml",
        "schemas/f.json",
        "rules/g.yaml",
        "dist/h.yaml",
        "dist/.hidden/i.yaml",
        "dist/node_modules/j.yaml",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("kind: A")
    return tmp_path


def aside(project: Path, dist: str = "dist") -> Aside:
    return Aside(project, (project / "schemas", project / "rules"), project / dist)


def found(project: Path, *paths: str) -> list[str]:
    return [file.name for file in find_files([project / path for path in paths], root=project, aside=aside(project))]


def test_a_search_of_the_whole_project_leaves_out_what_is_not_its_own(project: Path) -> None:
    """Below dist/ nothing is left out: Argo CD reads hidden folders too."""
    assert found(project, ".") == ["a.yaml", "apps/b.yaml", "dist/.hidden/i.yaml", "dist/h.yaml", "dist/node_modules/j.yaml"]


def test_a_folder_that_is_named_is_searched(project: Path) -> None:
    assert found(project, "venv", ".github", "rules") == ["venv/lib/d.yaml", ".github/e.yaml", "rules/g.yaml"]
    assert found(project, "apps") == ["apps/b.yaml", "apps/node_modules/x/c.yaml"]


def test_the_folders_are_named(project: Path) -> None:
    names = [folder.relative_to(project).as_posix() for folder in left_out([project], aside(project))]
    assert sorted(names) == [".github", "apps/node_modules", "rules", "schemas", "venv"]
    assert list(left_out([project / "apps"], aside(project))) == []


def test_a_dist_in_a_hidden_folder_is_searched(project: Path) -> None:
    assert not aside(project, ".github").leaves_out(project / ".github")
    assert not aside(project, ".a/dist").leaves_out(project / ".a")


def test_of_a_commit_names_decide(project: Path) -> None:
    out = aside(project).leaves_out_file
    assert out(project / ".github/e.yaml")
    assert out(project / "schemas/f.json")
    assert not out(project / "dist/.hidden/i.yaml")
    assert not out(project / "a.yaml")
