"""What each kind of the clouds uses."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from crossgate.cost.model import Estimate, Span
from crossgate.cost.text import gpus, numbers

Bill = Callable[..., Estimate]

GKE = "container.gcp.upbound.io/v1beta2"
POOL = {"location": "us-central1", "nodeLocations": ["us-central1-b"], "nodeConfig": {"machineType": "n1-standard-4", "diskSizeGb": 100}}
T4 = {"guestAccelerator": [{"type": "nvidia-tesla-t4", "count": 2}]}


def monthly(estimate: Estimate) -> tuple[str, str]:
    assert estimate.monthly is not None, estimate.unpriced
    assert not estimate.unpriced
    return f"{estimate.monthly.usual:.2f}", f"{estimate.monthly.most:.2f}"


@pytest.mark.parametrize(
    ("fields", "nodes"),
    [
        ({"nodeCount": 2}, "2"),
        ({}, "1"),
        ({"autoscaling": {"maxNodeCount": 5}}, "0 to 5"),
        ({"autoscaling": {"minNodeCount": 1, "maxNodeCount": 5}, "initialNodeCount": 2}, "2 to 5"),
        ({"autoscaling": [{"minNodeCount": 1, "maxNodeCount": 5}]}, "1 to 5"),
        ({"autoscaling": {"minNodeCount": 1, "maxNodeCount": 2}, "nodeLocations": ["a-1-a", "a-1-b"]}, "2 to 4"),
        ({"autoscaling": {"minNodeCount": 1, "maxNodeCount": 2}, "nodeLocations": []}, "3 to 6"),
        ({"autoscaling": {"minNodeCount": 1, "maxNodeCount": 2}, "nodeLocations": [], "location": "us-central1-b"}, "1 to 2"),
        ({"autoscaling": {"totalMinNodeCount": 1, "totalMaxNodeCount": 3}, "nodeLocations": []}, "1 to 3"),
        ({"autoscaling": {"totalMinNodeCount": 0, "totalMaxNodeCount": 9}, "initialNodeCount": 2, "nodeLocations": []}, "6 to 9"),
        ({"autoscaling": {"minNodeCount": "1", "maxNodeCount": "4"}}, "1 to 4"),
        ({"autoscaling": {"minNodeCount": -3, "maxNodeCount": 4}}, "0 to 4"),
    ],
)
def test_nodes_of_gke_are_counted_for_each_zone(bill: Bill, fields: dict[str, Any], nodes: str) -> None:
    """``minNodeCount`` and ``maxNodeCount`` are per zone, ``total…`` are not; without named zones a region has three."""
    assert numbers(bill((GKE, "NodePool", {**POOL, **fields})).nodes) == nodes


def test_a_node_costs_its_machine_its_disk_and_its_accelerators(bill: Bill) -> None:
    config = {"nodeConfig": {**POOL["nodeConfig"], **T4}}  # type: ignore[dict-item] # the test's own constant
    made = bill((GKE, "NodePool", {**POOL, **config, "nodeCount": 3}))
    assert monthly(made) == ("4410.00", "4410.00")  # 3 × (730 + 10 + 2 × 365)
    assert dict(made.gpus) == {"t4": Span.fixed(6)}
    assert made.storage_gib == Span.fixed(300)


def test_gpus_that_come_with_a_machine_are_not_paid_twice(bill: Bill) -> None:
    config = {"machineType": "a2-highgpu-1g", "diskSizeGb": 0, "guestAccelerator": [{"type": "nvidia-tesla-a100", "count": 1}]}
    made = bill((GKE, "NodePool", {**POOL, "nodeConfig": config, "nodeCount": 1}))
    assert (monthly(made)[0], dict(made.gpus)) == ("2920.00", {"a100": Span.fixed(1)})


def test_a_change_of_gpus_says_both_sides(bill: Bill) -> None:
    """Who reviews that a pull request doubles them looks for that; what there is afterwards alone does not tell."""
    pool = {**POOL, "nodeConfig": {**POOL["nodeConfig"], **T4}}  # type: ignore[dict-item] # the test's own constant
    before, after = (bill((GKE, "NodePool", {**pool, "nodeCount": count})) for count in (2, 4))
    assert gpus(before, after) == {"t4": "4 → 8"}
    assert gpus(before, before) == {"t4": "4"}
    assert gpus(before, Estimate("USD")) == {"t4": "4 → 0"}


def test_spot_machines_have_no_list_price(bill: Bill) -> None:
    made = bill((GKE, "NodePool", {**POOL, "nodeConfig": {"machineType": "n1-standard-4", "spot": True}}))
    assert [item.what for item in made.unpriced] == ["n1-standard-4 spot"]


def test_a_pool_without_a_place_is_where_its_cluster_is(bill: Bill) -> None:
    pool = {"nodeConfig": {"machineType": "n1-standard-4", "diskSizeGb": 0}, "nodeCount": 1}
    cluster = {"location": "us-central1-b", "removeDefaultNodePool": True}
    assert monthly(bill((GKE, "Cluster", cluster), (GKE, "NodePool", pool)))[0] == "803.00"
    assert [item.reason for item in bill((GKE, "NodePool", pool)).unpriced] == ["no region is said"]


def test_a_cluster_keeps_its_default_pool_unless_it_says_otherwise(bill: Bill) -> None:
    cluster = {"location": "us-central1", "initialNodeCount": 1, "nodeConfig": {"machineType": "n1-standard-4", "diskSizeGb": 0}}
    assert numbers(bill((GKE, "Cluster", cluster)).nodes) == "3"
    assert numbers(bill((GKE, "Cluster", {**cluster, "removeDefaultNodePool": True})).nodes) == "0"
    assert "Autopilot" in str(bill((GKE, "Cluster", {**cluster, "enableAutopilot": True})).unpriced[0])


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"tier": "db-custom-2-8192", "diskSize": 50}, "30.44"),  # 2 × 7.30 + 8 × 0.73 + 50 × 0.2
        ({"tier": "db-custom-2-8192", "diskSize": 50, "availabilityType": "REGIONAL"}, "60.88"),
        ({"tier": "db-f1-micro"}, "148.00"),
    ],
)
def test_databases_of_google(bill: Bill, settings: dict[str, Any], expected: str) -> None:
    assert monthly(bill(("sql.gcp.upbound.io/v1beta2", "DatabaseInstance", {"region": "us-central1", "settings": settings})))[0] == expected


def test_a_licence_is_not_forgotten(bill: Bill) -> None:
    fields = {"region": "us-central1", "databaseVersion": "SQLSERVER_2022_STANDARD", "settings": {"tier": "db-custom-2-8192"}}
    assert "sqlserver" in bill(("sql.gcp.upbound.io/v1beta2", "DatabaseInstance", fields)).unpriced[0].what


def test_what_a_bucket_will_hold_is_assumed_and_said(bill: Bill) -> None:
    made = bill(("storage.gcp.upbound.io/v1beta2", "Bucket", {"location": "US-CENTRAL1"}))
    assert (monthly(made)[0], made.items[0].assumed, made.storage_gib) == ("0.20", True, Span())


EKS = "eks.aws.upbound.io/v1beta2"


def test_nodes_of_eks(bill: Bill) -> None:
    group = {"region": "eu-central-1", "instanceTypes": ["g4dn.xlarge"], "diskSize": 100}
    made = bill((EKS, "NodeGroup", {**group, "scalingConfig": {"minSize": 1, "desiredSize": 2, "maxSize": 10}}))
    assert monthly(made) == ("1480.00", "7400.00")
    assert numbers(made.gpus["t4"]) == "2 to 10"
    never = bill((EKS, "NodeGroup", {**group, "scalingConfig": [{"maxSize": 2}]}))
    assert numbers(never.nodes) == "0 to 2"


def test_other_things_of_aws(bill: Bill) -> None:
    region = {"region": "eu-central-1"}
    assert monthly(bill((EKS, "Cluster", region)))[0] == "73.00"
    assert monthly(bill(("ec2.aws.upbound.io/v1beta1", "NATGateway", region)))[0] == "36.75"
    cache = "elasticache.aws.upbound.io/v1beta2"
    assert (
        numbers(bill((cache, "ReplicationGroup", {**region, "nodeType": "cache.t4g.small", "numCacheClusters": 2})).items[0].quantity)
        == "2"
    )
    sharded = {**region, "nodeType": "cache.t4g.small", "numNodeGroups": 3, "replicasPerNodeGroup": 1}
    assert numbers(bill((cache, "ReplicationGroup", sharded)).items[0].quantity) == "6"
    assert bill((cache, "Cluster", {**region, "nodeType": "x", "replicationGroupId": "g"})).items == ()
    instance = {
        **region,
        "instanceClass": "db.t4g.medium",
        "engine": "postgres",
        "allocatedStorage": 20,
        "storageType": "gp3",
        "multiAz": True,
    }
    assert monthly(bill(("rds.aws.upbound.io/v1beta3", "Instance", {**instance, "maxAllocatedStorage": 100}))) == ("110.20", "142.20")


def test_nodes_of_aks(bill: Bill) -> None:
    api = "containerservice.azure.upbound.io/v1beta2"
    default = {"vmSize": "Standard_D4s_v5", "autoScalingEnabled": True, "minCount": 1, "maxCount": 3}
    cluster = {"location": "West Europe", "skuTier": "Standard", "defaultNodePool": [default]}
    pool = {"vmSize": "Standard_NC6s_v3", "autoScalingEnabled": True, "minCount": 0, "maxCount": 2, "osDiskSizeGb": 100}
    made = bill((api, "KubernetesCluster", cluster), (api, "KubernetesClusterNodePool", pool))
    assert monthly(made) == ("239.00", "4991.00")  # 73 + 1..3 × (146 + 20) + 0..2 × (2190 + 20)
    assert numbers(made.gpus["v100"]) == "0 to 2"
    assert numbers(made.storage_gib) == "128 to 584"
    fixed = bill((api, "KubernetesClusterNodePool", {**pool, "autoScalingEnabled": False, "nodeCount": 4, "location": "westeurope"}))
    assert numbers(fixed.nodes) == "4"


def test_kinds_that_nobody_has_priced_are_said(bill: Bill) -> None:
    """A new kind in a Composition must not look free."""
    made = bill(("bigtable.gcp.upbound.io/v1beta2", "Instance", {}), ("ec2.aws.upbound.io/v1beta1", "VPC", {}))
    assert [str(item) for item in made.unpriced] == ["Instance ml-team-a/x: Instance: nothing says what a resource of this kind costs"]
    assert made.monthly is None


def test_namespaced_resources_of_crossplane_2_cost_the_same(bill: Bill) -> None:
    fields = {"region": "eu-central-1"}
    assert monthly(bill(("eks.aws.m.upbound.io/v1beta1", "Cluster", fields))) == monthly(bill((EKS, "Cluster", fields)))


@pytest.mark.parametrize("cloud", ["aws", "azure", "gcp"])
def test_credentials_of_providers_cost_nothing(bill: Bill, cloud: str) -> None:
    """Crossplane 2's ClusterProviderConfig as well: it made the whole platform's sum unknown."""
    for group, kind in ((f"{cloud}.upbound.io", "ProviderConfig"), (f"{cloud}.m.upbound.io", "ClusterProviderConfig")):
        assert bill((f"{group}/v1beta1", kind, {})).unpriced == ()


def test_prices_that_are_missing_are_not_nothing(bill: Bill) -> None:
    made = bill((GKE, "NodePool", {**POOL, "nodeConfig": {"machineType": "z9-ultra-1", "diskSizeGb": 10}, "nodeCount": 1}))
    assert [(item.what, item.reason) for item in made.unpriced] == [("z9-ultra-1", "no price in gcp us-central1")]
    assert made.monthly == Span.fixed(Decimal(1))
