"""What synth writes, leaves alone, removes, and calls different."""

from __future__ import annotations

from pathlib import Path

import pytest

from crossgate.load.sourcemap import NAME, Entry, SourceMap
from crossgate.model import Identity
from crossgate.synth.output import differences, install, read


def made(**files: str) -> dict[str, bytes]:
    names = {name.replace("__", "/") + ".yaml": text.encode() for name, text in files.items()}
    entries = [Entry(name, "", Identity("v1", "X", "", name), ()) for name in names]
    return {**names, NAME: SourceMap.of(entries, Path()).text().encode()}


def test_what_is_installed_is_what_was_made(tmp_path: Path) -> None:
    files = made(a="1\n", b__c="2\n")
    install(files, tmp_path)
    assert read(tmp_path) == files


def test_a_file_of_an_earlier_run_goes_with_its_empty_folder(tmp_path: Path) -> None:
    """Otherwise Argo CD would keep syncing what the app no longer has."""
    install(made(a="1\n", b__c__d="2\n"), tmp_path)
    install(made(a="1\n"), tmp_path)
    assert sorted(path.name for path in tmp_path.rglob("*")) == [NAME, "a.yaml"]


def test_a_file_that_synth_did_not_write_stays(tmp_path: Path) -> None:
    install(made(b__c="2\n"), tmp_path)
    (tmp_path / "b" / "README.md").write_text("mine")
    install(made(a="1\n"), tmp_path)
    assert (tmp_path / "b" / "README.md").read_text() == "mine"


def test_an_unchanged_file_is_not_touched(tmp_path: Path) -> None:
    """Its time would tell make and editors that something happened."""
    install(made(a="1\n"), tmp_path)
    before = (tmp_path / "a.yaml").stat().st_mtime_ns
    install(made(a="1\n", b="2\n"), tmp_path)
    assert (tmp_path / "a.yaml").stat().st_mtime_ns == before


def test_equal_folders_have_no_differences(tmp_path: Path) -> None:
    install(made(a="1\n"), tmp_path)
    assert not list(differences(read(tmp_path), made(a="1\n"), "dist"))


def test_a_changed_file_is_shown_as_a_unified_diff() -> None:
    lines = list(differences({"a.yaml": b"x: 1\ny: 2\n"}, {"a.yaml": b"x: 1\ny: 3\n"}, "dist"))
    assert lines == ["--- a/dist/a.yaml\n", "+++ b/dist/a.yaml\n", "@@ -1,2 +1,2 @@\n", " x: 1\n", "-y: 2\n", "+y: 3\n"]


def test_a_missing_and_a_foreign_manifest_are_differences() -> None:
    """Argo CD would sync a manifest that somebody put there by hand."""
    lines = "".join(differences({"mine.json": b"{}"}, {"new.yaml": b"a: 1\n"}, "dist"))
    assert "--- a/dist/mine.json\n+++ /dev/null\n" in lines
    assert "--- /dev/null\n+++ b/dist/new.yaml\n" in lines


def test_foreign_manifests_are_read_and_other_foreign_files_are_not(tmp_path: Path) -> None:
    install(made(a="1\n"), tmp_path)
    for name in ("b.yml", "c.JSON", "notes.txt"):
        (tmp_path / name).write_text("x")
    assert set(read(tmp_path)) == {NAME, "a.yaml", "b.yml", "c.JSON"}


@pytest.mark.parametrize(
    "name", ["x.yaml", "x.YML", "x.json", "x.jsonnet", "kustomization.yaml", "Kustomization", "Chart.yaml", ".argocd-source.yaml"]
)
def test_what_argo_cd_would_read_beside_the_output_is_a_difference(tmp_path: Path, name: str) -> None:
    files = made(a="1\n")
    install(files, tmp_path)
    (tmp_path / name).write_text("x")
    assert "".join(differences(read(tmp_path), files, "dist")).startswith(f"--- a/dist/{name}\n")
