"""`crossgate synth`: writes, checks, refuses, each with its exit code."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from crossgate.cli.synth import command
from crossgate.load.sourcemap import NAME

# an app needs no cdk8s to be one: it writes manifests, and a source map if it has one
APP = """\
import hashlib, os, pathlib
from crossgate.load.sourcemap import NAME, Entry, SourceMap
from crossgate.model import Identity, Place
out = pathlib.Path(os.environ["CDK8S_OUTDIR"])
out.mkdir()
files = MANIFESTS
entries = []
for name, text in files.items():
    (out / name).write_text(text)
    digest = hashlib.sha256(text.encode()).hexdigest()
    body = {line.partition(": ")[0].strip(): line.partition(": ")[2] for line in text.splitlines()}
    entries.append(Entry(name, digest, Identity(body["apiVersion"], body["kind"], "", body["name"]), (((), Place("app.py", 6)),)))
(out / NAME).write_text(SourceMap.of(entries, pathlib.Path()).text())
"""
THING = "apiVersion: example.org/v1\nkind: Thing\nmetadata:\n  name: {0}\nspec:\n  size: {1}\n"
CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.org}
spec:
  group: example.org
  scope: Cluster
  names: {kind: Thing, plural: things}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {size: {type: integer}}}}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "crossgate.toml").write_text("")
    (tmp_path / "cdk8s.yaml").write_text("app: python app.py\n")
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "thing.yaml").write_text(CRD)
    return tmp_path


def synth(project: Path, manifests: dict[str, str], *arguments: str) -> Result:
    (project / "app.py").write_text(APP.replace("MANIFESTS", repr(manifests)))
    return CliRunner().invoke(command, arguments)


def test_what_the_app_makes_is_written(project: Path) -> None:
    result = synth(project, {"a.yaml": THING.format("a", 1)})
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in (project / "dist").iterdir()) == [NAME, "a.yaml"]


def test_check_says_nothing_changed(project: Path) -> None:
    synth(project, {"a.yaml": THING.format("a", 1)})
    result = synth(project, {"a.yaml": THING.format("a", 1)}, "--check")
    assert result.exit_code == 0
    assert "dist/ is what the app makes" in result.stdout


def test_check_shows_the_diff_fails_and_writes_nothing(project: Path) -> None:
    """The gate of a pull request: committed output that the app does not make must not be synced."""
    synth(project, {"a.yaml": THING.format("a", 1)})
    before = {path: path.read_bytes() for path in (project / "dist").iterdir()}
    result = synth(project, {"a.yaml": THING.format("a", 2), "b.yaml": THING.format("b", 1)}, "--check")
    assert result.exit_code == 1
    assert "-  size: 1\n+  size: 2\n" in result.stdout
    assert "+++ b/dist/b.yaml" in result.stdout
    assert {path: path.read_bytes() for path in (project / "dist").iterdir()} == before


def test_check_of_a_project_that_never_committed_its_output_fails(project: Path) -> None:
    assert synth(project, {"a.yaml": THING.format("a", 1)}, "--check").exit_code == 1


def test_check_finds_a_manifest_that_was_put_there_by_hand(project: Path) -> None:
    synth(project, {"a.yaml": THING.format("a", 1)})
    (project / "dist" / "mine.json").write_text("{}")
    result = synth(project, {"a.yaml": THING.format("a", 1)}, "--check")
    assert result.exit_code == 1
    assert "--- a/dist/mine.json" in result.stdout


def test_a_manifest_that_breaks_its_schema_is_refused_at_the_line_of_its_maker(project: Path) -> None:
    result = synth(project, {"a.yaml": THING.format("a", "x")})
    assert result.exit_code == 1
    assert result.stderr.startswith("app.py:6: schema/")
    assert not (project / "dist").exists()


def test_what_has_no_schema_is_written_but_does_not_pass(project: Path) -> None:
    """Its author may not have the CRD yet; a pass would say that somebody looked at it."""
    result = synth(project, {"a.yaml": THING.format("a", 1).replace("Thing", "Other")})
    assert result.exit_code == 3
    assert "could not check: " in result.stderr
    assert (project / "dist" / "a.yaml").exists()
