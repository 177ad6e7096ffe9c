from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from crossgate.model import Document
from crossgate.paths import follow
from crossgate.render.waiting import patient, waiting

REQUIRED = {"fromFieldPath": "Required", "toFieldPath": "MergeObjects"}


def composition(*patches: Any, sets: Any = None, api: str = "pt.fn.crossplane.io/v1beta1") -> Document:
    given = {"apiVersion": api, "kind": "Resources", "patchSets": sets, "resources": [{"name": "a", "base": {}, "patches": list(patches)}]}
    return Document({"spec": {"pipeline": [{"step": "other"}, {"step": "pt", "input": given}]}}, "c.yaml")


@pytest.mark.parametrize(
    ("patch", "field"),
    [
        ({"fromFieldPath": "status.arn", "policy": REQUIRED}, "status.arn"),
        ({"type": "FromCompositeFieldPath", "fromFieldPath": "status.arn", "policy": REQUIRED}, "status.arn"),
        (
            {
                "type": "CombineFromComposite",
                "combine": {"variables": [{"fromFieldPath": "spec.a"}, {"fromFieldPath": "status.b"}]},
                "policy": REQUIRED,
            },
            "status.b",
        ),
        ({"fromFieldPath": "spec.cache", "policy": REQUIRED}, ""),
        ({"fromFieldPath": "statusless", "policy": REQUIRED}, ""),
        ({"fromFieldPath": "status.arn"}, ""),
        ({"fromFieldPath": "status.arn", "policy": {"fromFieldPath": "Optional"}}, ""),
        ({"type": "ToCompositeFieldPath", "fromFieldPath": "status.arn", "policy": REQUIRED}, ""),
        ({"type": "FromEnvironmentFieldPath", "fromFieldPath": "status.arn", "policy": REQUIRED}, ""),
    ],
)
def test_only_a_required_field_of_the_xrs_status_is_waited_for(patch: dict[str, Any], field: str) -> None:
    found = waiting(composition(patch))
    assert [item.field for item in found] == ([field] if field else [])


def test_a_patch_set_is_followed_and_mended_where_it_stands() -> None:
    sets = [
        {"name": "other", "patches": []},
        {"name": "s", "patches": [{"fromFieldPath": "spec.a"}, {"fromFieldPath": "status.b", "policy": REQUIRED}]},
    ]
    document = composition({"type": "PatchSet", "patchSetName": "s"}, {"type": "PatchSet", "patchSetName": "missing"}, sets=sets)
    before = deepcopy(document.body)
    (item,) = waiting(document)
    assert item.patch == ("spec", "pipeline", 1, "input", "patchSets", 1, "patches", 1)
    mended = patient(document)
    assert follow(mended.body, item.patch) == {"fromFieldPath": "status.b", "policy": {"toFieldPath": "MergeObjects"}}
    assert document.body == before
    assert waiting(mended) == []


@pytest.mark.parametrize(
    "patches", [None, 3, [3, None], [{"policy": 3}], [{"policy": REQUIRED, "fromFieldPath": 3}], [{"type": "PatchSet"}]]
)
def test_malformed_templates_wait_for_nothing(patches: Any) -> None:
    given = {"apiVersion": "pt.fn.crossplane.io/v1beta1", "resources": [{"name": "a", "patches": patches}, 3]}
    assert waiting(Document({"spec": {"pipeline": [{"input": given}, 3]}}, "c.yaml")) == []


def test_inputs_of_other_functions_are_not_read() -> None:
    assert waiting(composition({"fromFieldPath": "status.arn", "policy": REQUIRED}, api="gotemplating.fn.crossplane.io/v1beta1")) == []
