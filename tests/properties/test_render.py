"""What holds for every render, whatever the manifests say."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from crossgate.errors import RenderError
from crossgate.render import ENVIRONMENT_KEY, fieldpath, render
from crossgate.render.faults import Fault
from crossgate.render.gofmt import sprintf
from crossgate.render.merge import POLICIES, policy

KEYS = st.sampled_from(["a", "b.c", "", "*", "0", "é", "name", "kind", "metadata", "status", "conditions", "spec"]) | st.text(max_size=4)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=8)
OBJECTS = st.dictionaries(KEYS, JSON, max_size=3)

XR = {
    "apiVersion": "platform.example.org/v1alpha1",
    "kind": "XModel",
    "metadata": {"name": "fraud-x7k2p", "labels": {"crossplane.io/claim-name": "fraud", "crossplane.io/claim-namespace": "a"}},
    "spec": {"name": "fraud", "count": 3, "list": ["a", "b"], "map": {"k": {"v": 1.5}}, "nothing": None},
}
OBSERVED = {
    "apiVersion": "ex.org/v1",
    "kind": "Thing",
    "metadata": {"name": "fraud-abc12", "annotations": {"crossplane.io/composition-resource-name": "thing"}},
    "spec": {"writeConnectionSecretToRef": {"name": "secret", "namespace": "a"}},
    "status": {"url": "gs://x", "n": 5, "conditions": [{"type": "Ready", "status": "True", "reason": "Available"}]},
}
SECRET = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "secret", "namespace": "a"}, "data": {"password": "eA=="}}
CONFIG = {
    "apiVersion": "apiextensions.crossplane.io/v1beta1",
    "kind": "EnvironmentConfig",
    "metadata": {"name": "a", "labels": {"tier": "gold"}},
    "data": {"region": "eu-1", "n": 3},
}
FORMAT = {"type": "string", "string": {"type": "Format", "fmt": "%s-%d"}}
COMPOSITION = {
    "apiVersion": "apiextensions.crossplane.io/v1",
    "kind": "Composition",
    "metadata": {"name": "xmodel"},
    "spec": {
        "compositeTypeRef": {"apiVersion": XR["apiVersion"], "kind": XR["kind"]},
        "mode": "Pipeline",
        "pipeline": [
            {
                "step": "environment",
                "functionRef": {"name": "function-environment-configs"},
                "input": {
                    "spec": {
                        "defaultData": {"zone": "z"},
                        "environmentConfigs": [
                            {"type": "Reference", "ref": {"name": "a"}},
                            {
                                "type": "Selector",
                                "toFieldPath": "more",
                                "selector": {
                                    "mode": "Multiple",
                                    "sortByFieldPath": "data.n",
                                    "matchLabels": [
                                        {"key": "tier", "type": "Value", "value": "gold"},
                                        {"key": "x", "valueFromFieldPath": "spec.no", "fromFieldPathPolicy": "Optional"},
                                    ],
                                },
                            },
                        ],
                    },
                },
            },
            {
                "step": "make",
                "functionRef": {"name": "function-patch-and-transform"},
                "input": {
                    "patchSets": [{"name": "names", "patches": [{"fromFieldPath": "spec.name", "toFieldPath": "metadata.labels.name"}]}],
                    "environment": {"patches": [{"type": "FromCompositeFieldPath", "fromFieldPath": "spec.map", "toFieldPath": "map"}]},
                    "writeConnectionSecretToRef": {"name": "conn", "namespace": "a"},
                    "resources": [
                        {
                            "name": "thing",
                            "base": {"apiVersion": "ex.org/v1", "kind": "Thing", "spec": {"list": [{"name": "x"}], "map": {"k": 1}}},
                            "patches": [
                                {"type": "PatchSet", "patchSetName": "names"},
                                {"fromFieldPath": "spec.count", "toFieldPath": "spec.text", "transforms": [FORMAT]},
                                {"fromFieldPath": "spec.map", "toFieldPath": "spec.map", "policy": {"toFieldPath": "MergeObjects"}},
                                {"fromFieldPath": "spec.name", "toFieldPath": "spec.list[*].name"},
                                {
                                    "type": "CombineFromComposite",
                                    "combine": {
                                        "strategy": "string",
                                        "string": {"fmt": "%v/%v"},
                                        "variables": [{"fromFieldPath": "spec.name"}, {"fromFieldPath": "spec.list"}],
                                    },
                                    "toFieldPath": "spec.both",
                                },
                                {"type": "FromEnvironmentFieldPath", "fromFieldPath": "region", "toFieldPath": "spec.region"},
                                {"type": "ToCompositeFieldPath", "fromFieldPath": "status.url", "toFieldPath": "status.url"},
                            ],
                            "readinessChecks": [{"type": "NonEmpty", "fieldPath": "status.url"}],
                            "connectionDetails": [
                                {"name": "p", "type": "FromConnectionSecretKey", "fromConnectionSecretKey": "password"},
                                {"name": "u", "type": "FromFieldPath", "fromFieldPath": "status.url"},
                            ],
                        },
                    ],
                },
            },
            {
                "step": "more",
                "functionRef": {"name": "function-patch-and-transform"},
                "input": {"resources": [{"name": "thing", "patches": [{"fromFieldPath": "spec.list[1]", "toFieldPath": "spec.second"}]}]},
            },
            {"step": "ready", "functionRef": {"name": "function-auto-ready"}, "input": {"ttl": "1m"}},
        ],
    },
}
GIVEN = {"xr": XR, "composition": COMPOSITION, "observed": [OBSERVED], "required": [CONFIG, SECRET], "context": {ENVIRONMENT_KEY: {"z": 1}}}


def _places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [at]
    if isinstance(value, dict):
        for key, item in value.items():
            found += _places(item, (*at, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            found += _places(item, (*at, index))
    return found


PLACES = _places(GIVEN)


def _with(place: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """Return the inputs with something else at one place; lists of inputs stay lists."""
    changed = copy.deepcopy(GIVEN)
    if not place or place in (("observed",), ("required",)):
        return changed
    holder: Any = changed
    for step in place[:-1]:
        holder = holder[step]
    holder[place[-1]] = value
    return changed


def _render(inputs: dict[str, Any], *, legacy: bool = False) -> Any:
    return render(**inputs, legacy=legacy)


def test_the_starting_point_renders() -> None:
    found = _render(GIVEN)
    assert [resource.template for resource in found.resources] == ["thing", "fraud-x7k2p-connection-secret"]
    assert found.resources[0].body["spec"]["second"] == "b"


@given(st.sampled_from(PLACES), JSON | OBJECTS, st.booleans())
@settings(max_examples=600)
def test_any_value_anywhere_renders_or_is_refused_with_a_reason(place: tuple[Any, ...], value: Any, legacy: bool) -> None:
    try:
        _render(_with(place, value), legacy=legacy)
    except RenderError as error:
        assert error.what


@given(OBJECTS, OBJECTS)
@settings(max_examples=300)
def test_rendering_twice_gives_the_same_and_changes_nothing(spec: Any, env: Any) -> None:
    inputs = {**GIVEN, "xr": {**XR, "spec": spec}, "context": {ENVIRONMENT_KEY: env}}
    before = repr(inputs)
    try:
        one, two = _render(inputs), _render(inputs)
    except RenderError as error:
        assert error.what
    else:
        assert repr((one.composed, one.xr, one.context, one.warnings)) == repr((two.composed, two.xr, two.context, two.warnings))
        json.dumps([one.composed, one.context], allow_nan=False)
    assert repr(inputs) == before


@given(st.data())
@settings(max_examples=100)
def test_results_share_nothing_with_the_inputs(data: st.DataObject) -> None:
    """Whoever changes what one render gave back must not change the next one."""
    inputs = copy.deepcopy(GIVEN)
    before = repr(inputs)
    first = _render(inputs)
    expected = repr(first.composed)
    for body in [*first.composed, first.xr, first.context]:
        _spoil(body, data.draw(st.integers(0, 3)))
    assert repr(inputs) == before
    assert repr(_render(inputs).composed) == expected


def _spoil(value: Any, depth: int) -> None:
    items = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    if depth:
        for item in items:
            _spoil(item, depth - 1)
    if isinstance(value, dict | list):
        value.clear()


@given(st.text(alphabet="%+-# 0.*[]123vTtdsqxXfeEgGbocUpOw", max_size=10), st.lists(JSON.filter(lambda value: value == value), max_size=3))
@settings(max_examples=500)
def test_every_format_prints_something(form: str, arguments: list[Any]) -> None:
    try:
        assert isinstance(sprintf(form, arguments), str)
    except Fault as fault:
        assert "%p" in fault.what


@given(st.lists(st.text(min_size=1, max_size=4, alphabet="abé-_ ") | st.integers(0, 9), min_size=1, max_size=4), JSON)
def test_what_is_put_at_a_path_is_found_there(steps: list[Any], value: Any) -> None:
    path = ("root", *(step.strip() or "x" if isinstance(step, str) else step for step in steps))
    target: dict[str, Any] = {}
    fieldpath.put(target, path, value)
    assert fieldpath.get(target, path) is value
    assert fieldpath.parse(fieldpath.write(path)) == path


@given(st.sampled_from(sorted(POLICIES)), OBJECTS, OBJECTS)
def test_merging_keeps_every_key_and_its_argument(name: str, present: Any, value: Any) -> None:
    merging = policy(name)
    assert merging is not None
    before, keys = repr(value), set(present)
    try:
        merged = merging(copy.deepcopy(present), value)
    except Fault:
        return
    assert keys <= set(merged)
    assert repr(value) == before
