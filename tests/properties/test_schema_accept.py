"""The fast yes never takes what the exact rules refuse, for schemas and values that Hypothesis makes up."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from crossgate.schema.accept import Acceptance
from crossgate.schema.kinds import KindSchema
from crossgate.schema.validation import Checker

NAMES = st.sampled_from(["a", "b", "c", "long-name"])
TEXTS = st.one_of(
    st.sampled_from(["", "a", "ab", "x y", "1", "ä", "2024-01-01T00:00:00Z", "2024-02-30T00:00:00Z", "YQ==", "10Gi"]), st.text(max_size=5)
)
NUMBERS = st.one_of(
    st.integers(-3, 12),
    st.sampled_from([2**31, 2**31 - 1, -(2**31) - 1, 2**53, float(2**53), 2**63, 1e300, 2.0, 1.5]),
    st.floats(allow_nan=False),
)
SCALARS = st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=8)


def _list_schema(items: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """Make a list's schema that the API server would take: only objects can be the elements of a list map."""
    if items.get("type") != "object" and own.get("x-kubernetes-list-type") == "map":
        own = {**own, "x-kubernetes-list-type": "atomic"}
    return {"type": "array", "items": items, "x-kubernetes-list-map-keys": ["a"], **own}


def _some(**keywords: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=keywords)


STRING = _some(
    minLength=st.integers(0, 3),
    maxLength=st.integers(0, 4),
    pattern=st.sampled_from(["^a", "b$", "^[a-z]+$", r"^\d+$", r"\s", "(?i)a", "a|b", "^.$", "[[:alpha:]]", "a{2}", "("]),
    format=st.sampled_from(["date-time", "byte", "uuid", "ipv4", "unknown", "password"]),
    enum=st.lists(TEXTS, min_size=1, max_size=3),
    nullable=st.booleans(),
)
NUMBER = _some(
    minimum=st.sampled_from([0, 1, 1.5, -1.5]),
    maximum=st.sampled_from([0, 2, 1.5, 10]),
    exclusiveMinimum=st.booleans(),
    exclusiveMaximum=st.booleans(),
    multipleOf=st.sampled_from([2, 0.5]),
    format=st.sampled_from(["int32", "int64", "float", "double"]),
    enum=st.lists(st.integers(0, 3), min_size=1, max_size=3),
)
LEAVES = st.one_of(
    STRING.map(lambda found: {"type": "string", **found}),
    NUMBER.map(lambda found: {"type": "integer", **found}),
    NUMBER.map(lambda found: {"type": "number", **found}),
    st.just({"type": "boolean"}),
    STRING.map(lambda found: {"x-kubernetes-int-or-string": True, **{key: found[key] for key in found if key in ("pattern", "nullable")}}),
    st.just({"x-kubernetes-preserve-unknown-fields": True}),
)
BRANCH = st.one_of(
    st.lists(NAMES, min_size=1, max_size=2).map(lambda names: {"required": names}),
    st.tuples(NAMES, st.lists(st.sampled_from(["a", "b"]), min_size=1)).map(lambda found: {"properties": {found[0]: {"enum": found[1]}}}),
    st.integers(0, 3).map(lambda bound: {"minLength": bound}),
)


