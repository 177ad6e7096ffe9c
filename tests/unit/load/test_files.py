"""Which files are read, once each, and what is refused instead of being passed over."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from crossgate.errors import UsageError
from crossgate.load import Inventory, load_paths
from crossgate.load.files import MAX_FILE

OBJECT = "apiVersion: v1\nkind: ConfigMap\n"


def write(folder: Path, name: str, text: str = OBJECT) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def files(inventory: Inventory) -> list[str]:
    return [document.file for document in inventory.documents]


def refused(inventory: Inventory) -> list[tuple[str, str]]:
    return [(item.where, item.what) for item in inventory.judgement.could_not_check]


def test_a_folder_is_searched_for_every_spelling_of_the_suffixes(tmp_path: Path) -> None:
    """A gate that reads .yaml only is passed with a .yml file, a .YAML file, a hidden one or a .json file."""
    for name in ("b.yaml", "a.yml", "C.YAML", ".hidden.yaml", "sub/d.JSON", "sub/.github/e.Yml", ".yaml", "notes.txt", "x.yaml.bak"):
        write(tmp_path, name, OBJECT if "JSON" not in name else '{"apiVersion": "v1", "kind": "A"}')
    write(tmp_path, ".git/config.yaml")
    inventory = load_paths([tmp_path], root=tmp_path)
    assert files(inventory) == [".hidden.yaml", ".yaml", "C.YAML", "a.yml", "b.yaml", "sub/.github/e.Yml", "sub/d.JSON"]
    assert inventory.files == 7


def test_a_file_that_is_named_is_read_whatever_its_suffix(tmp_path: Path) -> None:
    assert files(load_paths([write(tmp_path, "claim.txt")], root=tmp_path)) == ["claim.txt"]


def test_paths_may_be_texts_and_need_not_be_inside_the_project(tmp_path: Path) -> None:
    outside = write(tmp_path, "elsewhere/a.yaml")
    inventory = load_paths([str(outside)], root=tmp_path / "project")
    assert files(inventory) == [outside.resolve().as_posix()]


def test_no_manifests_is_for_the_caller_to_see(tmp_path: Path) -> None:
    assert load_paths([tmp_path], root=tmp_path) == Inventory()


def test_a_path_that_does_not_exist_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        load_paths([tmp_path / "missing"], root=tmp_path)


def test_every_file_is_read_once_under_its_real_name(tmp_path: Path) -> None:
    real = write(tmp_path, "sub/deep.yaml")
    (tmp_path / "link.yaml").symlink_to("sub/deep.yaml")
    (tmp_path / "again").symlink_to("sub")
    (tmp_path / "sub" / "cycle").symlink_to("..")
    inventory = load_paths([tmp_path, real, tmp_path / "link.yaml"], root=tmp_path)
    assert files(inventory) == ["sub/deep.yaml"]
    assert refused(inventory) == []


def test_a_link_inside_the_project_but_outside_the_folder_is_followed(tmp_path: Path) -> None:
    write(tmp_path, "shared/a.yaml")
    (tmp_path / "dist").mkdir()
    (tmp_path / "dist" / "a.yaml").symlink_to("../shared/a.yaml")
    assert files(load_paths([tmp_path / "dist"], root=tmp_path)) == ["shared/a.yaml"]


def test_links_that_leave_the_project_or_lead_nowhere_are_refused(tmp_path: Path) -> None:
    """What they show depends on the machine, and a pull request could read files of the runner through them."""
    write(tmp_path, "outside/secret.yaml")
    project = tmp_path / "project"
    write(project, "ok.yaml")
    (project / "leaves.yaml").symlink_to("../outside/secret.yaml")
    (project / "folder").symlink_to("../outside")
    (project / "nowhere.yaml").symlink_to("missing.yaml")
    (project / "loop.yaml").symlink_to("loop.yaml")
    (project / "readme").symlink_to("/dev/null")
    inventory = load_paths([project], root=project)
    assert files(inventory) == ["ok.yaml"]
    leaving, nowhere = "the symbolic link leaves the project", "the symbolic link points to nothing"
    assert refused(inventory) == [
        ("folder", leaving),
        ("leaves.yaml", leaving),
        ("loop.yaml", nowhere),
        ("nowhere.yaml", nowhere),
    ]


def test_what_is_no_file_is_refused_without_waiting_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    ((where, what),) = refused(load_paths([tmp_path], root=tmp_path))
    assert (where, what) == ("pipe.yaml", "this is a device, socket or pipe, not a file")


def test_a_pipe_that_is_named_is_refused_too(tmp_path: Path) -> None:
    """To read it would wait for a writer that never comes."""
    os.mkfifo(tmp_path / "pipe.yaml")
    ((where, what),) = refused(load_paths([tmp_path / "pipe.yaml"], root=tmp_path))
    assert (where, what) == ("pipe.yaml", "this is a device, socket or pipe, not a file")


def test_an_empty_path_is_not_the_working_folder(tmp_path: Path) -> None:
    """``crossgate check "$UNSET"`` must not judge whatever stands around."""
    with pytest.raises(UsageError, match="empty"):
        load_paths([""], root=tmp_path)


def test_a_broken_file_does_not_keep_the_others_from_being_read(tmp_path: Path) -> None:
    write(tmp_path, "a.yaml", "kind: [\n")
    write(tmp_path, "b.yaml")
    inventory = load_paths([tmp_path], root=tmp_path)
    assert files(inventory) == ["b.yaml"]
    assert [where for where, _ in refused(inventory)] == ["a.yaml:2:1"]
    assert inventory.files == 2


def test_a_huge_file_is_refused_without_being_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.yaml"
    with path.open("wb") as stream:
        stream.truncate(100 * 1024 * 1024)
    assert refused(load_paths([path], root=tmp_path)) == [("huge.yaml", f"the file is larger than {MAX_FILE // 1024 // 1024} MiB")]


def test_a_binary_file_is_refused_with_a_word_about_it(tmp_path: Path) -> None:
    (tmp_path / "image.yaml").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    (item,) = load_paths([tmp_path], root=tmp_path).judgement.could_not_check
    assert "binary" in item.hint


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_access_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "a.yaml").chmod(0)
    ((where, what),) = refused(load_paths([tmp_path], root=tmp_path))
    assert where == "a.yaml"
    assert "cannot be read" in what
