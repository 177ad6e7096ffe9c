"""A claim is judged where its team wrote it as what synth makes of it, and a part of dist/ as a part of the whole."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from crossgate.check import check
from crossgate.cli import main
from crossgate.config import Config
from crossgate.load import load_paths
from crossgate.load.additions import whole
from crossgate.model import Finding, Report
from crossgate.plan.make import plan

CARD = "apps/claims/fraud/card-scoring.yaml"
NEW = """\
apiVersion: platform.acme.com/v1alpha1
kind: ModelService
metadata:
  name: refunds
spec:
  image: registry.acme.com/inference-server:1.4.2
  modelDataPath: refunds/model.safetensors
  compute: {instanceType: c5.large, replicas: 1}
  api: {path: /fraud/refunds, authentication: {method: key-auth}, rateLimit: {requestsPerMinute: 60}}
"""


@pytest.fixture
def copied(tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of this project's claims and of what synth made of them, judged by this project's rules."""
    for name in ("dist", "apps"):
        shutil.copytree(root / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(root / "constructs", tmp_path / "constructs", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "crossgate.toml").write_text(f'policies = ["{root}/policies"]\nschemas = ["{root}/schemas"]\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def told(findings: Sequence[Finding]) -> set[tuple[str, str, str, int]]:
    return {(found.fingerprint, found.message, found.place.file, found.place.line) for found in findings}


def edited(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def behind(report: Report) -> list[str]:
    return [note for note in report.notes if "crossgate synth" in note]


def test_claims_are_judged_where_they_stand_as_in_dist(copied: Path) -> None:
    """They lack namespace and labels, which synth adds: without them they were somebody else's, and over that one's budget."""
    sources, output = check(["apps/claims"]), check(["dist/40-claims"])
    assert told(sources.findings) == told(output.findings)
    assert told(sources.findings)
    assert not behind(sources)
    assert {subject.place.file for subject in sources.subjects} == {
        file.relative_to(copied).as_posix() for file in copied.glob("apps/claims/*/*.yaml")
    }


def test_a_claim_that_was_edited_since_is_judged_as_it_is_now(copied: Path) -> None:
    edited(copied / CARD, "instanceType: c5.large", "instanceType: [large]")
    report = check([CARD])
    assert {(found.resource.namespace, found.place.file, found.place.line) for found in report.findings if found.severity.rank == 0} == {
        ("ml-team-fraud", CARD, 10)
    }
    assert behind(report) == [f"dist/ is not made from {CARD} as it is now: run crossgate synth"]


def test_a_new_claim_gets_what_its_neighbours_got(copied: Path) -> None:
    edited(copied / CARD, "replicas: 1", "replicas: 2")  # of what was edited since nobody knows what synth would add
    (copied / "apps/claims/fraud/refunds.yaml").write_text(NEW)
    report = check(["apps/claims/fraud/refunds.yaml"])
    assert not report.findings
    assert {subject.resource.namespace for subject in report.subjects if subject.parent == -1} == {"ml-team-fraud"}
    assert behind(report) == ["dist/ is not made from apps/claims/fraud/refunds.yaml as it is now: run crossgate synth"]


def test_a_label_that_a_neighbour_wrote_itself_is_not_the_teams(copied: Path) -> None:
    """Synth gives the new claim what the team's Namespace says; without that it was said to have no owner."""
    for file in [*(copied / "apps/claims/fraud").iterdir()]:
        if file.name != "card-scoring.yaml":
            file.unlink()
    was = hashlib.sha256((copied / CARD).read_bytes()).hexdigest()
    edited(copied / CARD, "  name: card-scoring\n", "  name: card-scoring\n  labels: {owner: ada}\n")
    edited(copied / "dist/.crossgate-sources", was, hashlib.sha256((copied / CARD).read_bytes()).hexdigest())
    (copied / "apps/claims/fraud/refunds.yaml").write_text(NEW)
    report = check(["apps/claims/fraud/refunds.yaml"])
    assert not report.findings
    [claim] = whole(load_paths([copied / "apps/claims/fraud/refunds.yaml"], root=copied).documents, copied, copied / "dist")
    assert isinstance(claim.body, dict)
    assert claim.body["metadata"]["labels"]["owner"] == "fraud-leads"


def test_the_first_claim_of_a_team_gets_what_its_namespace_says(copied: Path) -> None:
    """Nobody has claimed anything there yet, or the only claim has another name now."""
    for file in [*(copied / "apps/claims/fraud").iterdir()]:
        file.unlink()
    (copied / "apps/claims/fraud/refunds.yaml").write_text(NEW)
    assert not check(["apps/claims/fraud"]).findings
    lines = (copied / "dist/.crossgate-sources").read_text().splitlines()
    (copied / "dist/.crossgate-sources").write_text(
        "".join(f"{line}\n" for line in lines if "claims/fraud/" not in line or line == lines[0])
    )
    report = check(["apps/claims/fraud"])
    assert not report.findings
    assert {subject.resource.namespace for subject in report.subjects if subject.parent == -1} == {"ml-team-fraud"}
    assert len(behind(report)) == 1


def test_output_edited_by_hand_adds_nothing(copied: Path) -> None:
    """What synth would write is not what stands there."""
    edited(copied / "dist/40-claims/fraud/modelservice-card-scoring.yaml", "owner: fraud-leads", "owner: somebody-else")
    report = check([CARD])
    assert not [found for found in report.findings if found.rule != "api/rate-limit"]
    assert behind(report)
    for file in copied.glob("dist/*/**/*.yaml"):
        file.write_text(file.read_text() + "# by hand\n")
    assert {found.resource.namespace for found in check([CARD]).findings} == {""}


def test_a_claim_for_another_team_is_not_made_the_teams(copied: Path) -> None:
    """Synth refuses it; with the labels of its folder it would be judged as what it never becomes."""
    edited(copied / CARD, "  name: card-scoring\n", "  name: card-scoring\n  namespace: ml-team-vision\n")
    report = check([CARD])
    assert {subject.resource.namespace for subject in report.subjects if subject.parent == -1} == {"ml-team-vision"}
    assert "tenancy/labels" in {found.rule for found in report.findings}


def test_claim_and_output_together_are_one(copied: Path) -> None:
    """They would be told as two objects of one name; what was edited since is not in dist/, and that is said."""
    assert told(check(["apps/claims", "dist/40-claims"]).findings) == told(check(["dist/40-claims"]).findings)
    edited(copied / CARD, "replicas: 1", "replicas: 2")
    both = check(["apps/claims/fraud", "dist/40-claims/fraud"])
    assert "crossplane/duplicate-identity" not in {found.rule for found in both.findings}
    assert behind(both)


@pytest.mark.parametrize("verb", [("render", "-o", "json"), ("cost", "--by", "team")])
def test_what_a_claim_becomes_and_costs_is_said_of_its_source_too(
    copied: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], verb: tuple[str, ...]
) -> None:
    """It cost the platform, and became things of other names than on the cluster."""
    said = []
    for files in ([CARD], ["dist/40-claims/fraud/modelservice-card-scoring.yaml"], [CARD, "dist/40-claims"], ["dist/40-claims"]):
        monkeypatch.setattr(sys, "argv", ["crossgate", *verb, *files])
        with suppress(SystemExit):
            main()
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]
    assert said[2] == said[3]
    assert "fraud" in said[0]
    del copied


def test_a_map_leads_nowhere_outside(copied: Path) -> None:
    """A pull request may bring any map: it neither opens files elsewhere nor stops the check."""
    lines = (copied / "dist/.crossgate-sources").read_text().splitlines()
    bad = [line.replace('"file": "', '"file": "../../../../etc/\\u0000') for line in lines[1:]]
    (copied / "dist/.crossgate-sources").write_text("\n".join([lines[0], *bad, ""]))
    assert {found.resource.namespace for found in check([CARD]).findings} == {""}


def test_a_part_says_nothing_that_the_whole_does_not(copied: Path) -> None:
    """The namespace of a team stands in another folder than its claims: they said that nobody makes it."""
    whole = told(check(["dist"]).findings)
    for part in ("30-teams", "35-claim-applications", "40-claims", "40-claims/vision/mlenvironmentclaim-vision-dev.yaml"):
        report = check([f"dist/{part}"])
        assert told(report.findings) <= whole
        assert not report.could_not_check
    (copied / "dist/30-teams/fraud").rename(copied / "elsewhere")
    assert "namespace ml-team-fraud is made by nobody" in {found.message for found in check(["dist/40-claims/fraud"]).findings}


@pytest.fixture
def git(copied: Path) -> Callable[..., None]:
    def git(*arguments: str) -> None:
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=copied, check=True, capture_output=True)

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "start")
    return git


def test_a_claim_is_compared_with_the_base_as_in_dist(copied: Path, git: Callable[..., None]) -> None:
    """Both sides are whole: else an edited claim would be one deleted and another created, and its findings new ones."""
    del git
    edited(copied / CARD, "replicas: 1", "replicas: 3")
    report = check([CARD], base="HEAD", config=replace(Config.find()))
    assert not report.findings
    assert {found.rule for found in report.known} == {"api/rate-limit"}
    [change] = plan([CARD], base="HEAD").claims
    assert (str(change.action), str(change.identity)) == ("update", "ModelService ml-team-fraud/card-scoring")
