"""Mistakes of the first sketches of the platform: whoever makes one again is told so, and the gate does not pass.

A check of the platform takes a second, so all mistakes that do not hide each other are made at once, and each must be found in its file.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from crossgate.check import check
from crossgate.config import Config
from crossgate.load.write import to_yaml
from crossgate.model import Document, Severity

Resources = dict[str, dict[str, Any]]
Change = Callable[[Any, Resources], object]
Refused = set[tuple[str, str, str]]

CLAIMS: dict[str, tuple[str, dict[str, Any], dict[str, str]]] = {
    "weaviate-gcp": ("VectorDatabase", {"name": "a"}, {"database": "weaviate"}),
    "mlflow-platform": ("ModelRegistry", {"name": "a"}, {"provider": "gcp"}),
    "ml-observability": ("ObservabilityStack", {}, {"provider": "kubernetes"}),
    "ml-env-prod": ("MLEnvironment", {"name": "a"}, {"environment": "production"}),
    "gpu-cluster-gcp": ("GPUCluster", {"name": "a"}, {"provider": "gcp"}),
    "ml-platform-gcp": ("MLPlatform", {"name": "a"}, {"provider": "gcp"}),
}
"""A claim for each Composition that is spoilt."""


@pytest.fixture(scope="module")
def refused(
    root: Path, tmp_path_factory: pytest.TempPathFactory, platform_documents: tuple[Document, ...], ml_claim: Callable[..., str]
) -> Callable[[Iterable[tuple[str, Change]]], Refused]:
    """Change committed Compositions and check them with a claim each: Composition, rule and reason of every error."""
    bodies: list[Any] = [document.body for document in platform_documents]
    compositions = {body["metadata"]["name"]: body for body in bodies if body["kind"] == "Composition"}

    def run(changes: Iterable[tuple[str, Change]]) -> Refused:
        folder = tmp_path_factory.mktemp("spoilt")
        spoilt = {name: copy.deepcopy(compositions[name]) for name in CLAIMS}
        for name, change in changes:
            [step] = [step for step in spoilt[name]["spec"]["pipeline"] if step["step"] == "resources"]
            change(spoilt[name], {resource["name"]: resource for resource in step["input"]["resources"]})
        for name, (api, parameters, select) in CLAIMS.items():
            (folder / f"{name}.yaml").write_text(to_yaml([spoilt[name]]))
            for number in (1, 2):
                text = ml_claim(api, parameters, select=select, name=f"scores-{number}", namespace=f"ml-team-{name}-{number}")
                (folder / f"claim-{number}-{name}.yaml").write_text(text)
        report = check([folder], config=Config.find(root))
        assert not report.could_not_check
        # the teams of these claims are none of the platform's, so they have no budget
        errors = [finding for finding in report.findings if finding.severity is Severity.ERROR and finding.rule != "cost/team-budget"]
        return {(Path(finding.place.file).stem, finding.rule, finding.reason) for finding in errors}

    return run


def settings(resources: Resources, template: str) -> dict[str, Any]:
    found: dict[str, Any] = resources[template]["base"]["spec"]["forProvider"]
    return found


def open_database(_body: Any, resources: Resources) -> None:
    network = settings(resources, "database")["settings"]["ipConfiguration"]
    network.update(ipv4Enabled=True, authorizedNetworks=[{"name": "all", "value": "0.0.0.0/0"}])


def sketched_password(_body: Any, resources: Resources) -> None:
    settings(resources, "prometheus")["values"]["grafana"]["adminPassword"] = "CHANGE_ME"


def plain_password(_body: Any, resources: Resources) -> None:
    settings(resources, "mlflow")["values"]["backendStore"]["postgres"]["password"] = "hunter2hunter2"


def load_balancer(_body: Any, resources: Resources) -> None:
    settings(resources, "mlflow")["values"]["service"]["type"] = "LoadBalancer"


def unprotected(_body: Any, resources: Resources) -> None:
    settings(resources, "cluster")["deletionProtection"] = False
    del resources["cluster"]["base"]["spec"]["managementPolicies"]


def autopilot(_body: Any, resources: Resources) -> None:
    settings(resources, "cluster")["enableAutopilot"] = True


def old_version(_body: Any, resources: Resources) -> None:
    resources["bucket"]["base"]["apiVersion"] = "storage.gcp.upbound.io/v1beta1"


def fixed_name(_body: Any, resources: Resources) -> None:
    network = resources["network"]
    network["base"]["metadata"] = {"name": "ml-network"}
    network["patches"] = [patch for patch in network["patches"] if patch.get("toFieldPath") != "metadata.name"]


FAULTS: list[tuple[str, Change, str, str]] = [
    ("weaviate-gcp", open_database, "network/open-cidr", "OPEN_CIDR"),
    ("weaviate-gcp", open_database, "network/public-endpoint", "PUBLIC_ENDPOINT"),
    ("ml-observability", sketched_password, "secret/placeholder", "PLACEHOLDER"),
    ("mlflow-platform", plain_password, "secret/plain-value", "PLAIN_SECRET"),
    ("mlflow-platform", load_balancer, "network/public-load-balancer", "PUBLIC_LOAD_BALANCER"),
    ("ml-env-prod", unprotected, "data/deletion-protection", "DELETION_NOT_PROTECTED"),
    ("gpu-cluster-gcp", old_version, "crossplane/unserved-version", "UNSERVED_VERSION"),
]


@pytest.fixture(scope="module")
def found(refused: Callable[..., Refused]) -> Refused:
    changes = {(name, change) for name, change, _, _ in FAULTS}
    return refused([*changes, ("ml-env-prod", autopilot), ("ml-platform-gcp", fixed_name)])


def test_the_compositions_themselves_pass(refused: Callable[..., Refused]) -> None:
    """Otherwise what follows would show nothing."""
    assert refused([]) == set()


@pytest.mark.parametrize(("composition", "change", "rule", "reason"), FAULTS, ids=[f"{fault[1].__name__}-{fault[3]}" for fault in FAULTS])
def test_the_gate_refuses(found: Refused, composition: str, change: Change, rule: str, reason: str) -> None:
    assert (composition, rule, reason) in found


def test_the_gate_refuses_autopilot_with_fixed_machine_types(found: Refused) -> None:
    assert [one for one in found if "autopilot" in one[1]]


def test_the_gate_refuses_a_name_that_two_claims_share(found: Refused) -> None:
    assert [reason for name, rule, reason in found if name.endswith("ml-platform-gcp") and "name" in rule.lower() + reason.lower()]


def test_the_gate_refuses_the_native_mode_that_is_gone(refused: Callable[..., Refused]) -> None:
    def change(body: Any, resources: Resources) -> None:
        body["spec"] = {"compositeTypeRef": body["spec"]["compositeTypeRef"], "mode": "Resources", "resources": list(resources.values())}

    assert {name for name, _, _ in refused([("ml-platform-gcp", change)])} >= {"ml-platform-gcp"}


def test_a_claim_that_is_called_like_its_composite_does_not_pass(
    root: Path, tmp_path: Path, platform_documents: tuple[Document, ...]
) -> None:
    """The first ModelService gave both the same kind and plural, which one API group cannot hold twice."""
    bodies: list[Any] = [document.body for document in platform_documents]
    [found] = [body for body in bodies if body["metadata"]["name"] == "xmodelservices.platform.acme.com"]
    spoilt = copy.deepcopy(found)
    spoilt["spec"]["names"] = {**spoilt["spec"]["names"], "kind": "ModelService", "plural": "modelservices"}
    spoilt["metadata"]["name"] = "modelservices.platform.acme.com"
    (tmp_path / "xrd.yaml").write_text(to_yaml([spoilt]))
    report = check([tmp_path], config=Config.find(root))
    said = [finding.message for finding in report.findings] + [one.what for one in report.could_not_check]
    assert report.exit_code
    assert [message for message in said if "ModelService" in message or "modelservices" in message]
