"""A team: who it is, what it may use, and the namespace and project that only it writes into."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import cdk8s_plus_33 as kplus
from cdk8s import ApiObjectMetadata, Chart

from crossgate.errors import SynthError
from crossgate.model import Place
from mlplatform.argocd import team_project
from mlplatform.blocks.managed import TEAM_NAMESPACE
from mlplatform.core import Api, Folder, Manifest, caller, manifests
from mlplatform.core.claim import CONFIRM

BUDGET = "platform.acme.com/monthly-budget-usd"
"""Annotation of a team's namespace: what its claims may cost in a month."""


@dataclass(frozen=True)
class Quota:
    """What a team may use of the platform's cluster, in Kubernetes quantities, and how many claims of each kind it may have."""

    cpu: str = "32"
    memory: str = "128Gi"
    gpus: int = 4
    storage: str = "500Gi"
    pods: int = 100
    claims: int = 20


@dataclass(frozen=True)
class Team:
    """Who a team is.

    ``group`` is the group of the single sign-on whose members belong to it. ``owner`` and ``cost_center`` become labels of everything that
    it claims. ``monthly_budget`` is in US dollars.
    """

    name: str
    group: str
    owner: str
    cost_center: str
    monthly_budget: int
    quota: Quota = field(default_factory=Quota)
    place: Place = field(default_factory=caller)

    def __post_init__(self) -> None:
        if self.monthly_budget < 0:
            raise SynthError(f"the budget of team {self.name} is {self.monthly_budget}", str(self.place), "write US dollars a month")

    @property
    def namespace(self) -> str:
        """Return the namespace that only this team may write into."""
        return f"{TEAM_NAMESPACE}{self.name}"

    @property
    def labels(self) -> Mapping[str, str]:
        """Return the labels of what belongs to the team."""
        return {"team": self.name, "owner": self.owner, "cost-center": self.cost_center}

    def add_to(self, folder: Folder, apis: Iterable[Api[Any]], *, repository: str) -> None:
        """Write what the team needs on the cluster before it can claim anything, and its project in Argo CD.

        ``apis`` are those that it may claim, ``repository`` is where its claims come from.
        """
        claimable = [api for api in apis if api.claim_kind]
        for body in (self._namespace(), self._quota(claimable), self._limits(), *manifests(self._access)):
            # a namespace takes with it whatever is in it
            options = CONFIRM if body["kind"] == "Namespace" else ()
            Manifest(folder, f"{body['kind']}-{body['metadata']['name']}", body, sources={(): self.place}, options=options)
        team_project(folder, self.name, group=self.group, repository=repository, apis=claimable, place=self.place)

    def _namespace(self) -> dict[str, Any]:
        # Pods that could take over a node are refused; what else the strictest standard asks for is said, not forced
        standards = {"enforce": "baseline", "warn": "restricted", "audit": "restricted"}
        labels = {**self.labels, **{f"pod-security.kubernetes.io/{mode}": level for mode, level in standards.items()}}
        metadata = {"name": self.namespace, "labels": labels, "annotations": {BUDGET: str(self.monthly_budget)}}
        return {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}

    def _quota(self, apis: Iterable[Api[Any]]) -> dict[str, Any]:
        quota = self.quota
        hard = {
            "requests.cpu": quota.cpu,
            "limits.memory": quota.memory,
            "requests.memory": quota.memory,
            "requests.nvidia.com/gpu": str(quota.gpus),
            "requests.storage": quota.storage,
            "pods": str(quota.pods),
            # a way in from outside is the platform's gateway, never a load balancer of the team's own
            "services.loadbalancers": "0",
            "services.nodeports": "0",
            **{f"count/{api.claim_names['plural']}.{api.group}": str(quota.claims) for api in apis},
        }
        return self._own("v1", "ResourceQuota", "team", {"hard": hard})

    def _limits(self) -> dict[str, Any]:
        # a Pod that says nothing gets these; the quota refuses Pods without
        item = {
            "type": "Container",
            "defaultRequest": {"cpu": "100m", "memory": "128Mi"},
            "default": {"memory": "512Mi"},
        }
        return self._own("v1", "LimitRange", "team", {"limits": [item]})

    def _own(self, api_version: str, kind: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
        return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, "namespace": self.namespace}, "spec": spec}

    def _access(self, chart: Chart) -> None:
        """Add who may do what in the namespace, and which traffic there is: none but names, until something asks for more."""
        admin = kplus.ClusterRole.from_cluster_role_name(chart, "admin", "admin")
        binding = kplus.RoleBinding(chart, "binding", metadata=self._metadata("team-admin"), role=admin)
        binding.add_subjects(kplus.Group.from_name(chart, "group", self.group))

        deny = kplus.NetworkPolicyTraffic(default=kplus.NetworkPolicyTrafficDefault.DENY)
        everything = kplus.Pods.all(chart, "pods")
        kplus.NetworkPolicy(chart, "deny", metadata=self._metadata("default-deny"), selector=everything, ingress=deny, egress=deny)
        names = kplus.NetworkPolicy(chart, "names", metadata=self._metadata("allow-dns"), selector=everything)
        system = kplus.Namespaces.select(chart, "system", names=["kube-system"])
        servers = kplus.Pods.select(chart, "dns", labels={"k8s-app": "kube-dns"}, namespaces=system)
        names.add_egress_rule(servers, [kplus.NetworkPolicyPort.udp(53), kplus.NetworkPolicyPort.tcp(53)])

    def _metadata(self, name: str) -> ApiObjectMetadata:
        return ApiObjectMetadata(name=name, namespace=self.namespace)
