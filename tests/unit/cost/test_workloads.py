"""What workloads and charts use of the platform's own cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crossgate.cost.estimate import estimate
from crossgate.cost.model import Estimate, Span
from crossgate.cost.prices import Prices
from crossgate.cost.text import numbers
from crossgate.model import Document, Resource, Role

Work = Callable[..., Estimate]


def template(resources: dict[str, Any], **selector: str) -> dict[str, Any]:
    pod: dict[str, Any] = {"containers": [{"name": "a", "resources": resources}]}
    if selector:
        pod["nodeSelector"] = selector
    return {"template": {"spec": pod}}


MACHINE = "node.kubernetes.io/instance-type"


def test_a_pod_that_names_a_machine_is_a_whole_one(work: Work) -> None:
    made = work(("apps/v1", "Deployment", {"replicas": 2, **template({}, **{MACHINE: "g4dn.xlarge"})}))
    assert (numbers(made.nodes), numbers(made.gpus["t4"]), made.monthly) == ("2", "2", Span.fixed(1460))
    assert made.items[0].region == "eu-central-1"


def test_accelerators_of_google_are_chosen_by_a_label(work: Work) -> None:
    selector = {MACHINE: "n1-standard-4", "cloud.google.com/gke-accelerator": "nvidia-tesla-t4"}
    made = work(("apps/v1", "Deployment", {"replicas": 1, **template({"limits": {"nvidia.com/gpu": "2"}}, **selector)}))
    assert numbers(made.gpus["t4"]) == "2"
    assert not made.unpriced


def test_an_autoscaler_beside_it_says_how_many(work: Work) -> None:
    scaler = {"scaleTargetRef": {"kind": "Deployment", "name": "x"}, "minReplicas": 2, "maxReplicas": 6}
    other = {"scaleTargetRef": {"kind": "Deployment", "name": "y"}, "maxReplicas": 99}
    deployment = {"replicas": 1, **template({}, **{MACHINE: "c5.large"})}
    apis = ("autoscaling/v2", "HorizontalPodAutoscaler")
    assert numbers(work(("apps/v1", "Deployment", deployment), (*apis, other), (*apis, scaler)).nodes) == "2 to 6"


def test_other_pods_cost_what_they_request(work: Work) -> None:
    made = work(("apps/v1", "Deployment", {"replicas": 3, **template({"requests": {"cpu": "500m"}, "limits": {"memory": "2Gi"}})}))
    assert [(item.what, numbers(item.quantity), item.approximate) for item in made.items] == [
        ("workload-vcpu", "1.5", True),
        ("workload-memory-gib", "6", False),
    ]


def test_gpus_of_no_known_machine_are_said(work: Work) -> None:
    made = work(("v1", "Pod", {"containers": [{"resources": {"limits": {"nvidia.com/gpu": 4}}}]}))
    assert "4 GPUs" in str(made.unpriced[0])


def test_volumes(work: Work) -> None:
    claim = {"resources": {"requests": {"storage": "20Gi"}}, "storageClassName": "ssd"}
    made = work(
        ("v1", "PersistentVolumeClaim", claim),
        ("apps/v1", "StatefulSet", {"replicas": 2, **template({}), "volumeClaimTemplates": [{"spec": claim}]}),
    )
    assert made.storage_gib == Span.fixed(60)
    assert made.monthly == Span.fixed(18)
    assert "none" in str(work(("v1", "PersistentVolumeClaim", {"resources": {"requests": {"storage": "much"}}})).unpriced[0])


def release(chart: str, values: dict[str, Any]) -> Resource:
    spec = {"forProvider": {"chart": {"name": chart}, "values": values}}
    body = {"apiVersion": "helm.crossplane.io/v1beta1", "kind": "Release", "metadata": {"name": "r"}, "spec": spec}
    return Resource(body, Role.COMPOSED, Document(body, "claim.yaml", 1))


def test_charts_of_the_catalogue(prices: Prices) -> None:
    values = {
        "replicas": 3,
        "resources": {"requests": {"cpu": 2, "memory": "4Gi"}},
        "storage": {"size": "100Gi", "storageClassName": "ssd"},
    }
    made = estimate([release("weaviate", values)], prices)
    assert (numbers(made.storage_gib), [numbers(item.quantity) for item in made.items]) == ("300", ["6", "12", "300"])
    assert estimate([release("jaeger", {"cassandra": {"persistence": {"size": "20Gi"}}})], prices).storage_gib == Span.fixed(60)


def test_an_unknown_chart_is_said(prices: Prices) -> None:
    assert "chart other" in str(estimate([release("other", {})], prices).unpriced[0])


def test_claims_and_xrs_stand_for_what_is_composed(prices: Prices) -> None:
    body = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "x"}, "spec": template({}, **{MACHINE: "c5.large"})}
    document = Document(body, "a.yaml", 1)
    assert estimate([Resource(body, Role.CLAIM, document)], prices).items == ()
    assert len(estimate([Resource(body, Role.DOCUMENT, document)], prices).items) == 1
