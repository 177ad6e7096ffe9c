"""What an editor gets: JSON Schemas that a JSON Schema validator understands and that say what the gate says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner
from referencing import Registry, Resource

from crossgate.cli.schema import command
from crossgate.schema.editor import editor_files, json_schema

XRD: dict[str, Any] = {
    "apiVersion": "apiextensions.crossplane.io/v1",
    "kind": "CompositeResourceDefinition",
    "metadata": {"name": "xpools.example.org"},
    "spec": {
        "group": "example.org",
        "names": {"kind": "XPool", "plural": "xpools"},
        "claimNames": {"kind": "Pool", "plural": "pools"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "schema": {
                    "openAPIV3Schema": {
                        "description": "A pool of GPUs.",
                        "properties": {
                            "spec": {
                                "type": "object",
                                "required": ["size"],
                                "properties": {
                                    "size": {"type": "integer", "minimum": 1, "description": "How many."},
                                    "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                                },
                            }
                        },
                    }
                },
            },
            {"name": "v0", "served": False, "schema": {"openAPIV3Schema": {}}},
        ],
    },
}


@pytest.fixture(scope="module")
def files() -> dict[str, Any]:
    return {name: json.loads(text) for name, text in editor_files([XRD], "claims/*.yaml", "build/editor").items()}


def _problems(files: dict[str, Any], claim: dict[str, Any]) -> list[str]:
    registry: Registry[Any] = Registry().with_resources(
        (f"./{name}", Resource.from_contents(body)) for name, body in files.items() if name != "settings.json"
    )
    validator = jsonschema.Draft7Validator(files["claims.json"], registry=registry)
    return [error.json_path for error in validator.iter_errors(claim)]


def test_one_file_a_claim_kind_with_the_authors_words(files: dict[str, Any]) -> None:
    assert set(files) == {"example.org_v1_Pool.json", "claims.json", "settings.json"}
    kind = files["example.org_v1_Pool.json"]
    assert kind["description"] == "A pool of GPUs."
    assert kind["properties"]["spec"]["properties"]["size"]["description"] == "How many."
    assert kind["properties"]["spec"]["properties"]["compositionSelector"], "machinery fields complete too"
    assert "status" not in kind["properties"], "nobody writes it"


def test_the_settings_bind_the_choice_to_the_claims(files: dict[str, Any]) -> None:
    assert files["settings.json"] == {"yaml.schemas": {"build/editor/claims.json": "claims/*.yaml"}}


@pytest.mark.parametrize(
    ("claim", "problems"),
    [
        ({"apiVersion": "example.org/v1", "kind": "Pool", "metadata": {"name": "p"}, "spec": {"size": 1, "free": {"a": 1}}}, []),
        ({"apiVersion": "example.org/v1", "kind": "Pool", "metadata": {"name": "p"}, "spec": {"size": 0}}, ["$.spec.size"]),
        ({"apiVersion": "example.org/v1", "kind": "Pool", "metadata": {"name": "p"}, "spec": {"size": 1, "sise": 1}}, ["$.spec"]),
        ({"apiVersion": "example.org/v1", "kind": "Poool", "metadata": {"name": "p"}, "spec": {}}, ["$.kind"]),
    ],
)
def test_an_editor_underlines_what_the_gate_would_refuse(claim: dict[str, Any], problems: list[str], files: dict[str, Any]) -> None:
    assert _problems(files, claim) == problems


@pytest.mark.parametrize(
    ("structural", "expected"),
    [
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        ({"x-kubernetes-int-or-string": True}, {"type": ["integer", "string"]}),
        ({"type": "number", "minimum": 1, "exclusiveMinimum": True}, {"type": "number", "exclusiveMinimum": 1}),
        ({"type": "object", "additionalProperties": {"type": "string"}}, {"type": "object", "additionalProperties": {"type": "string"}}),
        (
            {"type": "object", "properties": {"a": {}}, "oneOf": [{"properties": {"a": {"enum": [1]}}, "required": ["a"]}]},
            {
                "type": "object",
                "properties": {"a": {}},
                "additionalProperties": False,
                "oneOf": [{"properties": {"a": {"enum": [1]}}, "required": ["a"]}],
            },
        ),
    ],
)
def test_the_keywords_of_structural_schemas(structural: dict[str, Any], expected: dict[str, Any]) -> None:
    assert json_schema(structural) == expected


def test_the_command_line_writes_the_files(tmp_path: Path) -> None:
    (tmp_path / "xrd.json").write_text(json.dumps(XRD))
    to = tmp_path / "editor"
    done = CliRunner().invoke(command, ["export", "--editor", str(tmp_path / "xrd.json"), "--to", str(to)], catch_exceptions=False)
    assert done.exit_code == 0
    assert {file.name for file in to.iterdir()} == {"example.org_v1_Pool.json", "claims.json", "settings.json"}
