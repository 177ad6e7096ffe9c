from __future__ import annotations

from typing import Any

import pytest

from crossgate.errors import RenderError
from crossgate.render import ENVIRONMENT_KEY, Rendering, render

KIND = {"apiVersion": "platform.example.org/v1alpha1", "kind": "XModel"}
BASE = {"apiVersion": "ex.org/v1", "kind": "Thing", "spec": {}}
SPEC = {"name": "fraud", "n": 3, "list": [1], "nothing": None}
OBSERVED = {
    **BASE,
    "metadata": {"name": "o", "annotations": {"crossplane.io/composition-resource-name": "r"}},
    "spec": {"writeConnectionSecretToRef": {"name": "s", "namespace": "a"}},
    "status": {"url": "u", "n": 5, "flag": True, "off": False},
}
SECRET = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "a"}, "data": {"password": "eA=="}}
D = {"type": "string", "string": {"type": "Format", "fmt": "%d"}}


def run(*steps: dict[str, Any], spec: Any = None, **given: Any) -> Rendering:
    pipeline = [
        {"step": f"s{number}", "functionRef": {"name": "function-patch-and-transform"}, "input": step} for number, step in enumerate(steps)
    ]
    composition = {"metadata": {"name": "xmodel"}, "spec": {"compositeTypeRef": KIND, "pipeline": pipeline}}
    return render({**KIND, "metadata": {"name": "fraud"}, "spec": spec or SPEC}, composition, **given)


def one(*patches: dict[str, Any], **template: Any) -> dict[str, Any]:
    return {"resources": [{"name": "r", "base": BASE, "patches": list(patches), **template}]}


def spec_of(found: Rendering) -> Any:
    return found.composed[0]["spec"]


def test_an_optional_patch_whose_source_is_missing_is_skipped_and_one_from_null_is_not() -> None:
    assert spec_of(run(one({"fromFieldPath": "spec.no"}, {"fromFieldPath": "spec.nothing"}))) == {"nothing": None}


def test_a_later_patch_sees_what_an_earlier_one_wrote() -> None:
    merge = {"fromFieldPath": "spec.list", "toFieldPath": "spec.list", "policy": {"toFieldPath": "AppendArray"}}
    assert spec_of(run(one({"fromFieldPath": "spec.list"}, merge))) == {"list": [1]}


def test_a_step_without_a_base_meets_floats_until_its_first_patch() -> None:
    """So a list of numbers gets duplicates that it would not get within one step."""
    merge = {"fromFieldPath": "spec.list", "toFieldPath": "spec.list", "policy": {"toFieldPath": "AppendArray"}}
    second = {"resources": [{"name": "r", "patches": [merge]}]}
    assert spec_of(run(one({"fromFieldPath": "spec.list"}), second)) == {"list": [1, 1]}
    second["resources"][0]["patches"].insert(0, {"fromFieldPath": "spec.name"})
    assert spec_of(run(one({"fromFieldPath": "spec.list"}), second)) == {"list": [1], "name": "fraud"}


def test_the_environment_hands_out_integers_once_a_patch_has_written_it() -> None:
    read = {"type": "FromEnvironmentFieldPath", "fromFieldPath": "n", "toFieldPath": "spec.d", "transforms": [D]}
    context = {ENVIRONMENT_KEY: {"n": 7}}
    assert spec_of(run(one(read), context=context)) == {"d": "%!d(float64=7)"}
    written = {**one(read), "environment": {"patches": [{"fromFieldPath": "spec.name", "toFieldPath": "name"}]}}
    found = run(written, context=context)
    assert spec_of(found) == {"d": "7"}
    assert found.context[ENVIRONMENT_KEY] == {
        "n": 7,
        "name": "fraud",
        "apiVersion": "internal.crossplane.io/v1alpha1",
        "kind": "Environment",
    }


def test_a_required_environment_patch_is_fatal_where_a_required_patch_only_waits() -> None:
    patch = {"fromFieldPath": "spec.no", "policy": {"fromFieldPath": "Required"}}
    with pytest.raises(RenderError, match="environment patch at index 0") as raised:
        run({"environment": {"patches": [patch]}})
    assert "environment patch 0 (FromCompositeFieldPath: spec.no" in raised.value.where


