"""A Composition whose patches were made from the schemas has no finding; one thing broken in it is one finding."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from crossgate.errors import RenderError
from crossgate.model import Document, Finding
from crossgate.paths import format_path
from crossgate.render import render
from crossgate.schema import ProblemKind, Schemas
from crossgate.static import check_composition

ROOT = Path(__file__).parents[2]
KINDS = [
    ("storage.gcp.upbound.io/v1beta2", "Bucket"),
    ("container.gcp.upbound.io/v1beta2", "NodePool"),
    ("sql.gcp.upbound.io/v1beta2", "DatabaseInstance"),
    ("s3.aws.upbound.io/v1beta2", "Bucket"),
    ("eks.aws.upbound.io/v1beta2", "NodeGroup"),
    ("helm.crossplane.io/v1beta1", "Release"),
    ("external-secrets.io/v1", "ExternalSecret"),
]
SCALARS = ("string", "integer", "number", "boolean")
FIELD = "spec.parameters."

Schema = dict[str, Any]
Leaf = tuple[tuple[str | int, ...], Schema]


@cache
def platform() -> Schemas:
    return Schemas.load([ROOT / "schemas"])


@cache
def leaves(kind: tuple[str, str]) -> tuple[Leaf, ...]:
    schema = platform().structural(*kind)
    assert schema is not None, kind
    return tuple(walk(schema["properties"]["spec"], ("spec",)))


def walk(schema: Schema, at: tuple[str | int, ...]) -> Iterator[Leaf]:
    if schema.get("type") in SCALARS:
        yield at, schema
    for name, inner in schema.get("properties", {}).items():
        yield from walk(inner, (*at, name))
    if isinstance(schema.get("items"), dict):
        yield from walk(schema["items"], (*at, 0))


def filled(schema: Schema) -> Any:
    """A value with all that the schema requires."""
    if "default" in schema:
        return schema["default"]
    if schema.get("enum"):
        return schema["enum"][0]
    match schema.get("type"):
        case "object":
            return {name: filled(schema["properties"][name]) for name in schema.get("required", ())}
        case "array":
            return [filled(schema["items"]) for _ in range(schema.get("minItems", 0))]
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return True
        case _:
            return "x" * max(1, schema.get("minLength", 1))


def base_of(kind: tuple[str, str]) -> dict[str, Any]:
    schema = platform().structural(*kind)
    assert schema is not None
    spec = filled(
        {**schema["properties"]["spec"], "required": ["forProvider"]}
        if "forProvider" in schema["properties"]["spec"]["properties"]
        else schema["properties"]["spec"]
    )
    return {"apiVersion": kind[0], "kind": kind[1], "spec": spec}


def constants(schema: Schema) -> list[Any]:
    """Two values that the schema allows (where it has no pattern)."""
    if schema.get("enum"):
        return [schema["enum"][0], schema["enum"][-1]]
    return {"string": ["one", "two"], "integer": [filled(schema)] * 2, "number": [filled(schema)] * 2, "boolean": [True, False]}[
        schema["type"]
    ]


@st.composite
def carried(draw: st.DrawFn, leaf: Schema) -> tuple[Schema, list[dict[str, Any]]]:
    """A field of the XRD and transforms that give what the target takes."""
    kind = leaf["type"]
    enum = {"type": "string", "enum": ["small", "large"]}
    small, large = constants(leaf)
    ways: list[tuple[Schema, list[dict[str, Any]]]] = [({**{key: leaf[key] for key in ("type", "enum") if key in leaf}}, [])]
    if "pattern" not in leaf and leaf.get("minLength", 0) < 3 and leaf.get("maxLength", 99) > 4:
        if kind == "string" and "enum" not in leaf:
            ways.append(({"type": "boolean"}, [{"type": "convert", "convert": {"toType": "string"}}]))
        ways.append((enum, [{"type": "map", "map": {"small": small, "large": large}}]))
        patterns = [{"type": "literal", "literal": "small", "result": small}]
        ways.append((enum, [{"type": "match", "match": {"patterns": patterns, "fallbackValue": large}}]))
    if kind == "string" and "enum" not in leaf:
        ways += [
            ({"type": "integer"}, [{"type": "string", "string": {"type": "Format", "fmt": "n-%v"}}]),
            ({"type": "string"}, [{"type": "string", "string": {"type": "Convert", "convert": "ToUpper"}}]),
            ({"type": "integer"}, [{"type": "convert", "convert": {"toType": "string"}}]),
            ({"type": "array", "items": {"type": "string"}}, [{"type": "string", "string": {"type": "Join", "join": {"separator": ","}}}]),
        ]
    if kind == "integer" and "enum" not in leaf:
        ways += [
            ({"type": "string"}, [{"type": "convert", "convert": {"toType": "int64"}}]),
            ({"type": "integer"}, [{"type": "math", "math": {"type": "Multiply", "multiply": 2}}]),
        ]
    if kind == "boolean":
        ways.append(({"type": "string"}, [{"type": "convert", "convert": {"toType": "bool"}}]))
    return draw(st.sampled_from(ways))


@st.composite
def made(draw: st.DrawFn) -> tuple[dict[str, Schema], list[dict[str, Any]]]:
    """The parameters of an XRD and templates that patch them into fields of real kinds."""
    parameters: dict[str, Schema] = {}
    templates = []
    for number in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(KINDS))
        chosen = draw(st.lists(st.sampled_from(leaves(kind)), min_size=1, max_size=8, unique_by=lambda leaf: leaf[0]))
        patches = []
        for at, leaf in chosen:
            field, transforms = draw(carried(leaf))
            name = f"field{len(parameters)}"
            parameters[name] = field
            patches.append(
                {"type": "FromCompositeFieldPath", "fromFieldPath": FIELD + name, "toFieldPath": format_path(at), "transforms": transforms}
            )
        templates.append({"name": f"template-{number}", "base": base_of(kind), "patches": patches})
    return parameters, templates


def composition_of(templates: list[dict[str, Any]]) -> dict[str, Any]:
    function = {"apiVersion": "pt.fn.crossplane.io/v1beta1", "kind": "Resources", "resources": templates}
    return {
        "apiVersion": "apiextensions.crossplane.io/v1",
        "kind": "Composition",
        "metadata": {"name": "things"},
        "spec": {
            "compositeTypeRef": {"apiVersion": "example.org/v1", "kind": "XThing"},
            "pipeline": [{"step": "patch", "functionRef": {"name": "function-patch-and-transform"}, "input": function}],
        },
    }


def judged(parameters: dict[str, Schema], templates: list[dict[str, Any]]) -> tuple[Finding, ...]:
    spec = {"type": "object", "properties": {"parameters": {"type": "object", "properties": parameters}}}
    openapi = {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}
    xrd = {
        "apiVersion": "apiextensions.crossplane.io/v1",
        "kind": "CompositeResourceDefinition",
        "metadata": {"name": "xthings.example.org"},
        "spec": {
            "group": "example.org",
            "names": {"kind": "XThing", "plural": "xthings"},
            "versions": [{"name": "v1", "served": True, "referenceable": True, "schema": openapi}],
        },
    }
    composition = composition_of(templates)
    before = copy.deepcopy(composition)
    schemas = platform().including([Document(xrd, "xrd.yaml", 1)])
    judgement = check_composition(Document(composition, "composition.yaml", 1), schemas)
    assert judgement.could_not_check == ()
    assert composition == before, "judging changes nothing"
    return judgement.findings


def goes_wrong(parameters: dict[str, Schema], templates: list[dict[str, Any]]) -> bool:
    """Render an XR that has every field, and say whether that fails or gives what the API server refuses (or drops)."""
    values = {name: constants(field)[-1] if field.get("type") in SCALARS else sample(field) for name, field in parameters.items()}
    xr = {"apiVersion": "example.org/v1", "kind": "XThing", "metadata": {"name": "thing"}, "spec": {"parameters": values}}
    try:
        composed = render(xr, composition_of(templates), legacy=True).composed
    except RenderError:
        return True
    bad = (ProblemKind.SCHEMA, ProblemKind.UNKNOWN_FIELD)
    return any(problem.kind in bad for resource in composed for problem in platform().validate(resource))


def sample(field: Schema) -> Any:
    return ["a"] if field["type"] == "array" else {"a": "b"}


@settings(max_examples=50, deadline=None)
@given(made())
def test_patches_made_from_the_schemas_have_no_finding(case: tuple[dict[str, Schema], list[dict[str, Any]]]) -> None:
    findings = judged(*case)
    assert findings == (), [finding.message for finding in findings]


@settings(max_examples=50, deadline=None)
@given(made(), st.data())
def test_one_thing_broken_is_one_finding_at_its_place(case: tuple[dict[str, Schema], list[dict[str, Any]]], data: st.DataObject) -> None:
    parameters, templates = copy.deepcopy(case)
    template = data.draw(st.integers(0, len(templates) - 1))
    patches = templates[template]["patches"]
    number = data.draw(st.integers(0, len(patches) - 1))
    patch = patches[number]
    expected = broken(parameters, patch, data.draw(st.sampled_from(ways(patch))))
    at = f"spec.pipeline[0].input.resources[{template}].patches[{number}]"
    findings = judged(parameters, templates)
    assert [(finding.rule, finding.path.startswith(at)) for finding in findings] == [(f"crossplane/{expected}", True)], [
        finding.message for finding in findings
    ]


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(made(), st.data())
def test_what_is_found_really_goes_wrong(case: tuple[dict[str, Schema], list[dict[str, Any]]], data: st.DataObject) -> None:
    assume(not goes_wrong(*case))
    parameters, templates = copy.deepcopy(case)
    patch = data.draw(st.sampled_from([patch for template in templates for patch in template["patches"]]))
    way = data.draw(st.sampled_from([way for way in ways(patch) if way != "source"]))
    broken(parameters, patch, way)
    assert judged(parameters, templates)
    assert goes_wrong(parameters, templates)


def broken(parameters: dict[str, Schema], patch: dict[str, Any], way: str) -> str:
    """Break one thing; returns the rule that must say so."""
    field = patch["fromFieldPath"].removeprefix(FIELD)
    match way:
        case "source":
            patch["fromFieldPath"] += "Typo"
            return "unknown-source-field"
        case "target":
            patch["toFieldPath"] += "Typo"
            return "unknown-target-field"
        case "key":
            del patch["transforms"][0]["map"]["large"]
            return "map-not-exhaustive"
        case _:
            patch["transforms"] = []
            parameters[field] = {"type": "object", "additionalProperties": {"type": "string"}}
            return "type-mismatch"


def ways(patch: dict[str, Any]) -> list[str]:
    found = ["source", "type"]
    if not patch["toFieldPath"].endswith("]"):
        found.append("target")
    if patch["transforms"] and patch["transforms"][0]["type"] == "map":
        found.append("key")
    return found


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


def places(value: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*at, key)
        yield from places(inner, (*at, key))


@settings(max_examples=100, deadline=None)
@given(made(), JSON, st.data())
def test_no_json_anywhere_stops_the_check(case: tuple[dict[str, Schema], list[dict[str, Any]]], value: Any, data: st.DataObject) -> None:
    """A fault is said, whatever stands where: the check itself has no other outcome."""
    body = composition_of(copy.deepcopy(case[1]))
    *above, last = data.draw(st.sampled_from(list(places(body["spec"]))))
    holder = body["spec"]
    for step in above:
        holder = holder[step]
    holder[last] = value
    check_composition(Document(body, "composition.yaml", 1), platform())
