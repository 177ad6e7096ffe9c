"""A definition with a part of the wrong type is named by that part, and nothing that reads it breaks."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterator
from typing import Any

import pytest

from crossgate.errors import SchemaError
from crossgate.model import Document, Resource, Role
from crossgate.paths import Path
from crossgate.schema import Schemas
from crossgate.schema.definition.judge import judge_definitions
from crossgate.schema.shape import check_shape

FIELD: dict[str, Any] = {
    "type": "object",
    "required": ["a"],
    "properties": {
        "a": {"type": "string", "enum": ["x"]},
        "n": {"type": "integer", "minimum": 1},
        "l": {"type": "array", "items": {"type": "string"}},
    },
    "anyOf": [{"required": ["a"]}],
}
XRD: dict[str, Any] = {
    "apiVersion": "apiextensions.crossplane.io/v1",
    "kind": "CompositeResourceDefinition",
    "metadata": {"name": "xs.a.b"},
    "spec": {
        "group": "a.b",
        "names": {"kind": "X", "plural": "xs"},
        "claimNames": {"kind": "C", "plural": "cs"},
        "versions": [{"name": "v1", "served": True, "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": FIELD}}}}],
    },
}  # fmt: skip
WRONG = [5, [], {}, None, [None], "9" * 5000]


def places(value: Any, at: Path = ()) -> Iterator[Path]:
    if at:
        yield at
    for key, child in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(child, (*at, key))


def put(at: Path, wrong: Any) -> dict[str, Any]:
    body = copy.deepcopy(XRD)
    inner: Any = body
    for step in at[:-1]:
        inner = inner[step]
    inner[at[-1]] = wrong
    return body


def test_a_part_of_any_type_breaks_nothing() -> None:
    """``properties: {o: 5}`` was taken, and broke rendering and validation of every claim later on."""
    claims = [
        Resource(body, Role.DOCUMENT, Document(body, "claim.yaml"))
        for kind in ("X", "C")
        for body in [
            {"apiVersion": "a.b/v1", "kind": kind, "metadata": {"name": "x", "namespace": "y"}, "spec": {"a": "x", "n": 1, "l": ["x"]}}
        ]
    ]
    for at in places(XRD["spec"], ("spec",)):
        for wrong in WRONG:
            document = Document(put(at, wrong), "xrd.yaml")
            with contextlib.suppress(SchemaError):  # a name of 5,000 characters is refused as one
                judge_definitions([document], Schemas.load(()))
            Schemas.load(()).including([document]).judge(claims)


@pytest.mark.parametrize(
    ("at", "wrong", "says"),
    [
        (("spec", "group"), 5, "spec.group is 5, not a string"),
        (("spec", "names", "kind"), None, "spec.names.kind is null, not a string"),
        (("spec", "versions"), {}, "spec.versions is {}, not a list"),
        (("spec", "versions", 0, "schema"), 5, "spec.versions[0].schema is 5, not an object"),
        (
            ("spec", "versions", 0, "schema", "openAPIV3Schema", "properties", "spec"),
            5,
            "openAPIV3Schema.properties.spec is 5, not an object",
        ),
    ],
)
def test_the_part_is_named(at: Path, wrong: Any, says: str) -> None:
    with pytest.raises(SchemaError) as caught:
        check_shape(put(at, wrong), "xrd.yaml")
    assert says in caught.value.what
    [unusable] = Schemas.load(()).including([Document(put(at, wrong), "xrd.yaml")]).unusable
    assert says in unusable.what


def test_a_whole_definition_is_taken() -> None:
    check_shape(XRD, "")
    assert not Schemas.load(()).including([Document(XRD, "xrd.yaml")]).unusable
