from __future__ import annotations

import copy
from typing import Any

import pytest

from crossgate.paths import format_path
from crossgate.render import validate
from crossgate.render.decode import decode
from crossgate.render.faults import InputFault
from crossgate.render.inputs import RESOURCES

BASE = {"apiVersion": "ex.org/v1", "kind": "Thing"}


def check(given: dict[str, Any]) -> None:
    validate.resources(decode(RESOURCES, copy.deepcopy(given)))


def patch(**given: Any) -> dict[str, Any]:
    return {"resources": [{"name": "r", "base": BASE, "patches": [given]}]}


def template(**given: Any) -> dict[str, Any]:
    return {"resources": [{"name": "r", "base": BASE, **given}]}


def transform(**given: Any) -> dict[str, Any]:
    return patch(fromFieldPath="a", transforms=[given])


COMBINE = {"strategy": "string", "string": {"fmt": "%s"}, "variables": [{"fromFieldPath": "a"}]}


@pytest.mark.parametrize(
    ("given", "at"),
    [
        ({}, "resources"),
        ({"resources": []}, "resources"),
        ({"resources": [{"base": BASE}]}, "resources[0].name"),
        ({"patchSets": [{"patches": []}], "resources": [{"name": "r"}]}, "patchSets[0].name"),
        ({"patchSets": [{"name": "s", "patches": [{"type": "PatchSet"}]}], "resources": [{"name": "r"}]}, "patchSets[0].patches[0].type"),
        (patch(), "resources[0].patches[0].fromFieldPath"),
        (patch(type="Nope"), "resources[0].patches[0].type"),
        (patch(type="PatchSet"), "resources[0].patches[0].patchSetName"),
        (patch(type="CombineFromComposite", toFieldPath="b"), "resources[0].patches[0].combine"),
        (patch(type="CombineFromComposite", combine=COMBINE), "resources[0].patches[0].toFieldPath"),
        (
            patch(type="CombineFromComposite", toFieldPath="b", combine={**COMBINE, "strategy": "sum"}),
            "resources[0].patches[0].combine.strategy",
        ),
        (
            patch(type="CombineFromComposite", toFieldPath="b", combine={**COMBINE, "variables": [{}]}),
            "resources[0].patches[0].combine.variables[0].fromFieldPath",
        ),
        (patch(fromFieldPath="a", policy={"toFieldPath": "Merge"}), "resources[0].patches[0].policy.toFieldPath"),
        (patch(fromFieldPath="a", policy={"fromFieldPath": ""}), "resources[0].patches[0].policy.fromFieldPath"),
        (transform(type="mop"), "resources[0].patches[0].transforms[0].type"),
        (transform(type="math"), "resources[0].patches[0].transforms[0].math"),
        (transform(type="math", math={"multiply": 2}), "resources[0].patches[0].transforms[0].math.type"),
        (transform(type="map", map={}), "resources[0].patches[0].transforms[0].map.pairs"),
        (transform(type="match", match={}), "resources[0].patches[0].transforms[0].match.patterns"),
        (
            transform(type="match", match={"patterns": [{"type": "regexp", "regexp": "("}]}),
            "resources[0].patches[0].transforms[0].match.patterns[0].regexp",
        ),
        (transform(type="string", string={"fmt": "%s"}), "resources[0].patches[0].transforms[0].string.type"),
        (transform(type="string", string={"type": "Format"}), "resources[0].patches[0].transforms[0].string.fmt"),
        (
            transform(type="string", string={"type": "Regexp", "regexp": {"match": "(?=a)"}}),
            "resources[0].patches[0].transforms[0].string.regexp.match",
        ),
        (
            transform(type="string", string={"type": "Replace", "replace": {"replace": "x"}}),
            "resources[0].patches[0].transforms[0].string.replace.search",
        ),
        (transform(type="convert", convert={"toType": "int32"}), "resources[0].patches[0].transforms[0].convert.toType"),
        (template(connectionDetails=[{"type": "FromValue", "value": "x"}]), "resources[0].connectionDetails[0].name"),
        (template(connectionDetails=[{"name": "n"}]), "resources[0].connectionDetails[0].type"),
        (template(connectionDetails=[{"name": "n", "type": "FromFieldPath"}]), "resources[0].connectionDetails[0].fromFieldPath"),
        (template(readinessChecks=[{"type": "Maybe"}]), "resources[0].readinessChecks[0].type"),
        (template(readinessChecks=[{"type": "MatchString", "fieldPath": "a"}]), "resources[0].readinessChecks[0].matchString"),
        (template(readinessChecks=[{"type": "NonEmpty"}]), "resources[0].readinessChecks[0].fieldPath"),
        (
            template(readinessChecks=[{"type": "MatchCondition", "matchCondition": {"type": "Ready"}}]),
            "resources[0].readinessChecks[0].matchCondition.status",
        ),
        ({"environment": {"patches": [{"type": "PatchSet"}]}}, "environment.patches[0].type"),
        ({"environment": {"patches": [{}]}}, "environment.patches[0].fromFieldPath"),
    ],
)
def test_a_fault_names_its_place(given: dict[str, Any], at: str) -> None:
    with pytest.raises(InputFault) as raised:
        check(given)
    assert format_path(raised.value.place) == at


@pytest.mark.parametrize(
    "given",
    [
        pytest.param({"environment": {"patches": [{"fromFieldPath": "a", "toFieldPath": "b"}]}}, id="environment patches are enough"),
        pytest.param({"resources": [{"name": "r"}]}, id="a template may have no base"),
        pytest.param(
            patch(type="CombineFromComposite", toFieldPath="b", combine=COMBINE, transforms=[{"type": "mop"}], policy={"toFieldPath": "x"}),
            id="transforms and policies of a combine patch are judged when they run",
        ),
        pytest.param(
            {**template(), "writeConnectionSecretToRef": {"patches": [{"type": "PatchSet"}]}},
            id="patches of the connection secret are judged when they run",
        ),
        pytest.param(template(readinessChecks=[{"type": "MatchCondition"}]), id="a check that will crash once there is something to check"),
        pytest.param(transform(type="match", match={"patterns": [{"literal": "a"}]}), id="a pattern without type, which then fails"),
    ],
)
def test_what_the_function_lets_pass_passes(given: dict[str, Any]) -> None:
    check(given)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"resource": []}, 'unknown field "resource" in the input'),
        (patch(fromFieldPath="a", transform=[]), 'unknown field "transform" in resources[0].patches[0]'),
        (transform(type="string", string={"type": "Format", "format": "%s"}), 'unknown field "format"'),
        (patch(fromFieldPath=3), "resources[0].patches[0].fromFieldPath must be a string, got a number"),
        (transform(type="math", math={"type": "Multiply", "multiply": 2.5}), "must be an integer within 64 bits"),
        (transform(type="math", math={"type": "Multiply", "multiply": True}), "must be an integer within 64 bits, got a boolean"),
        ({"resources": {}}, "resources must be a list, got an object"),
        ({"resources": ["x"]}, "resources[0] must be an object, got a string"),
        ({"metadata": {"labels": {"a": 1}}}, "metadata.labels.a must be a string, got a number"),
    ],
)
def test_the_input_is_read_strictly(given: dict[str, Any], says: str) -> None:
    with pytest.raises(InputFault) as raised:
        decode(RESOURCES, given)
    assert says in raised.value.what


def test_nulls_count_as_absent() -> None:
    given = {"resources": [{"name": "r", "base": None, "patches": None, "readinessChecks": None}], "patchSets": None}
    assert decode(RESOURCES, given) == {"resources": [{"name": "r"}]}
