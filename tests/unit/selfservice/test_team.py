"""A new team: one file, checked before it is written, never over another."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from crossgate.errors import UsageError
from crossgate.selfservice import claim_file, new_team, team_namespace, teams

WHO: dict[str, Any] = {"group": "ml-x", "owner": "lead", "cost_center": "cc-1", "budget": 3000}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "apps/teams").mkdir(parents=True)
    (tmp_path / "apps/teams/__init__.py").write_text("")
    return tmp_path


def call(file: Path) -> dict[str, Any]:
    """The arguments of the Team in a file."""
    tree = ast.parse(file.read_text())
    [made] = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    assert isinstance(made.func, ast.Name)
    assert made.func.id == "Team"
    return {"name": ast.literal_eval(made.args[0]), **{str(each.arg): ast.literal_eval(each.value) for each in made.keywords}}


def test_a_team_is_one_module(project: Path) -> None:
    file = new_team(project, "risk-models", **WHO)
    assert file == project / "apps/teams/risk_models.py"
    expected = {"name": "risk-models", "group": "ml-x", "owner": "lead", "cost_center": "cc-1", "monthly_budget": 3000}
    assert call(file) == expected
    assert teams(project) == ("risk-models",)


@pytest.mark.parametrize("group", ['a"b', "a\\b", "CN=ml,OU=x", "grüße", "{name}", "'"])
def test_any_group_survives_the_way_into_python(project: Path, group: str) -> None:
    assert call(new_team(project, "a", **{**WHO, "group": group}))["group"] == group


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"name": "Risk"}, "no name for a team"),
        ({"name": "1risk"}, "no name for a team"),
        ({"name": "risk-"}, "no name for a team"),
        ({"name": "a" * 41}, "no name for a team"),
        ({"name": "../x"}, "no name for a team"),
        ({"name": "risk\n"}, "no name for a team"),
        ({"owner": "Jane Doe"}, "no owner"),
        ({"owner": "a" * 64}, "no owner"),
        ({"cost_center": ""}, "no cost center"),
        ({"group": " "}, "no group"),
        ({"group": "a\nb"}, "no group"),
        ({"budget": -1}, "the budget is -1"),
    ],
)
def test_bad_names_are_refused_with_the_way_out(project: Path, changed: dict[str, Any], what: str) -> None:
    """They would become labels and names that the API server refuses, long after somebody could have mended them."""
    values = {"name": "risk", **WHO, **changed}
    with pytest.raises(UsageError, match=what) as raised:
        new_team(project, values.pop("name"), **values)
    assert raised.value.hint
    assert teams(project) == ()


def test_a_team_is_never_overwritten(project: Path) -> None:
    file = new_team(project, "a", **WHO)
    file.write_text(file.read_text() + "# mine\n")
    with pytest.raises(UsageError, match="there is a team a"):
        new_team(project, "a", **WHO)
    assert file.read_text().endswith("# mine\n")


def test_a_project_without_teams_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="this project has no teams"):
        new_team(tmp_path, "a", **WHO)


def test_a_claim_goes_into_the_folder_of_a_team_that_there_is(project: Path) -> None:
    new_team(project, "a", **WHO)
    assert claim_file(project, "a", "Thing", "x") == project / "apps/claims/a/x.yaml"
    with pytest.raises(UsageError, match="there is no team 'b'") as raised:
        claim_file(project, "b", "Thing", "x")
    assert raised.value.hint == "teams are: a; start one with crossgate team new b"


@pytest.mark.parametrize("name", ["X", "a_b", "-a", "a-", "a" * 64, "../x", "", "a\n"])
def test_a_name_that_kubernetes_would_refuse(project: Path, name: str) -> None:
    new_team(project, "a", **WHO)
    with pytest.raises(UsageError, match="no name for a claim"):
        claim_file(project, "a", "Thing", name)


def test_a_claim_is_never_overwritten_whatever_its_file_is_called(project: Path) -> None:
    new_team(project, "a", **WHO)
    folder = project / "apps/claims/a"
    folder.mkdir(parents=True)
    (folder / "x.yaml").write_text("a: 1\n")
    (folder / "other.yml").write_text("kind: Thing\nmetadata: {name: z}\n")
    (folder / "broken.yaml").write_text("a: [\n")
    with pytest.raises(UsageError, match=r"apps/claims/a/x\.yaml exists"):
        claim_file(project, "a", "Thing", "x")
    with pytest.raises(UsageError, match="team a has a Thing named z"):
        claim_file(project, "a", "Thing", "z")
    assert claim_file(project, "a", "Other", "z") == folder / "z.yaml"


def test_the_namespace_and_labels_of_a_team_come_from_dist(project: Path) -> None:
    assert team_namespace(project / "dist", "a", root=project).name == "", "before synth there is none"
    (project / "dist").mkdir()
    labels = "{team: a, owner: o, pod-security.kubernetes.io/enforce: baseline}"
    (project / "dist/n.yaml").write_text(f"apiVersion: v1\nkind: Namespace\nmetadata:\n  name: ml-team-a\n  labels: {labels}\n")
    found = team_namespace(project / "dist", "a", root=project)
    assert (found.name, found.labels) == ("ml-team-a", {"team": "a", "owner": "o"})
