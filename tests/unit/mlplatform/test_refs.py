"""References to fields: a mistake is an error at the author's line, not a manifest that does nothing."""

from __future__ import annotations

import copy
import inspect

import pytest
from pydantic import Field

from crossgate.errors import SynthError
from mlplatform.core import Api, Model, Ref
from mlplatform.core.refs import target
from mlplatform.gpucluster import GPU_CLUSTER


class Inner(Model):
    path: str
    tags: dict[str, str] = Field(default_factory=dict)
    zones: list[str] = Field(default_factory=list)


class Spec(Model):
    api: Inner


API = Api(group="example.org", kind="XThing", claim_kind="Thing", spec_model=Spec, status_model=Model)


def here() -> int:
    frame = inspect.currentframe()
    assert frame is not None
    assert frame.f_back is not None
    return frame.f_back.f_lineno


def test_a_reference_knows_the_path_and_the_schema_of_its_field() -> None:
    at = target(GPU_CLUSTER.spec.parameters.min_nodes)
    assert at.path == ("spec", "parameters", "minNodes")
    assert at.schema["type"] == "integer"


def test_a_field_that_does_not_exist_is_named_with_line_and_neighbour() -> None:
    with pytest.raises(SynthError) as raised:
        GPU_CLUSTER.spec.parameters.min_node  # noqa: B018 - the access is what fails
    assert raised.value.what == "GPUCluster has no field spec.parameters.minNode"
    assert raised.value.where == f"tests/unit/mlplatform/{__file__.rpartition('/')[2]}:{here() - 2}"
    assert raised.value.hint == "did you mean minNodes?"


def test_a_field_may_have_any_name() -> None:
    """ModelService has spec.api.path: the reference itself must not own such names."""
    assert target(API.spec.api.path).path == ("spec", "api", "path")


def test_entries_of_maps_and_lists_are_reached_by_key_and_index() -> None:
    assert target(API.spec.api.tags["a.b"]).path == ("spec", "api", "tags", "a.b")
    assert target(API.spec.api.zones[0]).path == ("spec", "api", "zones", 0)
    assert target(API.metadata.labels["crossplane.io/claim-name"]).schema["type"] == "string"


def test_an_entry_of_a_field_that_holds_none_is_refused() -> None:
    with pytest.raises(SynthError, match=r"spec\.api\.path is not a map"):
        API.spec.api.path["x"]
    with pytest.raises(SynthError, match=r"spec\.api\.tags is not a list"):
        API.spec.api.tags[0]


def test_a_reference_in_a_string_is_refused() -> None:
    """f"{spec.name}-x" would write Python's idea of the reference into the manifest."""
    with pytest.raises(SynthError, match="no value before a claim is made"):
        f"{API.spec.api.path}-x"


def test_python_may_copy_and_print_a_reference() -> None:
    assert isinstance(copy.copy(API.spec), Ref)
    assert repr(API.spec.api) == "Ref(XThing: spec.api)"
