from __future__ import annotations

from typing import Any

import pytest

from crossgate.errors import RenderError
from crossgate.render import Rendering, render
from crossgate.render.functions.health import CHECKS

KIND = {"apiVersion": "platform.example.org/v1alpha1", "kind": "XModel"}
XR = {**KIND, "metadata": {"name": "fraud"}}


def run(
    kind: dict[str, str], observed: dict[str, Any] | None, checks: list[Any] | None = None, given: dict[str, Any] | None = None
) -> Rendering:
    template: dict[str, Any] = {"name": "r", "base": kind}
    if checks is not None:
        template["readinessChecks"] = checks
    make = {"step": "make", "functionRef": {"name": "function-patch-and-transform"}, "input": {"resources": [template]}}
    auto = {"step": "auto", "functionRef": {"name": "function-auto-ready"}, "input": given}
    composition = {"metadata": {"name": "x"}, "spec": {"compositeTypeRef": KIND, "pipeline": [make, auto]}}
    metadata = {"name": "o", "annotations": {"crossplane.io/composition-resource-name": "r"}}
    return render(XR, composition, observed=[] if observed is None else [{**kind, "metadata": metadata, **observed}])


def ready(api_version: str, kind: str, **observed: Any) -> bool:
    (found,) = run({"apiVersion": api_version, "kind": kind}, observed).resources
    return found.ready


def conditions(*pairs: tuple[str, str]) -> dict[str, Any]:
    return {"conditions": [{"type": kind, "status": status} for kind, status in pairs]}


def test_what_is_not_there_is_not_ready() -> None:
    assert not run({"apiVersion": "v1", "kind": "ConfigMap"}, None).resources[0].ready


def test_anything_with_a_ready_condition_is_ready() -> None:
    assert ready("ex.org/v1", "Thing", status=conditions(("Ready", "True")))
    assert not ready("ex.org/v1", "Thing", status=conditions(("Ready", "False")))
    assert not ready("ex.org/v1", "Thing")


SET = {"readyReplicas": 2, "currentReplicas": 2, "currentRevision": "a", "updateRevision": "a"}
DAEMONS = {"desiredNumberScheduled": 2, "numberReady": 2, "updatedNumberScheduled": 2, "numberAvailable": 2}
DEPLOYED = {"updatedReplicas": 2, "availableReplicas": 2, **conditions(("Available", "True"))}
RAN = {"lastScheduleTime": "2024-01-01T00:00:00Z", "lastSuccessfulTime": "2024-01-01T00:00:01Z"}


@pytest.mark.parametrize(
    ("api_version", "kind", "good", "bad"),
    [
        ("apps/v1", "Deployment", {"spec": {"replicas": 2}, "status": DEPLOYED}, {"status": DEPLOYED}),
        (
            "apps/v1",
            "StatefulSet",
            {"spec": {"replicas": 2}, "status": SET},
            {"spec": {"replicas": 2}, "status": {**SET, "updateRevision": "b"}},
        ),
        ("apps/v1", "DaemonSet", {"status": DAEMONS}, {"status": {**DAEMONS, "numberReady": 1}}),
        ("apps/v1", "ReplicaSet", {"status": {"availableReplicas": 1}}, {"spec": {"replicas": 2}, "status": {"availableReplicas": 1}}),
        ("batch/v1", "Job", {"status": conditions(("Complete", "True"))}, {"status": conditions(("Failed", "True"), ("Complete", "True"))}),
        ("batch/v1", "CronJob", {"status": RAN}, {"status": {**RAN, "lastSuccessfulTime": "2023-01-01T00:00:00Z"}}),
        ("v1", "Pod", {"status": {"phase": "Succeeded"}}, {"status": {"phase": "Running"}}),
        ("v1", "PersistentVolumeClaim", {"status": {"phase": "Bound"}}, {"status": {"phase": "Pending"}}),
        ("v1", "Service", {}, {"spec": {"type": "LoadBalancer"}}),
        (
            "networking.k8s.io/v1",
            "Ingress",
            {"status": {"loadBalancer": {"ingress": [{"ip": "x"}]}}},
            {"status": {"loadBalancer": {"ingress": []}}},
        ),
        (
            "autoscaling/v2",
            "HorizontalPodAutoscaler",
            {"status": conditions(("ScalingActive", "True"))},
            {"status": conditions(("InvalidSelector", "True"), ("ScalingActive", "True"))},
        ),
    ],
)
def test_kubernetes_objects_have_checks_of_their_own(api_version: str, kind: str, good: Any, bad: Any) -> None:
    assert ready(api_version, kind, **good)
    assert not ready(api_version, kind, **bad)


@pytest.mark.parametrize("check", CHECKS.values(), ids=lambda check: check.__name__)
@pytest.mark.parametrize("value", [None, "x", [], {}, 1.5, True])
def test_a_check_takes_any_object(check: Any, value: Any) -> None:
    for body in (
        {},
        {"spec": value, "status": value, "metadata": value},
        {"status": {"conditions": value, "loadBalancer": value, "phase": value}},
    ):
        assert check(body) in (True, False)


def test_what_another_function_has_judged_stays() -> None:
    found = run({"apiVersion": "v1", "kind": "ConfigMap"}, {}, [{"type": "None"}])
    assert found.resources[0].ready


def test_its_input_is_checked() -> None:
    kind = {"apiVersion": "v1", "kind": "ConfigMap"}
    run(kind, {}, given={"ttl": "1h2m0.5s"})
    with pytest.raises(RenderError, match="invalid duration"):
        run(kind, {}, given={"ttl": "5 minutes"})
    with pytest.raises(RenderError, match='unknown field "tll"'):
        run(kind, {}, given={"tll": "1m"})


def test_customizations_of_an_alpha_feature_are_told_to_be_ignored() -> None:
    found = run({"apiVersion": "v1", "kind": "ConfigMap"}, {}, given={"celHealthCheckCustomization": {"x": "true"}})
    assert "ignores celHealthCheckCustomization" in found.hints[0]