def _objects(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    with_default = st.one_of(inner, st.tuples(inner, SCALARS).map(lambda found: {**found[0], "default": found[1]}))
    return st.one_of(
        _some(
            properties=st.dictionaries(NAMES, with_default, max_size=3),
            required=st.lists(NAMES, max_size=2, unique=True),
            minProperties=st.integers(0, 2),
            maxProperties=st.integers(0, 3),
            anyOf=st.lists(BRANCH, min_size=1, max_size=2),
            oneOf=st.lists(BRANCH, min_size=1, max_size=2),
            allOf=st.lists(BRANCH, min_size=1, max_size=2),
            nullable=st.booleans(),
            **{"x-kubernetes-preserve-unknown-fields": st.just(True), "not": BRANCH},
        ).map(lambda found: {"type": "object", **found}),
        inner.map(lambda found: {"type": "object", "additionalProperties": found}),
        st.tuples(
            inner,
            _some(
                minItems=st.integers(0, 2),
                maxItems=st.integers(0, 3),
                uniqueItems=st.booleans(),
                **{"x-kubernetes-list-type": st.sampled_from(["atomic", "set", "map"])},
            ),
        ).map(lambda found: _list_schema(*found)),
    )


SCHEMAS = st.recursive(LEAVES, _objects, max_leaves=6)


def _fitting(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Return values that are likely to fit, so that the fast yes has something to say yes to."""
    if schema.get("enum"):
        return st.sampled_from(schema["enum"])
    kind = schema.get("type")
    if kind == "object":
        named = {name: _fitting(inner) for name, inner in (schema.get("properties") or {}).items()}
        required = {name: named.get(name, SCALARS) for name in schema.get("required") or ()}
        fields = st.fixed_dictionaries(required, optional={name: value for name, value in named.items() if name not in required})
        rest = schema.get("additionalProperties")
        return st.dictionaries(NAMES, _fitting(rest), max_size=2) if rest else fields
    if kind == "array":
        return st.lists(_fitting(schema["items"]), max_size=3)
    return {"string": TEXTS, "integer": st.integers(-3, 12), "number": NUMBERS, "boolean": st.booleans()}.get(str(kind), VALUES)


@settings(max_examples=250, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much])
@given(schema=SCHEMAS, data=st.data())
def test_what_is_plainly_good_has_no_problem(schema: dict[str, Any], data: st.DataObject) -> None:
    value = data.draw(st.one_of(_fitting(schema), VALUES))
    whole = {"type": "object", "properties": {"spec": schema, "metadata": {"type": "object"}}}
    kind = KindSchema("example.org", "v1", "Thing", "things", "Namespaced", whole)
    resource = {"apiVersion": "example.org/v1", "kind": "Thing", "metadata": {"name": "x"}, "spec": value}
    accepted = Acceptance(kind).accepts(resource)
    event(f"accepted: {accepted}")
    if accepted:
        assert Checker(kind).check(resource) == []


PREFIXES = st.sampled_from(["", "a", "a-", "a.b-", "-", "a.", "A-", "a_", "a--", "x" * 58, "x" * 70 + "-"]) | st.text("a-.X", max_size=6)
OWNERS = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "apiVersion": st.sampled_from(["", "v1", "a/v1", "a/", "/v1", "a/b/v1", 1]),
            "kind": st.sampled_from(["", "Event", "XThing", None]),
            "name": st.sampled_from(["", "x", None]),
            "uid": st.sampled_from(["", "92df83bd", None]),
            "controller": st.sampled_from([True, False, None, "yes"]),
            "blockOwnerDeletion": st.booleans(),
            "more": st.just("x"),
        },
    ),
    max_size=2,
)
METADATA = st.fixed_dictionaries(
    {},
    optional={"name": PREFIXES, "generateName": PREFIXES, "namespace": PREFIXES, "ownerReferences": OWNERS, "labels": st.just({"a": "b"})},
)


@settings(max_examples=400)
@given(metadata=METADATA)
def test_what_is_plainly_good_has_good_metadata(metadata: dict[str, Any]) -> None:
    """Composed resources carry generated names and an owner, so the fast yes must know both."""
    kind = KindSchema("example.org", "v1", "Thing", "things", "Namespaced", {"type": "object"})
    resource = {"apiVersion": "example.org/v1", "kind": "Thing", "metadata": metadata}
    accepted = Acceptance(kind).accepts(resource)
    event(f"accepted: {accepted}")
    if accepted:
        assert Checker(kind).check(resource) == []


def test_what_crossplane_composes_is_plainly_good() -> None:
    """Else the fast yes would take none of the many resources that it is there for."""
    owner = {"apiVersion": "a.b/v1", "kind": "XThing", "name": "x", "uid": "1", "controller": True, "blockOwnerDeletion": True}
    kind = KindSchema("example.org", "v1", "Thing", "things", "Cluster", {"type": "object"})
    metadata = {"generateName": "x-", "labels": {"crossplane.io/composite": "x"}, "ownerReferences": [owner]}
    assert Acceptance(kind).accepts({"apiVersion": "example.org/v1", "kind": "Thing", "metadata": metadata})
