from __future__ import annotations

import copy
import hashlib
from typing import Any

import pytest

from crossgate.errors import RenderError, UnknownFunctionError
from crossgate.model import Flow
from crossgate.paths import follow
from crossgate.render import ENVIRONMENT, ENVIRONMENT_KEY, compile_composition, render
from crossgate.render.state import Desired, State, Step

KIND = {"apiVersion": "platform.example.org/v1alpha1", "kind": "XModel"}
BASE = {"apiVersion": "ex.org/v1", "kind": "Thing", "spec": {}}
NAME = "crossplane.io/composition-resource-name"


def an_xr(**given: Any) -> dict[str, Any]:
    return {**KIND, "metadata": {"name": "fraud", **given.pop("metadata", {})}, "spec": {"name": "fraud", "n": 3}, **given}


def step(*resources: dict[str, Any], name: str = "pt", function: str = "function-patch-and-transform", **given: Any) -> dict[str, Any]:
    return {"step": name, "functionRef": {"name": function}, "input": {"resources": list(resources), **given}}


def composition(*steps: dict[str, Any], **spec: Any) -> dict[str, Any]:
    return {"metadata": {"name": "xmodel"}, "spec": {"compositeTypeRef": KIND, "mode": "Pipeline", "pipeline": list(steps), **spec}}


def thing(*patches: dict[str, Any], **given: Any) -> dict[str, Any]:
    return {"name": "r", "base": BASE, "patches": list(patches), **given}


def observed(name: str = "fraud-abc12", template: str = "r", **given: Any) -> dict[str, Any]:
    metadata = {"name": name, "annotations": {NAME: template}, **given.pop("metadata", {})}
    return {"apiVersion": "ex.org/v1", "kind": "Thing", "metadata": metadata, **given}


def test_a_composed_resource_gets_name_labels_annotation_and_owner() -> None:
    (body,) = render(an_xr(), composition(step(thing()))).composed
    owner = {**KIND, "name": "fraud", "uid": "8ab0bd2b-412d-517c-ae44-dcfd5bab0570", "controller": True, "blockOwnerDeletion": True}
    assert body == {
        **BASE,
        "metadata": {
            "name": "fraud-" + hashlib.sha256(b"8ab0bd2b-412d-517c-ae44-dcfd5bab0570r").hexdigest()[:12],
            "generateName": "fraud-",
            "labels": {"crossplane.io/composite": "fraud"},
            "annotations": {NAME: "r"},
            "ownerReferences": [owner],
        },
    }


def test_where_a_resource_comes_from_is_recorded() -> None:
    given = composition(
        step(
            {"name": "other", "base": BASE},
            thing(
                {"type": "PatchSet", "patchSetName": "names"},
                {"fromFieldPath": "spec.missing", "toFieldPath": "spec.missing"},
                {"fromFieldPath": "spec.n", "toFieldPath": "spec.list[*].n"},
                {
                    "type": "CombineFromComposite",
                    "combine": {
                        "strategy": "string",
                        "string": {"fmt": "%s-%v"},
                        "variables": [{"fromFieldPath": "spec.name"}, {"fromFieldPath": "spec.n"}],
                    },
                    "toFieldPath": "spec.both",
                },
                {"type": "FromEnvironmentFieldPath", "fromFieldPath": "region", "toFieldPath": "spec.region"},
                {"type": "FromEnvironmentFieldPath", "fromFieldPath": "copied.name", "toFieldPath": "spec.copied"},
                base={**BASE, "spec": {"list": [{"n": 1}, {"n": 2}]}},
            ),
            patchSets=[{"name": "names", "patches": [{"fromFieldPath": "spec.name"}]}],
            environment={"patches": [{"fromFieldPath": "spec", "toFieldPath": "copied"}]},
        ),
    )
    found = render(an_xr(), given, context={ENVIRONMENT_KEY: {"region": "eu-1"}}).resources[1]
    at = ("spec", "pipeline", 0, "input")
    patches = (*at, "resources", 1, "patches")
    assert (found.step, found.template, found.base) == ("pt", "r", (*at, "resources", 1, "base"))
    assert found.flows == (
        Flow(("spec", "name"), ("spec", "name"), (*at, "patchSets", 0, "patches", 0)),
        Flow(("spec", "n"), ("spec", "list", 0, "n"), (*patches, 2)),
        Flow(("spec", "n"), ("spec", "list", 1, "n"), (*patches, 2)),
        Flow(("spec", "name"), ("spec", "both"), (*patches, 3)),
        Flow(("spec", "n"), ("spec", "both"), (*patches, 3)),
        Flow((ENVIRONMENT, "region"), ("spec", "region"), (*patches, 4)),
        Flow(("spec", "name"), ("spec", "copied"), (*patches, 5)),
    )
    for flow in found.flows:
        assert follow(found.body, flow.target) is not None
        assert isinstance(follow(given, flow.patch), dict)


