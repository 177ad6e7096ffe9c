"""MLEnvironment for development and for production, point by point as the catalogue promises it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crossgate.load import load_text
from crossgate.paths import MISSING, follow
from crossgate.render.fieldpath import parse
from crossgate.schema import Schemas

Composed = dict[str, dict[str, Any]]


def at(body: dict[str, Any], path: str) -> Any:
    return follow(body, parse(path))


@pytest.fixture
def environment(rendered: Callable[[str], Composed], ml_claim: Callable[..., str]) -> Callable[..., Composed]:
    def make(what: str, **parameters: Any) -> Composed:
        return rendered(ml_claim("MLEnvironment", {"name": "env", **parameters}, select={"environment": what}))

    return make


@pytest.mark.parametrize(("what", "nodes", "machine"), [("dev", 1, "n1-standard-4"), ("production", 3, "n1-standard-16")])
def test_nodes_are_as_many_and_as_large_as_was_promised(environment: Callable[..., Composed], what: str, nodes: int, machine: str) -> None:
    pool = at(environment(what)["node-pool"], "spec.forProvider")
    assert pool["nodeConfig"]["machineType"] == machine
    assert (pool["autoscaling"]["totalMinNodeCount"], pool["autoscaling"]["totalMaxNodeCount"]) == (nodes, nodes)


def test_the_nodes_of_production_are_in_different_zones(environment: Callable[..., Composed]) -> None:
    assert at(environment("production")["node-pool"], "spec.forProvider.autoscaling.locationPolicy") == "BALANCED"
    assert at(environment("production")["node-pool"], "spec.forProvider.nodeLocations") is MISSING
    assert at(environment("dev", region="europe-west1")["node-pool"], "spec.forProvider.nodeLocations") == ["europe-west1-b"]


@pytest.mark.parametrize("what", ["dev", "production"])
def test_it_is_no_autopilot_cluster_where_node_sizes_are_set(environment: Callable[..., Composed], what: str) -> None:
    """The first sketch had both; Google refuses that."""
    assert at(environment(what)["cluster"], "spec.forProvider.enableAutopilot") is MISSING


def test_only_production_is_protected(environment: Callable[..., Composed]) -> None:
    production, dev = environment("production")["cluster"], environment("dev")["cluster"]
    assert at(production, "spec.forProvider.deletionProtection") is True
    assert "Delete" not in at(production, "spec.managementPolicies")
    assert at(dev, "spec.forProvider.deletionProtection") is False
    assert at(dev, "spec.managementPolicies") is MISSING


def test_the_cluster_says_what_it_is_for(environment: Callable[..., Composed]) -> None:
    labels = {"team": "x", "owner": "jane-doe", "cost-center": "cc-1"}
    assert at(environment("production")["cluster"], "spec.forProvider.resourceLabels") == {**labels, "environment": "production"}


def test_names_are_unique_and_short_enough(rendered: Callable[[str], Composed], ml_claim: Callable[..., str]) -> None:
    claims = [("a", "n"), ("b-c", "a"), ("c", "a-b"), ("x" * 60, "y" * 63)]
    made = [rendered(ml_claim("MLEnvironment", {"name": "e" * 30}, name=name, namespace=namespace)) for name, namespace in claims]
    for template in ("cluster", "node-pool", "network"):
        names = {one[template]["metadata"]["name"] for one in made}
        assert len(names) == len(claims)
        assert max(map(len, names)) <= 40


@pytest.mark.parametrize("parameters", [{"name": "-"}, {"region": "x y"}, {"nodes": 3}])
def test_what_the_api_does_not_allow_is_refused(
    ml_claim: Callable[..., str], platform_schemas: Schemas, parameters: dict[str, Any]
) -> None:
    [claim] = load_text(ml_claim("MLEnvironment", {"name": "a", **parameters}))
    assert platform_schemas.validate(claim.body)
