"""What a package or a lock calls itself must not lead out of the schema directory: schemas come from third parties."""

from __future__ import annotations

from pathlib import Path

import pytest

from crossgate.errors import SchemaError
from crossgate.schema import Schemas
from crossgate.schema.compact import file_of
from crossgate.schema.lock import read_lock


@pytest.mark.parametrize(
    ("group", "version", "kind"), [("../../evil", "v1", "X"), ("/abs", "v1", "X"), ("g", "..", "X"), ("g", "v1", "a/b")]
)
def test_a_definition_cannot_name_a_file_elsewhere(group: str, version: str, kind: str) -> None:
    with pytest.raises(SchemaError, match="is no name"):
        file_of(group, version, kind)


@pytest.mark.parametrize("name", ["../../victim.json", "/etc/victim.json", "g/v1/../../../victim.json", "g/v1/X.txt"])
def test_a_lock_cannot_name_a_file_elsewhere(tmp_path: Path, name: str) -> None:
    """Files that a source no longer gives are deleted: only those that an import can have written."""
    (tmp_path / "lock.toml").write_text(f'[[source]]\nname = "a"\nversion = ""\ndigest = "sha256:0"\nfiles = ["{name}"]\n')
    with pytest.raises(SchemaError, match="no file of a schema directory"):
        read_lock(tmp_path)


@pytest.mark.parametrize(
    "text", ["source = 1", "source = [1]", "[source]\na = 1", "a = " + "[" * 50_000, "a = " + "1" * 5000, "\\"], ids=range(6)
)
def test_a_lock_out_of_form_is_an_error(tmp_path: Path, text: str) -> None:
    (tmp_path / "lock.toml").write_text(text)
    with pytest.raises(SchemaError, match="cannot read the lock"):
        read_lock(tmp_path)


@pytest.mark.parametrize("kind", ["K" * 300, "nul\0", "../../x", "*"])
def test_a_kind_that_is_no_name_is_only_unknown(root: Path, kind: str) -> None:
    problems = Schemas.load([root / "schemas"]).validate({"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "x"}})
    assert [str(problem.kind) for problem in problems] == ["missingSchema"]
