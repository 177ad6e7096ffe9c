"""Unknown fields: found where the API server prunes, and named with what was probably meant."""

from __future__ import annotations

from typing import Any

import pytest

from crossgate.schema.nearest import nearest
from crossgate.schema.unknown import MOST_ADVISED, unknown_fields

STRING = {"type": "string"}


def _paths(value: Any, schema: dict[str, Any]) -> list[str]:
    return [problem.path for problem in unknown_fields({"spec": value}, {"properties": {"spec": schema}})]


@pytest.mark.parametrize(
    ("reason", "value", "schema", "expected"),
    [
        ("a field that the schema does not name", {"b": 1}, {"properties": {"a": STRING}}, ["spec.b"]),
        ("an unknown field hides what is below it", {"b": {"c": 1}}, {"properties": {"a": STRING}}, ["spec.b"]),
        ("each item of a list", [{"a": 1}, {"b": 1}], {"items": {"properties": {"a": STRING}}}, ["spec[1].b"]),
        ("any key of a map", {"x": {"b": 1}}, {"additionalProperties": {"properties": {"a": STRING}}}, ["spec.x.b"]),
        ("keys with dots are written in brackets", {"a.b": {"c": 1}}, {"additionalProperties": {"properties": {}}}, ["spec[a.b].c"]),
        ("a map of anything still knows no fields below its values", {"x": {"y": 1}}, {"additionalProperties": True}, ["spec.x.y"]),
        ("a scalar where an object is wanted has no fields", "text", {"properties": {"a": STRING}}, []),
        ("an object where a scalar is wanted has only unknown ones", {"a": 1}, STRING, ["spec.a"]),
        ("fields are kept on demand", {"x": {"y": 1}}, {"x-kubernetes-preserve-unknown-fields": True}, []),
        (
            "below kept fields the named ones are looked at again",
            {"x": {"y": 1}, "n": {"z": 1}},
            {"x-kubernetes-preserve-unknown-fields": True, "properties": {"n": {"properties": {"a": STRING}}}},
            ["spec.n.z"],
        ),
        (
            "a kept list keeps the fields of its items, not of theirs",
            [{"x": 1, "a": {"y": 1}}],
            {"x-kubernetes-preserve-unknown-fields": True, "items": {"properties": {"a": {"properties": {"b": STRING}}}}},
            ["spec[0].a.y"],
        ),
        (
            "an embedded object has its head without saying so",
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "spec": {}},
            {"x-kubernetes-embedded-resource": True, "properties": {}},
            ["spec.spec"],
        ),
        ("metadata is no head of anything else", {"metadata": {}}, {"properties": {}}, ["spec.metadata"]),
    ],
)
def test_unknown_fields(reason: str, value: Any, schema: dict[str, Any], expected: list[str]) -> None:
    assert _paths(value, schema) == expected, reason


def test_the_message_names_the_path_and_what_was_probably_meant() -> None:
    (problem,) = unknown_fields({"spec": {"sizze": 1}}, {"properties": {"spec": {"properties": {"size": STRING, "region": STRING}}}})
    assert problem.message == "unknown field \"spec.sizze\"; did you mean 'size'?"
    assert problem.at == ("spec", "sizze")


def test_without_a_near_name_the_known_ones_are_listed() -> None:
    (problem,) = unknown_fields({"spec": {"q": 1}}, {"properties": {"spec": {"properties": {"size": STRING, "region": STRING}}}})
    assert problem.hint == "known here: region, size"


@pytest.mark.parametrize(
    ("typo", "meant"),
    [
        ("targetRevison", "targetRevision"),
        ("automatic", "automated"),
        ("lables", "labels"),
        ("machine_type", "machineType"),
        ("MachineType", "machineType"),
        ("versionig", "versioning"),
        ("nmae", "name"),
        ("zzz", ""),
        ("a", ""),
    ],
)
def test_the_nearest_name(typo: str, meant: str) -> None:
    assert nearest(typo, ["targetRevision", "automated", "labels", "machineType", "versioning", "name"]) == meant


def test_many_unknown_fields_take_time_in_proportion_to_their_number() -> None:
    """Only the first are compared with the names that are known: 100,000 took 23 s."""
    known = {"properties": {f"name{number}": STRING for number in range(200)}}
    found = unknown_fields({f"nome{number}": 1 for number in range(1000)}, known)
    assert len(found) == 1000
    assert sum(bool(problem.hint) for problem in found) == MOST_ADVISED
