from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from crossgate.model import Document, Place
from crossgate.render.native import converted, is_native, to_pipeline


def composition(**spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "apiextensions.crossplane.io/v1",
        "kind": "Composition",
        "metadata": {"name": "c"},
        "spec": {"compositeTypeRef": {"apiVersion": "example.org/v1", "kind": "X"}, **spec},
    }


def patch_input(body: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = to_pipeline(body)["spec"]["pipeline"][-1]["input"]
    return found


@pytest.mark.parametrize(
    ("spec", "native"),
    [
        ({"resources": []}, True),
        ({"mode": "Resources"}, True),
        ({"mode": "Pipeline", "pipeline": []}, False),
        ({"pipeline": []}, False),
        ({"mode": "Pipeline", "resources": []}, False),
        ({"pipeline": [], "resources": []}, False),
        ({}, False),
    ],
)
def test_mode_decides_and_without_it_the_resources_do(spec: dict[str, Any], native: bool) -> None:
    assert is_native(composition(**spec)) is native


@pytest.mark.parametrize("body", [None, [], "x", {"kind": "Composition"}, {**composition(resources=[]), "spec": 3}])
def test_what_is_no_composition_is_not_native(body: Any) -> None:
    assert not is_native(body)


def test_the_frame_becomes_one_step_and_the_rest_stays() -> None:
    body = composition(resources=[{"name": "a", "base": {"kind": "A"}}], writeConnectionSecretsToNamespace="ns")
    spec = to_pipeline(body)["spec"]
    assert spec == {
        "compositeTypeRef": body["spec"]["compositeTypeRef"],
        "writeConnectionSecretsToNamespace": "ns",
        "mode": "Pipeline",
        "pipeline": [
            {
                "step": "patch-and-transform",
                "functionRef": {"name": "function-patch-and-transform"},
                "input": {
                    "apiVersion": "pt.fn.crossplane.io/v1beta1",
                    "kind": "Resources",
                    "resources": [{"name": "a", "base": {"kind": "A"}}],
                },
            }
        ],
    }


def test_conversion_leaves_its_input_alone() -> None:
    body = composition(resources=[{"base": {}, "patches": [{"policy": {"mergeOptions": {}}}]}], patchSets=[{"name": "s", "patches": [{}]}])
    before = deepcopy(body)
    to_pipeline(body)
    assert body == before


def test_a_resource_without_a_name_gets_the_one_of_its_place() -> None:
    assert [resource["name"] for resource in patch_input(composition(resources=[{"base": {}}, {"name": "b"}, {}]))["resources"]] == [
        "resource-0",
        "b",
        "resource-2",
    ]


@pytest.mark.parametrize(
    ("options", "policy"),
    [
        ({}, "ForceMergeObjects"),
        ({"keepMapValues": False, "appendSlice": False}, "ForceMergeObjects"),
        ({"keepMapValues": True}, "MergeObjects"),
        ({"appendSlice": True}, "ForceMergeObjectsAppendArrays"),
        ({"keepMapValues": True, "appendSlice": True}, "MergeObjectsAppendArrays"),
    ],
)
def test_merge_options_become_a_policy(options: dict[str, Any], policy: str) -> None:
    patch = {"type": "FromCompositeFieldPath", "policy": {"fromFieldPath": "Required", "mergeOptions": options}}
    made = patch_input(composition(resources=[{"name": "a", "patches": [patch]}]))["resources"][0]["patches"][0]
    assert made["policy"] == {"fromFieldPath": "Required", "toFieldPath": policy}


@pytest.mark.parametrize(
    ("transform", "typed"),
    [
        ({"math": {"multiply": 2}}, {"type": "math", "math": {"type": "Multiply", "multiply": 2}}),
        ({"type": "math", "math": {"clampMin": 2}}, {"type": "math", "math": {"type": "ClampMin", "clampMin": 2}}),
        ({"string": {"fmt": "%s"}}, {"type": "string", "string": {"type": "Format", "fmt": "%s"}}),
        ({"type": "string", "string": {"convert": "ToUpper"}}, {"type": "string", "string": {"type": "Convert", "convert": "ToUpper"}}),
        (
            {"type": "string", "string": {"regexp": {"match": "a"}}},
            {"type": "string", "string": {"type": "Regexp", "regexp": {"match": "a"}}},
        ),
        (
            {"type": "string", "string": {"type": "TrimPrefix", "trim": "a"}},
            {"type": "string", "string": {"type": "TrimPrefix", "trim": "a"}},
        ),
        ({"type": "map", "map": {"a": "b"}}, {"type": "map", "map": {"a": "b"}}),
    ],
)
def test_transforms_say_the_type_that_native_mode_inferred(transform: dict[str, Any], typed: dict[str, Any]) -> None:
    for holder in (
        {"resources": [{"patches": [{"transforms": [transform]}]}]},
        {"patchSets": [{"name": "s", "patches": [{"transforms": [transform]}]}]},
    ):
        made = patch_input(composition(**holder))
        patch = (made.get("patchSets") or made["resources"])[0]["patches"][0]
        assert patch == {"type": "FromCompositeFieldPath", "transforms": [typed]}


@pytest.mark.parametrize(
    ("detail", "typed"),
    [
        ({"fromConnectionSecretKey": "k"}, {"name": "k", "type": "FromConnectionSecretKey", "fromConnectionSecretKey": "k"}),
        ({"name": "n", "value": "v"}, {"name": "n", "type": "FromValue", "value": "v"}),
        ({"name": "n", "fromFieldPath": "p"}, {"name": "n", "type": "FromFieldPath", "fromFieldPath": "p"}),
        ({"name": "n", "type": "FromValue", "value": "v"}, {"name": "n", "type": "FromValue", "value": "v"}),
    ],
)
def test_connection_details_say_type_and_name(detail: dict[str, Any], typed: dict[str, Any]) -> None:
    assert patch_input(composition(resources=[{"name": "a", "connectionDetails": [detail]}]))["resources"][0]["connectionDetails"] == [
        typed
    ]


def test_the_environment_goes_to_both_functions() -> None:
    environment = {
        "defaultData": {"a": 1},
        "environmentConfigs": [{"type": "Reference", "ref": {"name": "e"}}],
        "policy": {"resolution": "Optional", "resolve": "Always"},
        "patches": [{"fromFieldPath": "spec.a", "toFieldPath": "a"}],
    }
    steps = to_pipeline(composition(resources=[], environment=environment))["spec"]["pipeline"]
    assert [step["functionRef"]["name"] for step in steps] == ["function-environment-configs", "function-patch-and-transform"]
    assert steps[0]["input"]["spec"] == {
        "defaultData": {"a": 1},
        "environmentConfigs": [{"type": "Reference", "ref": {"name": "e"}}],
        "policy": {"resolution": "Optional"},
    }
    assert steps[1]["input"]["environment"] == {
        "patches": [{"type": "FromCompositeFieldPath", "fromFieldPath": "spec.a", "toFieldPath": "a"}]
    }


def test_places_still_point_into_the_authors_file() -> None:
    asked = []

    def locate(path: tuple[str | int, ...]) -> Place:
        asked.append(path)
        return Place("c.yaml", 7)

    document = Document(composition(resources=[{"name": "a"}], environment={"defaultData": {}}), "c.yaml", 1, locate)
    made = converted(document)
    for path in (
        ("spec", "pipeline", 1, "input", "resources", 0, "base", "spec"),
        ("spec", "pipeline", 1, "input", "patchSets", 0),
        ("spec", "pipeline", 0, "input", "spec", "defaultData"),
        ("spec", "pipeline", 1, "functionRef", "name"),
        ("metadata", "name"),
    ):
        assert made.place(path).line == 7
    assert asked == [
        ("spec", "resources", 0, "base", "spec"),
        ("spec", "patchSets", 0),
        ("spec", "environment", "defaultData"),
        ("spec",),
        ("metadata", "name"),
    ]
