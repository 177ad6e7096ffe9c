"""``crossgate claim new`` and ``crossgate team new``, on the platform of this repository."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from crossgate.cli import crossgate
from crossgate.errors import CrossgateError
from crossgate.load import load_paths


@pytest.fixture
def project(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("apps", "dist", "policies"):
        shutil.copytree(root / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "crossgate.toml").write_text(f'schemas = ["{root / "schemas"}"]\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str, answers: str = "") -> Result:
    return CliRunner().invoke(crossgate, arguments, input=answers)


CLAIM = ("claim", "new", "GPUCluster", "--team", "fraud", "--name", "nightly")


def test_flags_make_a_claim_that_the_gate_takes(project: Path) -> None:
    done = run(*CLAIM, "--gpu-type", "t4", "--max-nodes", "1", "--provider", "gcp", "--connection-secret", "nightly-cluster")
    assert done.exit_code == 0, done.output
    assert "wrote apps/claims/fraud/nightly.yaml: it becomes " in done.output
    [document] = load_paths([project / "apps/claims/fraud/nightly.yaml"], root=project).documents
    body = document.body
    assert isinstance(body, dict)
    assert body["metadata"] == {"name": "nightly", "namespace": "ml-team-fraud"}
    assert body["spec"] == {
        "parameters": {"name": "nightly", "gpuType": "t4", "maxNodes": 1},
        "compositionSelector": {"matchLabels": {"provider": "gcp"}},
        "writeConnectionSecretToRef": {"name": "nightly-cluster"},
    }


def test_questions_are_asked_for_what_is_needed(project: Path) -> None:
    """Image, path and model are needed; with several Compositions the usual one is offered."""
    answers = "fraud\nscores\naws\nregistry.acme.com/server:1.0.0\nmodels/a\n/fraud/scores\n"
    done = run("claim", "new", "modelservice", "--ask", answers=answers)
    assert done.exit_code == 0, done.output
    assert "Container image of the server." in done.output
    [document] = load_paths([project / "apps/claims/fraud/scores.yaml"], root=project).documents
    assert isinstance(document.body, dict)
    spec = document.body["spec"]
    assert spec["compositionSelector"] == {"matchLabels": {"provider": "aws"}}
    assert {key: spec[key] for key in spec if key != "compositionSelector"} == {
        "image": "registry.acme.com/server:1.0.0",
        "modelDataPath": "models/a",
        "api": {"path": "/fraud/scores"},
    }


def test_a_name_that_cannot_be_is_asked_for_again(project: Path) -> None:
    """Who answered a question already should not begin anew for a blank in a name, or for one that is taken."""
    done = run("claim", "new", "GPUCluster", "--ask", "--max-nodes", "1", answers="fraud\nmy gpus\nfraud-training\nnightly\ngcp\n")
    assert done.exit_code == 0, done.output
    assert "'my gpus' is no name for a claim; use lower case letters" in done.output
    assert "fraud-training.yaml exists; choose another name" in done.output
    assert (project / "apps/claims/fraud/nightly.yaml").is_file()


def test_without_a_terminal_what_is_missing_is_named(project: Path) -> None:
    with pytest.raises(CrossgateError, match="a ModelService needs --image, --model-data-path, --api-path"):
        CliRunner().invoke(crossgate, ["claim", "new", "ModelService", "--team", "fraud", "--name", "x"], catch_exceptions=False)
    with pytest.raises(CrossgateError, match="a ModelService needs --team, --name, --image, --model-data-path, --api-path"):
        CliRunner().invoke(crossgate, ["claim", "new", "ModelService"], catch_exceptions=False)


def test_what_the_gate_refuses_is_not_written(project: Path) -> None:
    done = run(*CLAIM, "--min-nodes", "3", "--max-nodes", "1")
    assert done.exit_code == 1
    assert "minNodes must not be greater than maxNodes" in done.output
    assert "apps/claims/fraud/nightly.yaml was not written" in done.output
    assert "gitops/sync-wave" not in done.output, "synth gives it its wave; there is nothing to mend"
    assert not (project / "apps/claims/fraud/nightly.yaml").exists()


def test_what_another_claim_has_is_not_written(project: Path) -> None:
    """Alone the claim is right; beside those that teams write in Python it is a second one of the same name."""
    assert (project / "dist/40-claims/vision/gpuclusterclaim-segmentation.yaml").is_file()
    done = run("claim", "new", "GPUCluster", "--team", "vision", "--name", "segmentation", "--max-nodes", "1")
    assert done.exit_code == 1, done.output
    assert "apps/claims/vision/segmentation.yaml was not written" in done.output
    assert not (project / "apps/claims/vision/segmentation.yaml").exists()


@pytest.mark.parametrize(
    ("flag", "value", "said"), [("--gpu-type", "h100", "'h100' is not one of"), ("--max-nodes", "0", "0 is not in the range")]
)
def test_a_value_that_the_schema_does_not_take(project: Path, flag: str, value: str, said: str) -> None:
    done = run(*CLAIM, flag, value)
    assert done.exit_code == 2
    assert said in done.output


def test_the_help_of_an_api_explains_its_fields(project: Path) -> None:
    done = run("claim", "new", "GPUCluster", "--help")
    assert done.exit_code == 0
    assert "--gpu-type [t4|v100|a100]" in done.output
    assert "GPU of each node" in done.output
    listed = run("claim", "new", "--help").output
    assert "GPUClusterClaim" in listed
    assert "XModelServiceOption" not in listed


def test_a_team_that_was_just_started_can_claim(project: Path) -> None:
    who = ("--group", "ml-search", "--owner", "search-leads", "--cost-center", "cc-4713", "--budget", "3000")
    done = run("team", "new", "search", *who)
    assert done.exit_code == 0, done.output
    assert "wrote apps/teams/search.py" in done.output
    done = run("claim", "new", "GPUCluster", "--team", "search", "--name", "first", "--max-nodes", "1")
    assert done.exit_code == 0, done.output
    assert "namespace" not in (project / "apps/claims/search/first.yaml").read_text(), "synth gives it the team's"


def test_a_team_is_asked_for_what_it_needs(project: Path) -> None:
    done = run("team", "new", "search", "--ask", answers="ml-search\nsearch-leads\ncc-1\n3000\n")
    assert done.exit_code == 0, done.output
    assert (project / "apps/teams/search.py").is_file()


def test_without_a_terminal_a_team_says_what_is_missing(project: Path) -> None:
    """As claim new does: a job in CI that waits for an answer, or ends without a word, helps nobody."""
    with pytest.raises(CrossgateError, match="a team needs --owner, --cost-center, --budget"):
        CliRunner().invoke(crossgate, ["team", "new", "search", "--group", "ml-search"], catch_exceptions=False)
    assert not (project / "apps/teams/search.py").exists()
