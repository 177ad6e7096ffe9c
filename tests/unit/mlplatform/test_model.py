"""Models become structural schemas: what an author writes once is what the API server enforces."""

from __future__ import annotations

from typing import Annotated, Literal

import pytest
from pydantic import Field, ValidationError

from mlplatform.core import Model, Required, Rule
from mlplatform.core.model import places, structural


class Compute(Model):
    """Where it runs."""

    instance_type: Annotated[Literal["small", "large"], Required()] = "small"
    """Kind of machine."""
    ratio: Annotated[float, Field(gt=0, lt=1)] = 0.5


class Spec(Model):
    """What is wanted."""

    rules = (Rule("self.compute.ratio < 0.9", "leave some room"),)

    image: Annotated[str, Field(max_length=200, pattern="^[a-z]+$")]
    """Image that runs."""
    compute: Compute = Compute()
    cache: Compute | None = None
    """Cache, if any."""
    tags: dict[str, str] = Field(default_factory=dict)
    zones: list[Compute] = Field(default_factory=list)
    engine: Literal["redis"] = "redis"


def test_descriptions_come_from_docstrings_and_names_are_spelt_as_the_api_does() -> None:
    schema = structural(Spec)
    assert schema["description"] == "What is wanted."
    assert schema["properties"]["image"]["description"] == "Image that runs."
    assert "instanceType" in schema["properties"]["compute"]["properties"]


def test_a_field_is_required_without_default_or_when_marked() -> None:
    """ "required, … = c5.large" of an API: the schema lists it although it has a default."""
    assert structural(Spec)["required"] == ["image"]
    assert structural(Spec)["properties"]["compute"]["required"] == ["instanceType"]
    assert structural(Spec)["properties"]["compute"]["properties"]["instanceType"]["default"] == "small"


def test_an_optional_field_has_neither_null_nor_default() -> None:
    """Kubernetes leaves an optional field out; a default of null would be pruned or refused."""
    cache = structural(Spec)["properties"]["cache"]
    assert cache["type"] == "object"
    assert "default" not in cache
    assert "anyOf" not in cache
    assert cache["description"] == "Cache, if any."


def test_an_object_with_a_default_carries_the_defaults_inside() -> None:
    """The API server fills defaults only below objects that exist."""
    assert structural(Spec)["properties"]["compute"]["default"] == {"instanceType": "small", "ratio": 0.5}


def test_bounds_enums_maps_and_lists_are_in_kubernetes_spelling() -> None:
    properties = structural(Spec)["properties"]
    ratio = properties["compute"]["properties"]["ratio"]
    assert (ratio["minimum"], ratio["exclusiveMinimum"], ratio["maximum"], ratio["exclusiveMaximum"]) == (0, True, 1, True)
    assert properties["engine"]["enum"] == ["redis"]
    assert properties["tags"]["additionalProperties"] == {"type": "string"}
    assert properties["zones"]["items"]["properties"]["instanceType"]["enum"] == ["small", "large"]


def test_rules_are_cel_validations() -> None:
    assert structural(Spec)["x-kubernetes-validations"] == [{"rule": "self.compute.ratio < 0.9", "message": "leave some room"}]


def test_nothing_of_json_schema_is_left_that_an_xrd_refuses() -> None:
    """A structural schema has no references and no titles, and additionalProperties false excludes properties."""

    def keys(value: object) -> set[str]:
        if isinstance(value, dict):
            return set(value).union(*(keys(inner) for name, inner in value.items() if name != "properties")) | {
                key for inner in value.get("properties", {}).values() for key in keys(inner)
            }
        return set()

    assert not keys(structural(Spec)) & {"$ref", "$defs", "title", "anyOf", "const"}
    assert "additionalProperties" not in structural(Spec)


def test_a_field_of_two_types_is_refused() -> None:
    class Odd(Model):
        value: int | str

    with pytest.raises(TypeError, match="one type a field"):
        structural(Odd)


def test_a_claim_in_python_is_checked_where_it_is_written() -> None:
    with pytest.raises(ValidationError, match="instance_type"):
        Compute(instance_type="huge")  # type: ignore[arg-type]  # the fault that is tested
    with pytest.raises(ValidationError, match="extra"):
        Compute(instance="small")  # type: ignore[call-arg]  # the fault that is tested


def test_only_given_fields_go_into_a_manifest() -> None:
    """Defaults are the API server's: written out, they would pin what the platform may want to change."""
    assert Spec(image="a", compute=Compute(ratio=0.1)).manifest() == {"image": "a", "compute": {"ratio": 0.1}}


def test_each_field_has_the_line_that_it_was_written_at(request: pytest.FixtureRequest) -> None:
    root = request.config.rootpath
    found = places(Spec, str(root))
    lines = (root / found["properties", "image"].file).read_text().splitlines()
    assert lines[found["properties", "image"].line - 1].strip().startswith("image:")
    assert lines[found["properties", "compute", "properties", "ratio"].line - 1].strip().startswith("ratio:")
    assert lines[found["properties", "zones", "items", "properties", "instanceType"].line - 1].strip().startswith("instance_type:")
    assert lines[found[()].line - 1] == "class Spec(Model):"
