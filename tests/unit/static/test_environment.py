"""What patches put into the environment is followed to where it is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Faults = Callable[..., list[str]]

LOADING = {
    "step": "environment",
    "functionRef": {"name": "function-environment-configs"},
    "input": {"apiVersion": "environmentconfigs.fn.crossplane.io/v1beta1", "kind": "Input"},
}


def put(source: str, field: str = "value", **more: Any) -> dict[str, Any]:
    return {"type": "FromCompositeFieldPath", "fromFieldPath": source, "toFieldPath": field, **more}


def take(target: str, field: str = "value", *transforms: dict[str, Any]) -> dict[str, Any]:
    patch = {"type": "FromEnvironmentFieldPath", "fromFieldPath": field, "toFieldPath": target}
    return {**patch, "transforms": list(transforms)} if transforms else patch


def fmt(form: str) -> dict[str, Any]:
    return {"type": "string", "string": {"type": "Format", "fmt": form}}


LOCATION, COUNT = "spec.forProvider.location", "spec.forProvider.nodeCount"


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("spec.parameters.name", LOCATION, []),
        ("spec.parameters.nodes", "spec.forProvider.disk.gigabytes", []),
        ("spec.parameters.name", COUNT, ["type-mismatch WRONG_TYPE"]),
        ("spec.parameters.nodes", LOCATION, ["type-mismatch WRONG_TYPE"]),
        ("spec.parameters.size", "spec.forProvider.class", ["value-not-allowed NOT_ALLOWED"]),
    ],
)
def test_a_value_keeps_its_type_on_the_way(faults: Faults, source: str, target: str, expected: list[str]) -> None:
    assert faults([take(target)], environment={"patches": [put(source)]}) == expected


def test_a_whole_number_is_an_integer_within_the_step_and_a_float_in_the_next(faults: Faults, composition: Callable[..., Any]) -> None:
    """The function keeps its environment as JSON while it runs; between steps it travels as a protobuf Struct."""
    environment = {"patches": [put("spec.parameters.nodes")]}
    assert faults([take(LOCATION, "value", fmt("n-%d"))], environment=environment) == []
    first = {**composition([], templates=[], environment=environment).body["spec"]["pipeline"][0], "step": "first"}
    assert faults([take(LOCATION, "value", fmt("n-%d"))], steps=[first]) == ["format-verb WRONG_VERB"]
    assert faults([take(LOCATION, "value", fmt("n-%v"))], steps=[first]) == []


def test_what_an_environment_config_may_hold_is_not_judged(faults: Faults) -> None:
    """The patch of an optional field may leave the loaded value there, whatever it is; that of a required one replaces it."""
    optional, required = put("spec.parameters.owner"), put("spec.parameters.name")
    assert faults([take(COUNT)], steps=[LOADING]) == []
    assert faults([take(COUNT)], steps=[LOADING], environment={"patches": [optional]}) == []
    assert faults([take(COUNT)], steps=[LOADING], environment={"patches": [required]}) == ["type-mismatch WRONG_TYPE"]


def test_of_two_writers_either_may_have_written(faults: Faults) -> None:
    both = [put("spec.parameters.nodes"), put("spec.parameters.owner")]
    assert faults([take("spec.forProvider.port")], environment={"patches": both}) == []
    assert faults([take("spec.forProvider.labels")], environment={"patches": both}) == ["type-mismatch WRONG_TYPE"]


@pytest.mark.parametrize(
    ("source", "expected"), [("metadata.uid", []), ("metadata.name", []), ("spec.parameters.name", ["colliding-name SHARED_FIELDS"])]
)
def test_a_name_is_as_unique_as_what_the_environment_was_written_from(faults: Faults, source: str, expected: list[str]) -> None:
    assert faults([take("metadata.name")], environment={"patches": [put(source)]}) == expected


def selecting(field: str) -> list[dict[str, Any]]:
    label = {"type": "FromCompositeFieldPath", "key": "region", "valueFromFieldPath": field}
    source = {"type": "Selector", "selector": {"matchLabels": [label, {"type": "Value", "key": "a", "value": "b"}]}}
    return [{**LOADING, "input": {**LOADING["input"], "spec": {"environmentConfigs": [source]}}}]


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("spec.parameters.region", []),
        ("metadata.labels[example.org/region]", []),
        ("spec.parameters.regionn", ["unknown-source-field NOT_IN_XRD"]),
        ("spec.parameters.region.name", ["unknown-source-field WRONG_PARENT"]),
        ("spec.parameters.nodes", ["type-mismatch WRONG_TYPE"]),
        ("spec..region", ["invalid-path SYNTAX"]),
    ],
)
def test_labels_that_select_environment_configs_come_from_declared_text(faults: Faults, field: str, expected: list[str]) -> None:
    assert faults([], steps=selecting(field)) == expected
