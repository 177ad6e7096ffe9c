"""What a team gets from its one definition."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from crossgate.errors import SynthError
from crossgate.schema import Schemas
from mlplatform.core import Api, Model, Platform
from mlplatform.team import Quota, Team


class Spec(Model):
    """Wanted."""

    name: str


class Status(Model):
    pass


API = Api(group="example.org", kind="XThing", claim_kind="Thing", spec_model=Spec, status_model=Status)
INNER = Api(group="example.org", kind="XPart", claim_kind="", spec_model=Spec, status_model=Status)
TEAM = Team("a", group="ml-a", owner="lead", cost_center="cc-1", monthly_budget=500, quota=Quota(cpu="8", gpus=2, claims=3))


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, Any]]:
    monkeypatch.setenv("CDK8S_OUTDIR", str(tmp_path / "dist"))
    folder = Platform().folder("30-teams/a")
    TEAM.add_to(folder, [API, INNER], repository="https://git.example.org/x.git")
    return {f"{m.body['kind']} {m.body['metadata']['name']}": m.body for m in folder.manifests}


def test_one_definition_makes_everything(made: dict[str, dict[str, Any]], platform_schemas: Schemas) -> None:
    assert set(made) == {
        "Namespace ml-team-a",
        "ResourceQuota team",
        "LimitRange team",
        "RoleBinding team-admin",
        "NetworkPolicy default-deny",
        "NetworkPolicy allow-dns",
        "AppProject team-a",
    }
    for body in made.values():
        assert platform_schemas.validate(dict(body)) == []
        assert body["metadata"].get("namespace") in (None, "ml-team-a", "argocd")


def test_the_namespace_says_who_pays_and_how_much(made: dict[str, dict[str, Any]]) -> None:
    metadata = made["Namespace ml-team-a"]["metadata"]
    assert metadata["annotations"] == {"platform.acme.com/monthly-budget-usd": "500"}
    assert {"team": "a", "owner": "lead", "cost-center": "cc-1"}.items() <= metadata["labels"].items()
    assert metadata["labels"]["pod-security.kubernetes.io/enforce"] == "baseline"


def test_the_group_is_admin_in_the_namespace_and_nowhere_else(made: dict[str, dict[str, Any]]) -> None:
    binding = made["RoleBinding team-admin"]
    assert binding["roleRef"] == {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "admin"}
    assert binding["subjects"] == [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "ml-a"}]


def test_nothing_gets_in_or_out_but_questions_for_names(made: dict[str, dict[str, Any]]) -> None:
    assert made["NetworkPolicy default-deny"]["spec"] == {"podSelector": {}, "policyTypes": ["Egress", "Ingress"]}
    spec = made["NetworkPolicy allow-dns"]["spec"]
    assert spec["policyTypes"] == ["Egress"]
    [rule] = spec["egress"]
    assert {(port["protocol"], port["port"]) for port in rule["ports"]} == {("UDP", 53), ("TCP", 53)}
    assert rule["to"][0]["namespaceSelector"] == {"matchLabels": {"kubernetes.io/metadata.name": "kube-system"}}


def test_the_quota_counts_claims_and_gives_no_way_in(made: dict[str, dict[str, Any]]) -> None:
    hard = made["ResourceQuota team"]["spec"]["hard"]
    assert hard["count/things.example.org"] == "3"
    assert not [name for name in hard if "xpart" in name], "what teams cannot claim is not counted"
    assert hard["requests.cpu"] == "8"
    assert hard["requests.nvidia.com/gpu"] == "2"
    assert hard["services.loadbalancers"] == "0"
    assert all(isinstance(value, str) for value in hard.values())


def test_a_pod_that_says_nothing_passes_the_quota(made: dict[str, dict[str, Any]]) -> None:
    """A quota on a resource refuses Pods that do not name it: each one here must have a default, or a Pod must be able to leave it."""
    [limits] = made["LimitRange team"]["spec"]["limits"]
    defaults = {f"requests.{name}" for name in limits["defaultRequest"]} | {f"limits.{name}" for name in limits["default"]}
    named = {name for name in made["ResourceQuota team"]["spec"]["hard"] if name.startswith(("requests.cpu", "requests.memory", "limits."))}
    assert named <= defaults


def test_the_project_allows_claims_only(made: dict[str, dict[str, Any]]) -> None:
    spec = made["AppProject team-a"]["spec"]
    assert spec["namespaceResourceWhitelist"] == [{"group": "example.org", "kind": "Thing"}]
    assert spec["destinations"] == [{"server": "https://kubernetes.default.svc", "namespace": "ml-team-a"}]


def test_a_budget_below_zero_is_refused() -> None:
    with pytest.raises(SynthError, match="the budget of team b is -1"):
        Team("b", group="g", owner="o", cost_center="c", monthly_budget=-1)
