from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess

import pytest

from crossgate.attest import attest, write
from crossgate.config import Config
from crossgate.errors import CrossgateError


def predicate():
    return attest().statement["predicate"]


def test_every_file_is_a_subject_with_its_digest(project):
    statement = attest().statement
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert statement["predicateType"] == "urn:crossgate:check:v1"
    expected = hashlib.sha256((project / "dist" / "a.yaml").read_bytes()).hexdigest()
    assert statement["subject"][0] == {"name": "a.yaml", "digest": {"sha256": expected}}
    assert [subject["name"] for subject in statement["subject"]] == ["a.yaml", "b/a.yaml"]


def test_the_predicate_says_what_judged_and_how(project):
    said = predicate()
    assert set(said["judges"]) == {"policies", "data", "schemas"}
    assert [entry["name"] for entry in said["settings"]] == ["crossgate.toml", "policies/data/prices.yaml", "policies/waivers.yaml"]
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=project, capture_output=True, text=True, check=True).stdout.strip()
    assert said["commit"] == {"gitCommit": head, "clean": True}
    assert (said["check"]["verdict"], said["check"]["exitCode"], said["check"]["checked"]["documents"]) == ("passed", 0, 2)


def test_the_same_files_give_the_same_bytes(project, tmp_path, monkeypatch):
    """Elsewhere, at another time and in another order of the folder."""
    before = write(attest().statement)
    shutil.copytree(project, tmp_path / "copy")
    monkeypatch.chdir(tmp_path / "copy")
    for path in (tmp_path / "copy" / "dist").rglob("*"):
        os.utime(path, (1, 1))
    assert write(attest().statement) == before
    assert json.loads(before)["subject"]


@pytest.mark.parametrize(("file", "judge"), [("policies/main.rego", "policies"), ("schemas/crd.yaml", "schemas")])
def test_what_judges_changes_its_digest(project, file, judge):
    before = predicate()["judges"]
    with (project / file).open("a") as opened:
        opened.write("# more\n")
    after = predicate()["judges"]
    assert {name for name in before if before[name] != after[name]} == {judge}


@pytest.mark.parametrize("file", ["dist/c.yaml", "policies/main.rego", "schemas/more.txt", "crossgate.toml"])
def test_a_change_that_is_not_committed_is_said(project, file):
    with (project / file).open("a") as opened:
        opened.write("# more\n")
    assert predicate()["commit"]["clean"] is False


def test_a_folder_beside_does_not_count(project):
    """What neither is attested nor judges changes nothing."""
    (project / "notes.txt").write_text("x")
    assert predicate()["commit"]["clean"] is True


def test_without_a_repository_there_is_no_commit(project):
    shutil.rmtree(project / ".git")
    assert attest(Config.find()).statement["predicate"]["commit"] is None


@pytest.mark.parametrize(("text", "verdict"), [("data: {a: forbidden}\n", "findings"), ("kind: [\n", "could not check")])
def test_a_check_that_does_not_pass_is_said(project, text, verdict):
    """The statement is true whatever the verdict is."""
    file = project / "dist" / "a.yaml"
    file.write_text(file.read_text().replace("data: {a: fine}\n", text))
    said = predicate()["check"]
    assert said["verdict"] == verdict


def test_a_link_among_the_manifests_is_refused(project):
    """What it leads to may be another thing tomorrow."""
    (project / "dist" / "link.yaml").symlink_to("a.yaml")
    with pytest.raises(CrossgateError, match="link or device"):
        attest()
    (project / "dist" / "link.yaml").unlink()
    (project / "dist" / "folder").symlink_to(project / "policies")
    with pytest.raises(CrossgateError, match="link or device"):
        attest()


def test_a_name_that_only_some_systems_have_is_refused(project):
    (project / "dist" / "a\nb.yaml").write_text("")
    with pytest.raises(CrossgateError, match="name"):
        attest()


def test_nothing_is_not_attested(project):
    shutil.rmtree(project / "dist")
    with pytest.raises(CrossgateError, match="no such folder"):
        attest()
    (project / "dist").mkdir()
    with pytest.raises(CrossgateError, match="nothing to attest"):
        attest()
