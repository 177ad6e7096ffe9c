"""The text of a new claim: valid as it is, and valid with any of its comments made into fields."""

from __future__ import annotations

import re
from typing import Any

import pytest

from crossgate.load import load_text
from crossgate.selfservice import ClaimApi, claim_text, fields

SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "What is wanted.",
    "required": ["parameters"],
    "properties": {
        "parameters": {
            "type": "object",
            "required": ["name", "size"],
            "x-kubernetes-validations": [{"rule": "true", "message": "first"}, {"rule": "true", "message": "second"}],
            "properties": {
                "name": {"type": "string", "description": "Its name.", "maxLength": 30},
                "size": {"type": "integer", "default": 1, "minimum": 1, "maximum": 9},
                "retention": {"type": "string", "default": "1e3"},
                "gpuType": {"type": "string", "enum": ["t4", "y"]},
                "modelSha256": {"type": "string"},
                "tags": {"type": "object", "additionalProperties": {"type": "string"}},
                "callers": {"type": "array", "items": {"type": "string"}},
                "parts": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}}},
            },
        },
        "cache": {
            "type": "object",
            "required": ["engine"],
            "properties": {"engine": {"type": "string", "enum": ["redis"]}, "nodes": {"type": "integer", "default": 2}},
        },
        "compute": {"type": "object", "default": {}, "properties": {"replicas": {"type": "integer", "default": 3}}},
    },
}
API = ClaimApi("example.org/v1", "Thing", ("thing",), SCHEMA, {}, {}, True)
NAME = {("parameters", "name"): "a"}


def body(text: str) -> dict[str, Any]:
    [document] = load_text(text)
    assert isinstance(document.body, dict)
    return document.body


def test_what_was_given_is_there_and_the_rest_is_comment() -> None:
    text = claim_text(API, "a", {**NAME, ("parameters", "gpuType"): "y"}, namespace="ml-team-x")
    assert body(text) == {
        "apiVersion": "example.org/v1",
        "kind": "Thing",
        "metadata": {"name": "a", "namespace": "ml-team-x"},
        "spec": {"parameters": {"name": "a", "gpuType": "y"}},
    }
    assert '    gpuType: "y"\n' in text, "without quotes the API server would read true"
    assert "    # Its name. (at most 30 characters)\n    name: a\n" in text
    assert "    # (1 to 9)\n    # size: 1\n" in text
    assert "Rules: first; second." in text


def test_every_comment_that_holds_a_field_can_be_made_one() -> None:
    """Each line behind one # must be right where it stands, or the comment is a trap."""
    text = claim_text(API, "a", NAME)
    uncommented = re.sub(r"(?m)^(\s*)# (?=\s*(?:[a-zA-Z0-9]+:(?: |$)|- |# ))", r"\1", text)
    while uncommented != (more := re.sub(r"(?m)^(\s*)# (?=\s*(?:[a-zA-Z0-9]+:(?: |$)|- ))", r"\1", uncommented)):
        uncommented = more
    spec = body(uncommented.replace("Rules: first; second.", "# x"))["spec"]
    assert spec["parameters"]["size"] == 1
    assert spec["parameters"]["retention"] == "1e3", "a text stays a text"
    assert spec["parameters"]["callers"] == ["…"]
    assert spec["cache"] == {"engine": "redis", "nodes": 2}
    assert spec["compute"] == {"replicas": 3}


def test_a_section_is_never_left_empty() -> None:
    """A key with nothing but comments below it is null, which no API takes for an object."""
    schema = {**SCHEMA, "properties": {"parameters": {"type": "object", "properties": {"size": {"type": "integer", "default": 4}}}}}
    text = claim_text(ClaimApi("example.org/v1", "Thing", (), schema, {}, {}, False), "a", {})
    assert body(text)["spec"] == {"parameters": {"size": 4}}
    bare = {**SCHEMA, "properties": {"parameters": {"type": "object", "properties": {"note": {"type": "string"}}}}}
    text = claim_text(ClaimApi("example.org/v1", "Thing", (), bare, {}, {}, False), "a", {})
    assert body(text)["spec"] == {"parameters": {}}


def test_the_composition_and_the_secret_stand_last() -> None:
    text = claim_text(API, "a", NAME, select={"provider": "gcp"}, secret="s")
    assert list(body(text)["spec"]) == ["parameters", "compositionSelector", "writeConnectionSecretToRef"]
    assert body(text)["spec"]["compositionSelector"] == {"matchLabels": {"provider": "gcp"}}


@pytest.mark.parametrize(
    ("flag", "needed"),
    [
        ("name", True),
        ("size", True),
        ("gpu-type", False),
        ("model-sha256", False),
        ("tags", False),
        ("callers", False),
        ("cache-engine", False),  # required in a section that is not
        ("compute-replicas", False),
    ],
)
def test_the_flags_of_an_api(flag: str, needed: bool) -> None:
    found = {field.flag: field for field in fields(SCHEMA)}
    assert found[flag].needed is needed
    assert "parts" not in found, "a list of objects is written in the file"