def test_a_later_step_adds_to_the_flows_of_an_earlier_one() -> None:
    first = step(thing({"fromFieldPath": "spec.name"}))
    second = step({"name": "r", "patches": [{"fromFieldPath": "spec.n"}]}, name="more")
    (found,) = render(an_xr(), composition(first, second)).resources
    assert found.step == "pt"
    assert [flow.patch[2] for flow in found.flows] == [0, 1]
    assert found.body["spec"] == {"name": "fraud", "n": 3}


@pytest.mark.parametrize(
    ("patch", "says", "path"),
    [
        ({"fromFieldPath": "spec.name.x"}, "spec.name: not an object", ()),
        ({"fromFieldPath": "spec.n", "toFieldPath": "spec.list[*]"}, "cannot expand ToFieldPath spec.list[*]", ()),
        (
            {
                "fromFieldPath": "spec.name",
                "transforms": [{"type": "string", "string": {"type": "Format", "fmt": "%s"}}, {"type": "map", "map": {"x": 1}}],
            },
            "key fraud is not found in map",
            ("transforms", 1),
        ),
    ],
)
def test_an_error_names_composition_step_template_patch_and_fields(patch: dict[str, Any], says: str, path: tuple[Any, ...]) -> None:
    with pytest.raises(RenderError) as raised:
        render(an_xr(), composition(step(thing({"fromFieldPath": "spec.n"}, patch))))
    error = raised.value
    assert says in error.what
    assert '"FromCompositeFieldPath" patch at index 1' in error.what
    assert error.where.startswith('Composition xmodel, step "pt", resource "r", patch 1 (FromCompositeFieldPath: spec.n')
    assert patch["fromFieldPath"] in error.where
    assert error.path == ("spec", "pipeline", 0, "input", "resources", 0, "patches", 1, *path)


def test_an_input_error_names_the_template() -> None:
    with pytest.raises(RenderError) as raised:
        render(an_xr(), composition(step(thing({}))))
    assert raised.value.where == 'Composition xmodel, step "pt", resource "r", spec.pipeline[0].input.resources[0].patches[0].fromFieldPath'


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"spec": None}, "compositeTypeRef"),
        ({"spec": {"pipeline": []}}, "compositeTypeRef"),
        ({"spec": {"compositeTypeRef": KIND, "pipeline": {}}}, "spec.pipeline is not a list"),
        ({"spec": {"compositeTypeRef": KIND, "resources": [thing()]}}, "native mode"),
        ({"spec": {"compositeTypeRef": KIND, "pipeline": ["x"]}}, "not an object"),
        ({"spec": {"compositeTypeRef": KIND, "pipeline": [{"functionRef": {"name": "x"}}]}}, "no name"),
        ({"spec": {"compositeTypeRef": KIND, "pipeline": [{"step": "x"}]}}, "names no function"),
        ({"spec": {"compositeTypeRef": KIND, "pipeline": [{**step(thing()), "input": []}]}}, "input of a pipeline step is not an object"),
        ({"spec": {"compositeTypeRef": KIND, "pipeline": [step(thing()), step(thing())]}}, 'two pipeline steps are named "pt"'),
        ({"spec": {"compositeTypeRef": {**KIND, "kind": "XOther"}, "pipeline": []}}, "the Composition is for"),
    ],
)
def test_a_composition_that_cannot_be_used_is_refused(change: dict[str, Any], says: str) -> None:
    with pytest.raises(RenderError, match=says):
        render(an_xr(), {**composition(), **change})


def test_an_unknown_function_is_not_a_pass() -> None:
    with pytest.raises(UnknownFunctionError) as raised:
        render(an_xr(), composition(step(thing()), step(thing(), name="kcl", function="function-kcl")))
    assert "function-kcl" in raised.value.what
    assert 'step "kcl"' in raised.value.where
    assert raised.value.path == ("spec", "pipeline", 1)


@pytest.mark.parametrize(
    "name", ["function-patch-and-transform", "crossplane-contrib-function-patch-and-transform", "function-patch-and-transform-v2"]
)
def test_a_function_is_known_by_its_name_within_the_package_name(name: str) -> None:
    assert render(an_xr(), composition(step(thing(), function=name))).composed


def test_a_function_is_known_by_its_input_unless_its_name_says_otherwise() -> None:
    given = step(thing(), function="pt", apiVersion="pt.fn.crossplane.io/v1beta1", kind="Resources")
    assert render(an_xr(), composition(given)).composed
    given["functionRef"]["name"] = "function-go-templating"
    with pytest.raises(UnknownFunctionError):
        render(an_xr(), composition(given))