def test_the_environment_can_write_the_status() -> None:
    patches = [
        {"type": "ToCompositeFieldPath", "fromFieldPath": "region", "toFieldPath": "status.region"},
        {"type": "FromEnvironmentFieldPath", "fromFieldPath": "region", "toFieldPath": "spec.lost"},
    ]
    found = run({"environment": {"patches": patches}}, context={ENVIRONMENT_KEY: {"region": "eu"}})
    assert found.xr["status"]["region"] == "eu"
    assert "lost" not in found.xr["spec"]


def test_merging_in_a_combine_patch_sees_floats() -> None:
    """Its value is merged before it becomes JSON: a float of the map never equals an integer of the base."""
    patch = {
        "type": "CombineFromComposite",
        "combine": {"strategy": "string", "string": {"fmt": "%s"}, "variables": [{"fromFieldPath": "spec.name"}]},
        "toFieldPath": "spec.list",
        "transforms": [{"type": "map", "map": {"fraud": [1]}}],
        "policy": {"toFieldPath": "AppendArray"},
    }
    assert spec_of(run(one(patch, base={**BASE, "spec": {"list": [1]}}))) == {"list": [1, 1]}


def test_an_unknown_policy_of_a_combine_patch_fails_when_it_runs() -> None:
    combine = {"strategy": "string", "string": {"fmt": "%s"}, "variables": [{"fromFieldPath": "spec.name"}]}
    patch = {"type": "CombineFromComposite", "combine": combine, "toFieldPath": "spec.x", "policy": {"toFieldPath": "Merge"}}
    with pytest.raises(RenderError, match="invalid patch policy Merge"):
        run(one(patch))
    patch["combine"] = {**combine, "variables": [{"fromFieldPath": "spec.no"}]}
    assert spec_of(run(one(patch))) == {}


@pytest.mark.parametrize(
    "patch", [{"fromFieldPath": "spec.nothing", "toFieldPath": "kind"}, {"fromFieldPath": "spec.name", "toFieldPath": "apiVersion"}]
)
def test_a_resource_must_keep_its_kind(patch: dict[str, Any]) -> None:
    """A kind of null, and an apiVersion of three parts."""
    with pytest.raises(RenderError, match="Object 'Kind' is missing"):
        run(one(patch), spec={"name": "a/b/c", "nothing": None})


@pytest.mark.parametrize("base", [{}, {"apiVersion": "v1"}, {"kind": ""}, {"kind": 3}, [], "x", {"apiVersion": "a/b/c", "kind": "X"}])
def test_a_base_must_be_an_object_with_a_kind(base: Any) -> None:
    with pytest.raises(RenderError, match="cannot parse base template") as raised:
        run(one(base=base))
    assert raised.value.path == ("spec", "pipeline", 0, "input", "resources", 0, "base")


def test_a_template_without_a_base_needs_an_earlier_step() -> None:
    with pytest.raises(RenderError, match="has no base template"):
        run({"resources": [{"name": "r"}]})


def test_a_missing_patch_set_is_fatal() -> None:
    with pytest.raises(RenderError, match="cannot find PatchSet by name x") as raised:
        run({**one({"type": "PatchSet", "patchSetName": "x"}), "patchSets": [{"name": "y"}]})
    assert raised.value.hint == "there are y"


@pytest.mark.parametrize(
    ("check", "ready"),
    [
        ({"type": "None"}, True),
        ({"type": "NonEmpty", "fieldPath": "status.url"}, True),
        ({"type": "NonEmpty", "fieldPath": "status.no"}, False),
        ({"type": "MatchString", "fieldPath": "status.url", "matchString": "u"}, True),
        ({"type": "MatchTrue", "fieldPath": "status.flag"}, True),
        ({"type": "MatchFalse", "fieldPath": "status.off"}, True),
        ({"type": "MatchCondition", "matchCondition": {"type": "Ready", "status": "Unknown"}}, True),
        ({"type": "MatchCondition", "matchCondition": {"type": "Ready", "status": "True"}}, False),
    ],
)
def test_readiness_checks(check: dict[str, Any], ready: bool) -> None:
    found = run(one(readinessChecks=[check]), observed=[OBSERVED])
    assert found.resources[0].ready is ready
    assert not found.warnings


