"""Whatever stands in a manifest, there is a bill: nothing stops it, nothing is cheaper than nothing, and sums are exact."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from crossgate.cost.document import as_resource
from crossgate.cost.estimate import costs, estimate
from crossgate.cost.model import Estimate, Span
from crossgate.cost.prices import Prices
from crossgate.cost.table import METERS
from crossgate.cost.text import change, monthly
from crossgate.cost.totals import totalled
from crossgate.model import Document, Resource, Role

SERVICES = {"helm": "helm.crossplane.io", "apps": "apps", "": ""}
NAMES = [
    "region",
    "location",
    "nodeLocations",
    "autoscaling",
    "minNodeCount",
    "maxNodeCount",
    "totalMaxNodeCount",
    "nodeCount",
    "initialNodeCount",
    "nodeConfig",
    "machineType",
    "diskSizeGb",
    "guestAccelerator",
    "count",
    "type",
    "settings",
    "tier",
    "diskSize",
    "scalingConfig",
    "minSize",
    "maxSize",
    "desiredSize",
    "instanceTypes",
    "defaultNodePool",
    "vmSize",
    "minCount",
    "maxCount",
    "osDiskSizeGb",
    "allocatedStorage",
    "numNodeGroups",
    "replicasPerNodeGroup",
    "numCacheClusters",
    "storageMb",
    "chart",
    "name",
    "values",
    "replicas",
    "resources",
    "requests",
    "cpu",
    "memory",
    "limits",
    "nvidia.com/gpu",
    "storage",
    "size",
    "template",
    "spec",
    "containers",
    "nodeSelector",
    "volumeClaimTemplates",
]
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from(
        [10**40, -1, "100Gi", "-5Gi", "1e99", "500m", "us-central1", "us-central1-b", "n1-standard-8", "g4dn.xlarge", "weaviate"]
    ),
    st.floats(allow_nan=True, allow_infinity=True),
    st.sampled_from(["db-custom-2-8192", f"db-custom-{'9' * 60}-1", "nvidia-tesla-t4", "Standard_D4s_v5", "mlflow", "a" * 50]),
    st.text(max_size=5),
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(NAMES), inner, max_size=6)), max_leaves=25
)
OBJECTS = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=8)


@cache
def prices() -> Prices:
    found = Prices.load([Path(__file__).parents[2] / "policies"])
    assert found is not None
    return found


def resource(kind: tuple[str, str], fields: Any) -> Resource:
    service, name = kind
    group = SERVICES.get(service, f"{service}.upbound.io")
    body = {"apiVersion": f"{group}/v1" if group else "v1", "kind": name, "metadata": {"name": "x", "namespace": "ml-team-a"}}
    body["spec"] = fields if service in ("", "apps") else {"forProvider": fields}
    return Resource(body, Role.COMPOSED, Document(body, "a.yaml", 1))


@given(st.lists(st.tuples(st.sampled_from(sorted(METERS)), OBJECTS), min_size=1, max_size=3))
def test_every_manifest_has_a_bill(given_resources: list[tuple[tuple[str, str], Any]]) -> None:
    made = [resource(kind, fields) for kind, fields in given_resources]
    bill = estimate(made, prices())
    for item in bill.items:
        assert item.quantity.usual >= 0
        assert item.quantity.most >= 0
        assert item.price is not None or any(item.what == each.what for each in bill.unpriced) or not item.quantity.most
    monthly(bill.monthly, "USD")
    change(None, bill)
    json.dumps(as_resource(totalled(costs(made, prices())), prices()).body, allow_nan=False)


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_more_nodes_are_never_cheaper(one: int, other: int) -> None:
    def cost(nodes: int) -> Span:
        pool = {"location": "us-central1-b", "nodeCount": nodes, "nodeConfig": {"machineType": "n1-standard-8"}}
        found = estimate([resource(("container.gcp", "NodePool"), pool)], prices()).monthly
        assert found is not None
        return found

    assert (cost(one).most <= cost(other).most) == (one <= other)
    assert cost(one) + cost(other) == cost(one + other)


@given(st.permutations(range(6)))
def test_the_order_of_a_sum_does_not_matter(order: list[int]) -> None:
    regions = ("us-central1", "europe-west4", "europe-west3", "asia-south1", "us-east4", "europe-west9")
    bills = [estimate([resource(("container.gcp", "Cluster"), {"location": region})], prices()) for region in regions]
    total = sum((bills[index] for index in order), Estimate())
    assert total.monthly == sum((bill.monthly or Span() for bill in bills), Span())
