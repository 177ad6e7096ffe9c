"""GPUCluster becomes what the platform promises: the committed Composition, rendered for claims."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crossgate.load import load_paths, load_text
from crossgate.model import Role
from crossgate.paths import follow
from crossgate.render.estate import expand
from crossgate.schema import Schemas

CLAIM = """\
apiVersion: ml.hinterbuild.com/v1alpha1
kind: GPUClusterClaim
metadata: {{name: {name}, namespace: {namespace}, labels: {{owner: Jane.Doe, cost-center: CC-1}}}}
spec:
  parameters: {{name: training{parameters}}}
  compositionSelector: {{matchLabels: {{provider: gcp, tier: standard}}}}
"""

Composed = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def schemas(root: Path) -> Schemas:
    return Schemas.load([root / "schemas"])


@pytest.fixture(scope="module")
def composed(root: Path, schemas: Schemas) -> Callable[..., Composed]:
    platform = load_paths([root / "dist"], root=root).documents
    everything = schemas.including(platform)

    def render(parameters: str = "", *, name: str = "a", namespace: str = "ml-team-x") -> Composed:
        text = CLAIM.format(name=name, namespace=namespace, parameters=parameters)
        estate = expand(load_text(text), everything, platform=platform)
        assert not estate.judgement.could_not_check
        made = [resource for resource in estate.resources if resource.role is Role.COMPOSED]
        assert [problem for resource in made for problem in everything.validate(resource.body)] == []
        return {resource.template: resource.body for resource in made}

    return render


def at(body: dict[str, Any], path: str) -> Any:
    return follow(body, tuple(int(step) if step.isdigit() else step for step in path.split(".")))


def test_the_parts_are_there(composed: Callable[..., Composed]) -> None:
    assert {body["kind"] for body in composed().values()} == {
        "Network",
        "Subnetwork",
        "ServiceAccount",
        "ProjectIAMMember",
        "BucketIAMMember",
        "Cluster",
        "NodePool",
        "Bucket",
    }


@pytest.mark.parametrize(
    ("gpu", "machine", "accelerator"),
    [
        ("t4", "n1-standard-8", "nvidia-tesla-t4"),
        ("v100", "n1-standard-8", "nvidia-tesla-v100"),
        ("a100", "a2-highgpu-1g", "nvidia-tesla-a100"),
    ],
)
def test_a_gpu_type_chooses_machine_and_accelerator(composed: Callable[..., Composed], gpu: str, machine: str, accelerator: str) -> None:
    node = at(composed(f", gpuType: {gpu}")["node-pool"], "spec.forProvider.nodeConfig")
    assert node["machineType"] == machine
    assert (node["guestAccelerator"][0]["type"], node["guestAccelerator"][0]["count"]) == (accelerator, 1)
    assert node["labels"] == {"workload-type": "ml-training", "gpu-type": gpu}
    assert node["taint"] == [{"key": "nvidia.com/gpu", "value": "true", "effect": "NO_SCHEDULE"}]
    assert node["diskSizeGb"] == 100


def test_defaults_and_bounds_reach_the_node_pool(composed: Callable[..., Composed]) -> None:
    assert at(composed()["node-pool"], "spec.forProvider.autoscaling") == {"minNodeCount": 0, "maxNodeCount": 10}
    chosen = composed(", minNodes: 2, maxNodes: 7, region: europe-west4")["node-pool"]
    assert at(chosen, "spec.forProvider.autoscaling") == {"minNodeCount": 2, "maxNodeCount": 7}
    assert at(chosen, "spec.forProvider.location") == "europe-west4"
    assert at(chosen, "spec.forProvider.nodeLocations") == ["europe-west4-b"], "bounds are per zone, so one zone makes them the claim's"


def test_the_cluster_is_private_and_vpc_native(composed: Callable[..., Composed]) -> None:
    cluster = composed()["cluster"]
    assert at(cluster, "spec.forProvider.networkingMode") == "VPC_NATIVE"
    assert at(cluster, "spec.forProvider.privateClusterConfig.enablePrivateNodes") is True
    assert at(cluster, "spec.forProvider.masterAuthorizedNetworksConfig.cidrBlocks.0.cidrBlock") != "0.0.0.0/0"
    assert at(cluster, "spec.forProvider.addonsConfig.gcePersistentDiskCsiDriverConfig.enabled") is True
    assert at(cluster, "spec.forProvider.loggingConfig.enableComponents")
    assert at(cluster, "spec.forProvider.monitoringConfig.enableComponents")


def test_the_bucket_is_private_and_forgets_after_90_days(composed: Callable[..., Composed]) -> None:
    bucket = at(composed()["bucket"], "spec.forProvider")
    assert bucket["storageClass"] == "STANDARD"
    assert bucket["publicAccessPrevention"] == "enforced"
    assert bucket["lifecycleRule"] == [{"action": {"type": "Delete"}, "condition": {"age": 90}}]


def test_two_claims_never_share_a_name(composed: Callable[..., Composed]) -> None:
    """Bucket names are global; "a" + "b-c" and "a-b" + "c" are the pairs that joining with a hyphen would confuse."""
    claims = [("a", "n"), ("a", "m"), ("b", "n"), ("b-c", "a"), ("c", "a-b")]
    names = [body["metadata"]["name"] for name, namespace in claims for body in [composed(name=name, namespace=namespace)["bucket"]]]
    assert len(set(names)) == len(claims)
    assert all(name.startswith("training-") and name.endswith("-artifacts") for name in names)


def test_names_are_short_enough_for_the_cloud(root: Path, schemas: Schemas) -> None:
    platform = load_paths([root / "dist"], root=root).documents
    text = CLAIM.format(name="n" * 63, namespace="s" * 63, parameters="").replace("training", "t" * 30)
    estate = expand(load_text(text), schemas.including(platform), platform=platform)
    names = {resource.body["kind"]: resource.body["metadata"]["name"] for resource in estate.resources if resource.role is Role.COMPOSED}
    limits = {"Cluster": 40, "NodePool": 40, "ServiceAccount": 30, "Bucket": 63, "Network": 63, "Subnetwork": 63}
    assert {kind: len(names[kind]) for kind in limits if len(names[kind]) > limits[kind]} == {}


@pytest.mark.parametrize(("template", "labels"), [("cluster", "resourceLabels"), ("bucket", "labels")])
def test_resources_carry_team_owner_and_cost_center(composed: Callable[..., Composed], template: str, labels: str) -> None:
    """In the letters that Google allows in a label."""
    found = at(composed()[template], f"spec.forProvider.{labels}")
    assert found == {"team": "x", "owner": "jane-doe", "cost-center": "cc-1"}


def test_nodes_act_as_an_account_of_their_own(composed: Callable[..., Composed]) -> None:
    made = composed()
    account = made["node-account"]["metadata"]["name"]
    for template in ("node-account-role", "bucket-access"):
        member = at(made[template], "spec.forProvider.member")
        assert member == f"serviceAccount:{account}@acme-ml-platform.iam.gserviceaccount.com"


@pytest.mark.parametrize("parameters", [", gpuType: h100", ", minNodes: 3, maxNodes: 2", ", minNodes: -1", ", size: 3"])
def test_what_the_api_does_not_allow_is_refused(root: Path, schemas: Schemas, parameters: str) -> None:
    platform = load_paths([root / "dist"], root=root).documents
    [claim] = load_text(CLAIM.format(name="a", namespace="n", parameters=parameters))
    assert schemas.including(platform).validate(claim.body)