@pytest.mark.parametrize(
    ("check", "says"),
    [
        ({"type": "MatchInteger", "fieldPath": "status.n", "matchInteger": 5}, "not a (int64) number"),
        ({"type": "MatchString", "fieldPath": "status.n", "matchString": "5"}, "not a string"),
        ({"type": "MatchTrue", "fieldPath": "status["}, "cannot parse path"),
    ],
)
def test_a_check_that_cannot_be_made_is_a_warning(check: dict[str, Any], says: str) -> None:
    """MatchInteger can never be made: functions receive every number as a float."""
    found = run(one(readinessChecks=[check]), observed=[OBSERVED])
    assert not found.resources[0].ready
    (warning,) = found.warnings
    assert "cannot run readiness check at index 0" in warning
    assert says in warning


def test_a_check_on_which_the_function_crashes_is_refused_once_there_is_something_to_check() -> None:
    given = one(readinessChecks=[{"type": "MatchCondition"}])
    assert run(given).composed
    with pytest.raises(RenderError, match="crashes"):
        run(given, observed=[OBSERVED])


def test_connection_details_come_from_values_fields_and_secrets() -> None:
    details = [
        {"name": "v", "type": "FromValue", "value": "x"},
        {"name": "f", "type": "FromFieldPath", "fromFieldPath": "status"},
        {"name": "none", "type": "FromFieldPath", "fromFieldPath": "status["},
        {"name": "p", "type": "FromConnectionSecretKey", "fromConnectionSecretKey": "password"},
        {"name": "gone", "type": "FromConnectionSecretKey", "fromConnectionSecretKey": "user"},
    ]
    found = run(one(connectionDetails=details), observed=[OBSERVED], required=[SECRET], legacy=True)
    assert found.connection == {"v": b"x", "f": b'{"flag":true,"n":5,"off":false,"url":"u"}', "p": b"x"}
    assert run(one(connectionDetails=details), legacy=True).connection == {}


@pytest.mark.parametrize(
    ("given", "spec", "name", "namespace"),
    [
        ({}, {}, "fraud-connection", None),
        ({"name": "conn"}, {}, "conn", None),
        ({"namespace": "ns"}, {}, "fraud-1", "ns"),
        ({"name": "conn"}, {"writeConnectionSecretToRef": {"name": "own", "namespace": "team"}}, "own", "team"),
        ({"patches": [{"type": "FromCompositeFieldPath", "fromFieldPath": "spec.name", "toFieldPath": "name"}]}, {}, "fraud", None),
        (
            {"patches": [{"type": "FromCompositeFieldPath", "fromFieldPath": "spec.no", "toFieldPath": "name"}]},
            {},
            "fraud-connection",
            None,
        ),
    ],
)
def test_where_the_connection_secret_of_a_modern_xr_goes(
    given: dict[str, Any], spec: dict[str, Any], name: str, namespace: str | None
) -> None:
    details = [{"name": "v", "type": "FromValue", "value": "x"}]
    step = {**one(connectionDetails=details), "writeConnectionSecretToRef": given}
    metadata = run(step, spec={**SPEC, **spec}, observed=[OBSERVED]).composed[1]["metadata"]
    assert metadata.get("namespace") == namespace
    assert metadata["name"] == name or (name == "fraud-1" and metadata["name"].startswith("fraud-"))


@pytest.mark.parametrize(
    "patch",
    [
        {"type": "ToCompositeFieldPath", "fromFieldPath": "name"},
        {"type": "CombineFromComposite", "toFieldPath": "name", "combine": {"strategy": "sum", "string": {"fmt": "x"}}},
        {"type": "FromCompositeFieldPath", "fromFieldPath": "spec.no", "toFieldPath": "name", "policy": {"fromFieldPath": "Required"}},
    ],
)
def test_patches_of_the_secret_that_cannot_run_are_fatal(patch: dict[str, Any]) -> None:
    details = [{"name": "v", "type": "FromValue", "value": "x"}]
    step = {**one(connectionDetails=details), "writeConnectionSecretToRef": {"patches": [patch]}}
    with pytest.raises(RenderError, match="cannot compose connection secret"):
        run(step, observed=[OBSERVED])


def test_patches_to_the_xr_only_carry_over_its_status() -> None:
    patch = {"type": "ToCompositeFieldPath", "fromFieldPath": "status.url", "toFieldPath": "spec.url"}
    found = run(one(patch), observed=[OBSERVED])
    assert found.xr["spec"] == SPEC
    with pytest.raises(RenderError, match="replaced the XR's metadata"):
        run(one({**patch, "toFieldPath": "metadata"}), observed=[OBSERVED])
