"""Patches that cannot work are refused where they are written."""

from __future__ import annotations

import pytest

from crossgate.errors import SynthError
from mlplatform.core.patch import combine, copy, report
from mlplatform.core.transforms import always, clamp, fmt, match
from mlplatform.environments import GCP
from mlplatform.gpucluster import GPU_CLUSTER

PARAMETERS = GPU_CLUSTER.spec.parameters


def test_the_type_of_a_patch_follows_from_what_it_reads() -> None:
    assert copy(PARAMETERS.region, "spec.x").body["type"] == "FromCompositeFieldPath"
    assert copy(GCP.fields.project, "spec.x").body["type"] == "FromEnvironmentFieldPath"
    assert combine("%s", [GCP.fields.project], "spec.x").body["type"] == "CombineFromEnvironment"


def test_steps_may_be_single_transforms_or_several_that_belong_together() -> None:
    body = copy(PARAMETERS.min_nodes, "spec.x", [clamp(least=1, most=5), fmt("%d")]).body
    assert [step["type"] for step in body["transforms"]] == ["math", "math", "string"]


def test_a_policy_is_written_only_when_asked_for() -> None:
    assert "policy" not in copy(PARAMETERS.region, "spec.x").body
    policy = copy(PARAMETERS.region, "spec.x", required=True, merge="MergeObjects").body["policy"]
    assert policy == {"fromFieldPath": "Required", "toFieldPath": "MergeObjects"}


def test_a_combination_of_two_sources_does_not_exist_in_the_function() -> None:
    with pytest.raises(SynthError, match="not both") as raised:
        combine("%s-%s", [PARAMETERS.name, GCP.fields.project], "spec.x")
    assert raised.value.where.startswith("tests/unit/mlplatform/")


def test_only_the_status_is_written_to() -> None:
    """Crossplane drops whatever else a function writes into the composite resource."""
    with pytest.raises(SynthError, match=r"spec\.parameters\.region is not a field of the status"):
        report("status.x", PARAMETERS.region)


def test_a_match_without_fallback_keeps_what_it_does_not_know() -> None:
    assert match([("^a", 1)])["match"]["fallbackTo"] == "Input"
    assert "fallbackTo" not in match([("^a", 1)], otherwise=0)["match"]


def test_a_value_that_always_comes_out_accepts_any_input() -> None:
    """The function wants a pattern in every match, and a string before it."""
    first, second = always("done")
    assert first["string"]["fmt"] == "%v"
    assert second["match"]["patterns"]
