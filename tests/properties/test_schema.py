"""What holds for every schema and every resource."""

from __future__ import annotations

import copy
import gzip
import json
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from crossgate.model import Document
from crossgate.schema import Schemas
from crossgate.schema.compact import dump, read
from crossgate.schema.defaulting import DefaultTree, copy_json, drop_nulls
from crossgate.schema.kinds import KindSchema

ROOT = Path(__file__).parent.parent.parent
XRDS = json.loads(gzip.decompress((ROOT / "tests" / "conformance" / "validate.json.gz").read_bytes()))["extensions"]
SCHEMAS = Schemas.load([ROOT / "schemas"]).including(Document(body, "xrd.yaml") for body in XRDS)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=10,
)
FIELDS = [
    "image",
    "compute",
    "api",
    "port",
    "tags",
    "free",
    "list",
    "set",
    "maplist",
    "i32",
    "i64",
    "when",
    "oneof",
    "cel",
    "compositionRef",
    "x",
]
PARTS = st.recursive(
    st.sampled_from(["string", "integer", "boolean"]).map(lambda kind: {"type": kind}),
    lambda inner: (
        st.dictionaries(st.text(max_size=5), inner, max_size=4).map(lambda found: {"type": "object", "properties": found})
        | inner.map(lambda found: {"type": "array", "items": found})
        | st.tuples(inner, JSON).map(lambda found: {**found[0], "default": found[1], "description": "prose"})
    ),
    max_leaves=8,
)


@settings(max_examples=150)
@given(spec=st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=5), metadata=JSON, kind=st.sampled_from(["Model", "XModel"]))
def test_any_resource_gets_an_answer_and_is_left_alone(spec: dict[str, Any], metadata: Any, kind: str) -> None:
    resource = {"apiVersion": "platform.example.org/v1alpha1", "kind": kind, "metadata": metadata, "spec": spec}
    before = copy.deepcopy(resource)
    problems = SCHEMAS.validate(resource)
    assert resource == before
    for problem in problems:
        assert problem.message
        assert problem.path or problem.at == ()


@settings(max_examples=60)
@given(
    body=JSON,
    kind=st.sampled_from([("v1", "Secret"), ("apps/v1", "Deployment"), ("v1", "Service"), ("networking.k8s.io/v1", "NetworkPolicy")]),
)
def test_any_object_of_kubernetes_own_kinds_gets_an_answer(body: Any, kind: tuple[str, str]) -> None:
    fields = body if isinstance(body, dict) else {"spec": body}
    assert isinstance(SCHEMAS.validate({**fields, "apiVersion": kind[0], "kind": kind[1], "metadata": {"name": "x"}}), list)


@given(schema=PARTS, value=JSON)
def test_defaults_are_added_once(schema: dict[str, Any], value: Any) -> None:
    tree = DefaultTree.of(schema)
    stored = copy_json(value)
    drop_nulls(stored, schema)
    stored = tree.applied(stored)
    assert tree.applied(stored) == stored


@given(schema=PARTS)
def test_the_compact_form_reads_back_the_same(schema: dict[str, Any], tmp_path_factory: Any) -> None:
    file = tmp_path_factory.mktemp("compact") / "Thing.json"
    kind = KindSchema("g", "v1", "Thing", "things", "Cluster", {"type": "object", "properties": {"spec": schema, "again": schema}})
    file.write_text(dump(kind), encoding="utf-8")
    assert read(file).schema == kind.schema
    assert dump(read(file)) == dump(kind)