def test_the_caller_can_say_what_a_function_is() -> None:
    given = composition(step(thing(), function="ours"))
    with pytest.raises(UnknownFunctionError):
        render(an_xr(), given)
    assert render(an_xr(), given, functions={"ours": "function-patch-and-transform"}).composed
    with pytest.raises(UnknownFunctionError, match="function-x"):
        render(an_xr(), given, functions={"ours": "function-x"})


def test_the_caller_can_bring_a_function() -> None:
    """How a runtime for foreign functions is added without touching the engine."""

    def compile_step(given: Any, name: str, at: Any) -> Step:
        def run(state: State) -> None:
            state.desired["made"] = Desired({**BASE, "spec": {"by": name, "at": len(at), "given": given["resources"]}}, ready=True)
            state.wanted = {"status": {"hello": state.xr["spec"]["name"]}}

        return run

    found = render(an_xr(), composition(step(function="ours")), functions={"ours": compile_step})
    assert found.composed[0]["spec"] == {"by": "pt", "at": 4, "given": []}
    assert found.xr["status"]["hello"] == "fraud"
    assert found.xr["status"]["conditions"][-1]["status"] == "True"


def test_an_empty_pipeline_composes_nothing() -> None:
    found = render(an_xr(), composition())
    assert found.resources == ()
    assert [condition["type"] for condition in found.xr["status"]["conditions"]] == ["Responsive", "Synced", "Ready"]


@pytest.mark.parametrize("name", ["Foo_Bar", "a..b", "-a", "x" * 254])
def test_a_name_that_kubernetes_refuses_is_fatal(name: str) -> None:
    with pytest.raises(RenderError, match="invalid name"):
        render(an_xr(), composition(step(thing(base={**BASE, "metadata": {"name": name}}))))


def test_role_names_may_have_colons() -> None:
    base = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "system:x"}}
    assert render(an_xr(), composition(step(thing(base=base)))).composed
    with pytest.raises(RenderError, match="invalid name"):
        render(an_xr(), composition(step(thing(base={**base, "apiVersion": "ex.org/v1"}))))


def test_a_resource_of_another_owner_is_refused() -> None:
    owner = {"apiVersion": "v1", "kind": "K", "name": "n", "uid": "u", "controller": True}
    with pytest.raises(RenderError, match="already controlled by K n"):
        render(an_xr(), composition(step(thing(base={**BASE, "metadata": {"ownerReferences": [owner]}}))))


def test_a_namespaced_xr_keeps_its_resources_in_its_namespace() -> None:
    base = {**BASE, "metadata": {"namespace": "team-b"}}
    found = render(an_xr(metadata={"namespace": "team-a"}), composition(step(thing(base=base))))
    assert found.composed[0]["metadata"]["namespace"] == "team-a"
    assert found.warnings == ['cannot create composed resource "r" in namespace "team-b", using XR namespace "team-a" instead']


def test_a_required_field_that_is_missing_holds_a_new_resource_back() -> None:
    patch = {"fromFieldPath": "spec.no", "policy": {"fromFieldPath": "Required"}}
    found = render(an_xr(), composition(step(thing(patch))))
    assert found.composed == []
    assert "policy.fromFieldPath: Required" in found.warnings[0]
    assert found.xr["status"]["conditions"][-1]["status"] == "False"
    found = render(an_xr(), composition(step(thing(patch))), observed=[observed()])
    assert len(found.composed) == len(found.warnings) == 1


def test_observed_resources_keep_their_names_and_show_in_the_xr() -> None:
    patches = [
        {"fromFieldPath": "spec.crossplane.resourceRefs[0].name", "toFieldPath": "spec.ref"},
        {"type": "ToCompositeFieldPath", "fromFieldPath": "status.url", "toFieldPath": "status.url"},
    ]
    ready = {"conditions": [{"type": "Ready", "status": "True"}], "url": "u"}
    found = render(an_xr(), composition(step(thing(*patches))), observed=[observed(status=ready)])
    assert found.composed[0]["metadata"]["name"] == "fraud-abc12"
    assert found.composed[0]["spec"] == {"ref": "fraud-abc12"}
    assert found.xr["status"]["url"] == "u"
    assert found.resources[0].ready
    assert found.xr["status"]["conditions"][-1]["status"] == "True"


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (observed(metadata={"annotations": {}}), "has no annotation"),
        (observed(metadata={"ownerReferences": [{"uid": "u", "controller": True}]}), "not controlled by the XR"),
        ("x", "not an object"),
    ],
)
def test_observed_resources_that_crossplane_would_not_take_are_refused(given: Any, says: str) -> None:
    with pytest.raises(RenderError, match=says):
        render(an_xr(), composition(step(thing())), observed=[given])


