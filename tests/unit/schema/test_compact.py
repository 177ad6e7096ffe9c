"""The compact form: the same schema with less text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crossgate.errors import SchemaError
from crossgate.schema.compact import dump, file_of, read, without_prose
from crossgate.schema.kinds import KindSchema

PART = {"type": "object", "properties": {"name": {"type": "string", "maxLength": 63}, "uid": {"type": "string"}}}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {"a": PART, "b": {"type": "array", "items": PART}, "c": {"anyOf": [PART, {"required": ["x"]}]}},
        }
    },
}


def _kind(**more: Any) -> KindSchema:
    return KindSchema(
        **{"group": "example.org", "version": "v1", "kind": "Thing", "plural": "things", "scope": "Cluster", "schema": SCHEMA, **more}
    )


def _through(kind: KindSchema, folder: Path) -> KindSchema:
    file = folder / "Thing.json"
    file.write_text(dump(kind))
    return read(file)


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"served": False, "status": True, "deprecation": "old"},
        {"scale": {"specReplicasPath": ".spec.replicas"}, "made_by": "claim", "group": ""},
    ],
)
def test_a_kind_comes_back_as_it_was(more: dict[str, Any], tmp_path: Path) -> None:
    kind = _kind(**more)
    back = _through(kind, tmp_path)
    assert back.schema == kind.schema
    assert back.head() == kind.head()


def test_equal_parts_are_written_once_and_shared_when_read(tmp_path: Path) -> None:
    assert dump(_kind()).count("maxLength") == 1
    spec = _through(_kind(), tmp_path).schema["properties"]["spec"]["properties"]
    assert spec["a"] is spec["b"]["items"]


def test_a_property_may_be_called_like_a_keyword_of_prose() -> None:
    schema = {
        "type": "object",
        "description": "x",
        "title": "y",
        "properties": {"description": {"type": "string", "description": "z"}, "title": {}},
    }
    assert without_prose(schema) == {"type": "object", "properties": {"description": {"type": "string"}, "title": {}}}


def test_prose_inside_of_defaults_and_enums_is_data() -> None:
    schema = {"default": {"description": "kept"}, "enum": [{"title": "kept"}]}
    assert without_prose(schema) == schema


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 1}', json.dumps({"format": 99, "schema": {}, "parts": []})])
def test_a_file_that_is_no_schema_is_an_error_that_names_it(text: str, tmp_path: Path) -> None:
    file = tmp_path / "Thing.json"
    file.write_text(text)
    with pytest.raises(SchemaError) as raised:
        read(file)
    assert raised.value.where == str(file)
    assert "import" in raised.value.hint


def test_the_core_group_has_a_folder_name() -> None:
    assert file_of("", "v1", "Secret") == "core/v1/Secret.json"


def test_the_committed_gke_cluster_is_small_and_exact(root: Path) -> None:
    """The CRD has 616 kB; what is committed of it must stay cheap to read."""
    file = root / "schemas" / file_of("container.gcp.upbound.io", "v1beta2", "Cluster")
    assert file.stat().st_size < 40_000
    assert read(file).schema["properties"]["spec"]["properties"]["forProvider"]["properties"]["location"] == {"type": "string"}


@pytest.mark.parametrize("text", ["5", "[]", '"x"', "null", "{}", '{"format": 1, "schema": 5}', "[" * 100_000, "9" * 5000], ids=range(8))
def test_a_file_that_is_no_schema_says_so(tmp_path: Path, text: str) -> None:
    (tmp_path / "K.json").write_text(text)
    with pytest.raises(SchemaError):
        read(tmp_path / "K.json")
