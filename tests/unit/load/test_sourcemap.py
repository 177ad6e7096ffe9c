"""A document of dist/ leads back to its author, or, when in doubt, nowhere."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from crossgate.load import load_paths, sourcemap
from crossgate.load.sourcemap import NAME, Entry, SourceMap
from crossgate.model import Document, Identity, Place

TEXT = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: c
data:
  a: "1"
"""
CLAIM = "# mine\n" + TEXT
IDENTITY = Identity("v1", "ConfigMap", "", "c")
PLACES = (((), Place("app.py", 3)), (("data",), Place("app.py", 5)), (("data", "list", 1), Place("block.py", 2)))


def project(folder: Path, *, text: str = TEXT, written_in: tuple[str, int] | None = None, places: object = PLACES) -> Document:
    (folder / "dist" / "10-a").mkdir(parents=True)
    (folder / "dist" / "10-a" / "c.yaml").write_text(text)
    (folder / "app.py").write_text("app")
    (folder / "block.py").write_text("block")
    (folder / "claim.yaml").write_text(CLAIM)
    digest = hashlib.sha256(text.encode()).hexdigest()
    entry = Entry("10-a/c.yaml", digest, IDENTITY, places, written_in)  # type: ignore[arg-type]  # tests give tuples
    (folder / "dist" / NAME).write_text(SourceMap.of([entry], folder).text())
    return applied(folder)


def applied(folder: Path) -> Document:
    [document] = sourcemap.Sources(folder).placed(load_paths([folder / "dist"], root=folder).documents)
    return document


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ((), Place("app.py", 3)),
        (("kind",), Place("app.py", 3)),
        (("data",), Place("app.py", 5)),
        (("data", "list"), Place("app.py", 5)),
        (("data", "list", 1, "x"), Place("block.py", 2)),
        (("data", "list", 2), Place("app.py", 5)),
    ],
)
def test_a_field_has_the_place_of_the_nearest_field_that_was_noted(tmp_path: Path, path: tuple[str | int, ...], place: Place) -> None:
    assert project(tmp_path).place(path) == place


def test_a_claim_leads_to_the_field_in_the_file_that_a_team_wrote(tmp_path: Path) -> None:
    document = project(tmp_path, written_in=("claim.yaml", 0), places=())
    place = document.place(("data", "a"))
    assert (place.file, place.line) == ("claim.yaml", 7)
    assert document.place(("data", "b")).line == document.place(("data",)).line


def test_output_edited_by_hand_leads_to_itself(tmp_path: Path) -> None:
    """Its lines are nobody's in Python: the fault stands in dist/."""
    project(tmp_path)
    (tmp_path / "dist/10-a/c.yaml").write_text(TEXT.replace("1", "2", 1))
    assert applied(tmp_path).place(("data", "a")).file == "dist/10-a/c.yaml"
    assert applied(tmp_path).place(("data", "a")).line == 6


@pytest.mark.parametrize("source", ["app.py", "claim.yaml"])
def test_sources_edited_since_are_not_pointed_into(tmp_path: Path, source: str) -> None:
    """A wrong line is worse than none."""
    project(tmp_path, written_in=("claim.yaml", 0) if source == "claim.yaml" else None)
    (tmp_path / source).write_text("changed")
    assert applied(tmp_path).place(()).file == "dist/10-a/c.yaml"


@pytest.mark.parametrize("damage", ["", "{}", '{"sources": {}}\nnot json', '{"sources": {}}\n[]', "\xff"])
def test_a_damaged_map_is_no_map(tmp_path: Path, damage: str) -> None:
    project(tmp_path)
    (tmp_path / "dist" / NAME).write_text(damage, encoding="latin-1")
    assert applied(tmp_path).place(()) == Place("dist/10-a/c.yaml", 1, 1)


def test_a_map_that_was_not_written_by_this_program_leads_nowhere(tmp_path: Path) -> None:
    """A pull request may hold any map: a file outside the project must not be opened for it."""
    document = project(tmp_path, written_in=("../secret.yaml", 0))
    (tmp_path.parent / "secret.yaml").write_text(CLAIM)
    text = (tmp_path / "dist" / NAME).read_text()
    _, line = text.splitlines()
    digest = hashlib.sha256(CLAIM.encode()).hexdigest()
    (tmp_path / "dist" / NAME).write_text("\n".join([json.dumps({"sources": {"../secret.yaml": digest}}), line, ""]))
    assert document.place(()).file == "dist/10-a/c.yaml"


def test_documents_of_other_folders_are_left_alone(tmp_path: Path) -> None:
    project(tmp_path)
    (tmp_path / "other.yaml").write_text(TEXT)
    documents = load_paths([tmp_path / "other.yaml"], root=tmp_path).documents
    assert sourcemap.Sources(tmp_path).placed(documents) == documents


def test_nothing_is_read_before_a_place_is_asked_for(tmp_path: Path) -> None:
    """A check without findings pays nothing for the map."""
    document = project(tmp_path)
    (tmp_path / "dist" / NAME).unlink()
    assert document.place(()).file == "dist/10-a/c.yaml"


def test_the_text_of_a_map_does_not_depend_on_the_order_of_its_entries(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("app")
    entries = [Entry(f"{name}.yaml", "d", IDENTITY, (((), Place("app.py", 1)),)) for name in "cab"]
    made = SourceMap.of(entries, tmp_path).text()
    assert made == SourceMap.of(entries[::-1], tmp_path).text()
    assert [json.loads(line).get("file") for line in made.splitlines()] == [None, "a.yaml", "b.yaml", "c.yaml"]


def test_argo_cd_takes_the_map_for_no_manifest() -> None:
    """It reads every .yaml, .yml and .json of a folder."""
    assert Path(NAME).suffix not in (".yaml", ".yml", ".json")


@pytest.mark.parametrize(
    "hostile",
    [
        {"digest": 1},
        {"identity": 3},
        {"identity": ["v1", "ConfigMap", "", "c", "more"]},
        {"in": 5},
        {"in": [{}]},
        {"in": ["a\0b"]},
        {"in": ["\ud800"]},
        {"places": 7},
        {"places": [[[], 9, 3]]},
        {"places": [[[], 0, "3\n::error::"]]},
        {"places": [[[{}], 0, 3]]},
        {"writtenIn": 3},
        {"writtenIn": ["claim.yaml"]},
        {"writtenIn": ["claim.yaml", -9]},
    ],
    ids=str,
)
def test_a_line_that_synth_would_not_write_leads_nowhere_and_stops_nothing(tmp_path: Path, hostile: dict[str, object]) -> None:
    """A pull request may bring any map: it decides neither whether its findings are told, nor what is opened."""
    project(tmp_path)
    file = tmp_path / "dist" / NAME
    head, line, *_ = file.read_text().splitlines()
    file.write_text("\n".join([head, json.dumps({**json.loads(line), **hostile}), ""]))
    assert applied(tmp_path).place(("data",)) == Place("dist/10-a/c.yaml", 5, 1)
    assert set(sourcemap.Sources(tmp_path).digests(["dist/10-a/c.yaml"])) == set()


@pytest.mark.parametrize("line", ['{"file": "10-a/c.yaml" no JSON', '{"file": "10-a/c.yaml", "in": ' + "[" * 100_000])
def test_a_line_that_is_no_json_leads_nowhere_and_stops_nothing(tmp_path: Path, line: str) -> None:
    project(tmp_path)
    file = tmp_path / "dist" / NAME
    file.write_text("\n".join([file.read_text().splitlines()[0], line, ""]))
    assert applied(tmp_path).place(("data",)) == Place("dist/10-a/c.yaml", 5, 1)