def test_a_legacy_xr_publishes_its_connection_details_and_any_other_composes_a_secret() -> None:
    details = [{"name": "url", "type": "FromFieldPath", "fromFieldPath": "status.url"}, {"name": "k", "type": "FromValue", "value": "v"}]
    given = composition(step(thing(connectionDetails=details)))
    seen = [observed(status={"url": "gs://x"})]
    found = render(an_xr(), given, observed=seen, legacy=True)
    assert found.connection == {"url": b"gs://x", "k": b"v"}
    assert len(found.composed) == 1
    found = render(an_xr(), given, observed=seen)
    assert found.connection == {}
    secret = found.resources[1]
    assert secret.template == "fraud-connection-secret"
    assert secret.body["data"] == {"url": "Z3M6Ly94", "k": "dg=="}
    assert secret.body["metadata"]["name"] == "fraud-connection"
    assert secret.ready


def test_crossplane_keeps_its_own_fields_apart_for_legacy_xrs() -> None:
    patch = {"fromFieldPath": "spec.compositionRef.name", "toFieldPath": "spec.by"}
    modern = {"fromFieldPath": "spec.crossplane.compositionRef.name", "toFieldPath": "spec.by"}
    given = composition(step(thing(patch, modern)))
    assert render(an_xr(), given, legacy=True).composed[0]["spec"] == {"by": "xmodel"}
    assert render(an_xr(), given).composed[0]["spec"] == {"by": "xmodel"}


def test_a_composition_may_choose_where_legacy_xrs_write_their_secret() -> None:
    patch = {"fromFieldPath": "spec.writeConnectionSecretToRef.namespace", "toFieldPath": "spec.ns"}
    given = composition(step(thing(patch)), writeConnectionSecretsToNamespace="secrets")
    assert render(an_xr(), given, legacy=True).composed[0]["spec"] == {"ns": "secrets"}


def test_a_paused_xr_composes_nothing_and_says_so() -> None:
    found = render(an_xr(metadata={"annotations": {"crossplane.io/paused": "true"}}), composition(step(thing())))
    assert found.resources == ()
    assert found.xr["status"]["conditions"][-1]["reason"] == "ReconcilePaused"
    assert "paused" in found.hints[0]


def test_hints_tell_what_renders_but_is_hardly_meant_so() -> None:
    form = {"type": "string", "string": {"type": "Format", "fmt": "%d"}}
    join = {"type": "string", "string": {"type": "Join", "join": {"separator": ", "}}}
    patches = [{"fromFieldPath": "spec.n", "transforms": [form]}, {"fromFieldPath": "spec.list", "transforms": [join]}]
    found = render(an_xr(), composition(step(thing(*patches), thing())))
    assert not found.warnings
    assert [hint for hint in found.hints if "%!d(float64=3)" in hint]
    assert [hint for hint in found.hints if 'joins with ", "' in hint]
    assert [hint for hint in found.hints if 'two templates are named "r"' in hint]


def test_one_compiled_composition_renders_many_xrs() -> None:
    compiled = compile_composition(composition(step(thing({"fromFieldPath": "spec.name"}))))
    for number in range(6):
        (body,) = compiled.render(an_xr(spec={"name": f"x{number}"})).composed
        assert body["spec"] == {"name": f"x{number}"}
        body["spec"]["name"] = "spoilt"


def test_what_is_nested_too_deeply_is_refused() -> None:
    deep: Any = "x"
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(RenderError, match="nested too deeply"):
        render(an_xr(spec={"deep": deep}), composition())
    with pytest.raises(RenderError, match="nested too deeply"):
        render(an_xr(), composition(step(thing(base={**BASE, "spec": deep}))))


def test_numbers_pass_through_floats_on_their_way_out() -> None:
    """The functions and Crossplane exchange protobuf, whose only number is a float."""
    given = composition(step(thing({"fromFieldPath": "spec.big", "toFieldPath": "spec.big"}, base={**BASE, "spec": {"own": 2**53 + 1}})))
    found = render(an_xr(spec={"big": 2**63 - 1}), given)
    assert found.composed[0]["spec"] == {"own": 2**53, "big": 9223372036854776000}
    assert found.xr["spec"] == {"big": 2**63 - 1}


def test_the_inputs_stay_as_they_were() -> None:
    inputs = (an_xr(), composition(step(thing({"fromFieldPath": "spec"}))), [observed()])
    before = copy.deepcopy(inputs)
    render(inputs[0], inputs[1], observed=inputs[2])
    assert inputs == before
