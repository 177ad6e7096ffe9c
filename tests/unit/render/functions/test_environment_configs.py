from __future__ import annotations

from typing import Any

import pytest

from crossgate.errors import RenderError
from crossgate.render import ENVIRONMENT_KEY, render

KIND = {"apiVersion": "platform.example.org/v1alpha1", "kind": "XModel"}
XR = {**KIND, "metadata": {"name": "fraud"}, "spec": {"tier": "gold", "n": 1}}


def config(name: str, labels: dict[str, str] | None = None, **data: Any) -> dict[str, Any]:
    metadata = {"name": name, "labels": labels or {}}
    return {"apiVersion": "apiextensions.crossplane.io/v1beta1", "kind": "EnvironmentConfig", "metadata": metadata, "data": data}


CLUSTER = [
    config("a", {"tier": "gold", "order": "2"}, region="eu", zone={"id": 1, "name": "z"}),
    config("b", {"tier": "gold", "order": "1"}, region="us", zone={"id": 2}),
    config("c", {"tier": "silver"}, region="ap"),
]


def environment(*sources: dict[str, Any], context: dict[str, Any] | None = None, **spec: Any) -> Any:
    given = {"spec": {"environmentConfigs": list(sources), **spec}}
    step = {"step": "env", "functionRef": {"name": "function-environment-configs"}, "input": given}
    composition = {"metadata": {"name": "x"}, "spec": {"compositeTypeRef": KIND, "pipeline": [step]}}
    found = render(XR, composition, required=CLUSTER, context=context and {ENVIRONMENT_KEY: context})
    found_environment = found.context.get(ENVIRONMENT_KEY, {})
    return {key: value for key, value in found_environment.items() if key not in ("apiVersion", "kind")}


def reference(name: str, **given: Any) -> dict[str, Any]:
    return {"type": "Reference", "ref": {"name": name}, **given}


def selector(*labels: dict[str, Any], **given: Any) -> dict[str, Any]:
    return {"type": "Selector", "selector": {"matchLabels": list(labels), **given}}


GOLD = {"key": "tier", "type": "Value", "value": "gold"}


def test_later_configs_win_and_objects_merge() -> None:
    assert environment(reference("a"), reference("b")) == {"region": "us", "zone": {"id": 2, "name": "z"}}


def test_defaults_lose_against_configs_and_win_against_the_context() -> None:
    found = environment(reference("c"), context={"region": "x", "old": 1, "kept": 2}, defaultData={"region": "default", "old": 3})
    assert found == {"region": "ap", "old": 1, "kept": 2}


def test_without_any_config_to_ask_for_even_the_defaults_are_left_out() -> None:
    """Crossplane does not call the function a second time, and the first call only asks."""
    assert environment(defaultData={"region": "default"}) == {}
    missing = {"key": "x", "valueFromFieldPath": "spec.no", "fromFieldPathPolicy": "Optional"}
    assert environment(selector(missing), defaultData={"region": "default"}) == {}


def test_a_selector_sorts_and_limits() -> None:
    assert environment(selector(GOLD, mode="Multiple"))["region"] == "us"
    assert environment(selector(GOLD, mode="Multiple", sortByFieldPath="metadata.labels.order"))["region"] == "eu"
    assert environment(selector(GOLD, mode="Multiple", maxMatch=1)) == {"region": "eu", "zone": {"id": 1, "name": "z"}}
    assert environment(selector({"key": "tier", "valueFromFieldPath": "spec.tier"}, mode="Multiple"))["region"] == "us"


def test_configs_can_be_put_elsewhere() -> None:
    assert environment(reference("c", toFieldPath="more.deep")) == {"more": {"deep": {"region": "ap"}}}


@pytest.mark.parametrize(
    ("source", "spec", "says"),
    [
        (reference("missing"), {}, 'Required environment config "missing" not found'),
        (selector(GOLD), {}, "expected exactly one required resource, got 2"),
        (selector(GOLD, mode="Multiple", minMatch=3), {}, "expected at least 3 required resources, got 2"),
        (selector(GOLD, mode="All"), {}, 'unknown selector mode "All"'),
        (selector(GOLD, mode="Multiple", sortByFieldPath="data.zone"), {}, "unsupported type for sorting"),
        (selector({"key": "x", "valueFromFieldPath": "spec.no"}), {}, "cannot get value from field path"),
        (selector({"key": "x", "valueFromFieldPath": "spec.n"}), {}, "spec.n: not a string"),
        (reference("a", toFieldPath="x..y"), {}, "into path"),
        ({"type": "Reference"}, {}, "environmentConfigs[0].ref: Required value"),
        ({"type": "Selector"}, {}, "environmentConfigs[0].selector: Required value"),
        (selector({"key": "x", "type": "Value"}), {}, "matchLabels[0].value: Required value"),
        (selector({"key": "x"}), {}, "matchLabels[0].valueFromFieldPath: Required value"),
        (reference("a"), {"nope": 1}, 'unknown field "nope"'),
        (selector(maxMatch=-1), {}, "must be an integer that is not negative"),
    ],
)
def test_what_fails_or_crashes_is_refused(source: dict[str, Any], spec: dict[str, Any], says: str) -> None:
    with pytest.raises(RenderError) as raised:
        environment(source, **spec)
    assert says in raised.value.what
    assert raised.value.where.startswith('Composition x, step "env"')


def test_a_missing_config_may_be_optional() -> None:
    assert environment(reference("missing"), reference("c"), policy={"resolution": "Optional"}) == {"region": "ap"}
