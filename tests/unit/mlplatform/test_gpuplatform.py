"""What GPUCluster and MLPlatform become on each cloud, point by point as the catalogue promises it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from crossgate.load import load_text
from crossgate.paths import follow
from crossgate.render.fieldpath import parse
from crossgate.schema import Schemas
from mlplatform.regions import NEAR, nearest

Composed = dict[str, dict[str, Any]]
Platform = Callable[..., Composed]
OWNERS = {"team": "x", "owner": "jane-doe", "cost-center": "cc-1"}
CLOUDS = ("gcp", "aws", "azure")


def at(body: dict[str, Any], path: str) -> Any:
    return follow(body, parse(path))


@pytest.fixture
def platform(rendered: Callable[[str], Composed], ml_claim: Callable[..., str]) -> Platform:
    """Render an MLPlatform on a cloud."""

    def make(cloud: str, *, name: str = "scores", namespace: str = "ml-team-x", labels: Any = None, **parameters: Any) -> Composed:
        parameters = {"name": "training", **parameters}
        return rendered(ml_claim("MLPlatform", parameters, name=name, namespace=namespace, select={"provider": cloud}, labels=labels))

    return make


@pytest.fixture
def gpus(rendered: Callable[[str], Composed], ml_claim: Callable[..., str]) -> Platform:
    """Render a GPUCluster on a cloud."""

    def make(cloud: str, **parameters: Any) -> Composed:
        select = {"provider": cloud, "cluster-type": "gpu", "tier": "standard"}
        return rendered(ml_claim("GPUCluster", {"name": "training", **parameters}, select=select))

    return make


@pytest.mark.parametrize(
    ("cloud", "kinds"),
    [
        ("gcp", {"Network", "Subnetwork", "Cluster", "NodePool", "Bucket", "ServiceAccount"}),
        ("aws", {"VPC", "Subnet", "NATGateway", "Cluster", "NodeGroup", "Role", "Bucket", "BucketVersioning"}),
        ("azure", {"ResourceGroup", "VirtualNetwork", "Subnet", "KubernetesCluster", "KubernetesClusterNodePool", "Account", "Container"}),
    ],
)
def test_the_same_claim_becomes_a_platform_on_each_cloud(platform: Platform, gpus: Platform, cloud: str, kinds: set[str]) -> None:
    """Only compositionSelector.matchLabels.provider is another."""
    for make in (platform, gpus):
        made = make(cloud, gpuType="a100", region="europe-west4")
        assert kinds <= {body["kind"] for body in made.values()}
        assert {"network", "cluster", "node-pool", "bucket"} <= set(made), "the parts that the status tells of"


@pytest.mark.parametrize(
    ("cloud", "gpu", "machine"),
    [
        ("aws", "v100", "p3.2xlarge"),
        ("aws", "t4", "g4dn.xlarge"),
        ("aws", "a100", "p4d.24xlarge"),
        ("azure", "v100", "Standard_NC6s_v3"),
        ("azure", "t4", "Standard_NC4as_T4_v3"),
        ("azure", "a100", "Standard_NC24ads_A100_v4"),
        ("gcp", "v100", "n1-standard-8"),
        ("gcp", "t4", "n1-standard-8"),
        ("gcp", "a100", "a2-highgpu-1g"),
    ],
)
def test_a_gpu_type_chooses_the_machine(platform: Platform, gpus: Platform, cloud: str, gpu: str, machine: str) -> None:
    field = {"aws": "instanceTypes[0]", "azure": "vmSize", "gcp": "nodeConfig.machineType"}[cloud]
    for make in (platform, gpus):
        pool = at(make(cloud, gpuType=gpu)["node-pool"], "spec.forProvider")
        assert at(pool, field) == machine
        assert {"workload-type": "ml-training", "gpu-type": gpu} in (
            pool.get("labels"),
            pool.get("nodeLabels"),
            at(pool, "nodeConfig.labels"),
        )
        if cloud == "gcp":
            assert at(pool, "nodeConfig.guestAccelerator") == [
                {"count": 1, "type": f"nvidia-tesla-{gpu}", "gpuDriverInstallationConfig": {"gpuDriverVersion": "DEFAULT"}}
            ]


def test_a_platform_has_v100s_unless_the_claim_says_otherwise(platform: Platform) -> None:
    assert at(platform("aws")["node-pool"], "spec.forProvider.instanceTypes") == ["p3.2xlarge"]


def size(cloud: str, pool: dict[str, Any]) -> tuple[int, int, int]:
    least, first, most = {
        "aws": ("forProvider.scalingConfig.minSize", "initProvider.scalingConfig.desiredSize", "forProvider.scalingConfig.maxSize"),
        "azure": ("forProvider.minCount", "initProvider.nodeCount", "forProvider.maxCount"),
        "gcp": ("forProvider.autoscaling.minNodeCount", "initProvider.initialNodeCount", "forProvider.autoscaling.maxNodeCount"),
    }[cloud]
    return (at(pool["spec"], least), at(pool["spec"], first), at(pool["spec"], most))


@pytest.mark.parametrize("cloud", CLOUDS)
def test_nodes_are_as_many_as_was_promised(platform: Platform, gpus: Platform, cloud: str) -> None:
    assert size(cloud, platform(cloud)["node-pool"]) == (1, 2, 10)
    assert size(cloud, gpus(cloud)["node-pool"]) == (0, 0, 10)
    assert size(cloud, gpus(cloud, minNodes=2, maxNodes=7)["node-pool"]) == (2, 2, 7)


@pytest.mark.parametrize("cloud", CLOUDS)
def test_what_needs_no_gpu_stays_off_the_nodes_that_have_one(gpus: Platform, cloud: str) -> None:
    """And has nodes of its own: a cluster whose names cannot be resolved is none."""
    made = gpus(cloud)
    pool = at(made["node-pool"], "spec.forProvider")
    if cloud == "azure":
        assert pool["nodeTaints"] == ["nvidia.com/gpu=true:NoSchedule"]
        assert at(made["cluster"], "spec.forProvider.defaultNodePool.minCount") >= 1
    else:
        taint = pool["taint"] if cloud == "aws" else pool["nodeConfig"]["taint"]
        assert taint == [{"key": "nvidia.com/gpu", "value": "true", "effect": "NO_SCHEDULE"}]
        assert "taint" not in json.dumps(made["system-pool"])


@pytest.mark.parametrize(
    ("cloud", "region", "expected"),
    [
        ("gcp", "europe-west4", "europe-west4"),
        ("aws", "europe-west4", "eu-central-1"),
        ("azure", "europe-west4", "westeurope"),
        ("gcp", "us-east-1", "us-east4"),
        ("azure", "us-east-1", "eastus"),
        ("aws", "me-south-1", "me-south-1"),
        ("aws", None, "eu-central-1"),
        ("azure", None, "germanywestcentral"),
        ("gcp", None, "us-central1"),
    ],
)
def test_a_region_of_any_cloud_stands_for_the_nearest_one(platform: Platform, cloud: str, region: str | None, expected: str) -> None:
    made = platform(cloud, **({"region": region} if region else {}))
    cluster = at(made["cluster"], "spec.forProvider")
    assert cluster.get("region" if cloud == "aws" else "location") == expected
    regions = {
        at(body, f"spec.forProvider.{field}") for body in made.values() for field in ("region",) if "region" in body["spec"]["forProvider"]
    }
    assert regions <= {expected}


def test_the_regions_of_a_cloud_stand_for_themselves() -> None:
    for index, cloud in enumerate(CLOUDS):
        [transform] = [nearest(cloud)]  # type: ignore[arg-type]
        named = {pattern["regexp"].strip("^$") for pattern in transform["match"]["patterns"]}
        assert not named & {line[index] for line in NEAR}
        assert named >= {name for line in NEAR for name in line} - {line[index] for line in NEAR}


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_api_of_the_cluster_is_not_on_the_internet(platform: Platform, cloud: str) -> None:
    cluster = at(platform(cloud)["cluster"], "spec.forProvider")
    if cloud == "aws":
        assert (cluster["vpcConfig"]["endpointPublicAccess"], cluster["vpcConfig"]["endpointPrivateAccess"]) == (False, True)
    elif cloud == "azure":
        assert cluster["privateClusterEnabled"] is True
    else:
        assert [block["cidrBlock"] for block in cluster["masterAuthorizedNetworksConfig"]["cidrBlocks"]] == ["10.0.0.0/8"]


def statements(body: dict[str, Any], field: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(at(body, f"spec.forProvider.{field}"))["Statement"]
    return found


def test_eks_and_its_nodes_have_the_roles_that_they_need(platform: Platform) -> None:
    made = platform("aws")
    takers = {template: statements(made[template], "assumeRolePolicy")[0]["Principal"]["Service"] for template in made if template in ROLES}
    assert takers == ROLES
    attached = {
        (at(body, "spec.forProvider.roleSelector.matchLabels.role"), at(body, "spec.forProvider.policyArn").rpartition("/")[2])
        for body in made.values()
        if body["kind"] == "RolePolicyAttachment"
    }
    assert attached == {
        ("cluster", "AmazonEKSClusterPolicy"),
        ("nodes", "AmazonEKSWorkerNodePolicy"),
        ("nodes", "AmazonEKS_CNI_Policy"),
        ("nodes", "AmazonEC2ContainerRegistryPullOnly"),
        ("disks", "AmazonEBSCSIDriverPolicy"),
    }


ROLES = {
    "role-cluster": "eks.amazonaws.com",
    "role-nodes": "ec2.amazonaws.com",
    "role-disks": "pods.eks.amazonaws.com",
    "role-scaler": "pods.eks.amazonaws.com",
}


def selectors(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, dict[str, str]]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key.endswith("Selector"):
                yield key, inner.get("matchLabels", {})
            yield from selectors(inner, (*path, key))


POINTS_AT = {
    "bucketSelector": "Bucket",
    "roleSelector": "Role",
    "roleArnSelector": "Role",
    "nodeRoleArnSelector": "Role",
    "clusterSelector": "Cluster",
    "clusterNameSelector": "Cluster",
    "vpcIdSelector": "VPC",
    "subnetIdSelector": "Subnet",
    "routeTableIdSelector": "RouteTable",
    "gatewayIdSelector": "InternetGateway",
    "natGatewayIdSelector": "NATGateway",
    "allocationIdSelector": "EIP",
    "networkSelector": "Network",
    "subnetworkSelector": "Subnetwork",
    "serviceAccountSelector": "ServiceAccount",
    "resourceGroupNameSelector": "ResourceGroup",
    "virtualNetworkNameSelector": "VirtualNetwork",
    "vnetSubnetIdSelector": "Subnet",
    "virtualNetworkSubnetIdsSelector": "Subnet",
    "kubernetesClusterIdSelector": "KubernetesCluster",
    "storageAccountIdSelector": "Account",
}


@pytest.mark.parametrize("cloud", CLOUDS)
def test_every_selector_finds_what_it_is_for(platform: Platform, cloud: str) -> None:
    """One that finds nothing keeps its resource waiting for ever; one that finds two takes either. Only subnets may be several."""
    made = platform(cloud)
    for template, body in made.items():
        for selector, labels in selectors(body["spec"]["forProvider"]):
            found = [
                other
                for other in made.values()
                if other["kind"] == POINTS_AT[selector] and labels.items() <= other["metadata"]["labels"].items()
            ]
            several = selector == "subnetIdSelector" and labels == {"access": "private"}
            assert len(found) == (2 if several else 1), (template, selector, labels)


def test_nodes_on_aws_reach_the_internet_and_nobody_reaches_them(platform: Platform) -> None:
    made = platform("aws")
    assert "natGatewayIdSelector" in made["route-private"]["spec"]["forProvider"]
    assert "gatewayIdSelector" in made["route-public"]["spec"]["forProvider"]
    assert not [name for name, body in made.items() if body["spec"]["forProvider"].get("mapPublicIpOnLaunch")]
    zones = [at(made[f"subnet-private-{zone}"], "spec.forProvider.availabilityZone") for zone in "ab"]
    assert zones == ["eu-central-1a", "eu-central-1b"]


def test_the_bucket_on_aws_is_versioned_closed_and_open_to_the_nodes(platform: Platform) -> None:
    made = platform("aws")
    name = made["bucket"]["metadata"]["name"]
    assert name.endswith("-artifacts")
    assert at(made["bucket-versioning"], "spec.forProvider.versioningConfiguration.status") == "Enabled"
    [read_write, listing] = statements(made["role-nodes-policy"], "policy")
    assert (read_write["Resource"], listing["Resource"]) == (f"arn:aws:s3:::{name}/*", f"arn:aws:s3:::{name}")
    [refusal] = statements(made["bucket-policy"], "policy")
    assert (refusal["Effect"], refusal["Resource"]) == ("Deny", [f"arn:aws:s3:::{name}", f"arn:aws:s3:::{name}/*"])


def test_the_storage_account_is_reached_from_the_nodes_only(platform: Platform) -> None:
    made = platform("azure")
    account = at(made["bucket"], "spec.forProvider")
    assert (account["networkRules"]["defaultAction"], account["allowNestedItemsToBePublic"]) == ("Deny", False)
    assert account["blobProperties"]["versioningEnabled"] is True
    assert at(made["container"], "spec.forProvider.containerAccessType") == "private"
    assert at(made["subnetwork"], "spec.forProvider.serviceEndpoints") == ["Microsoft.Storage"]


def test_artifacts_of_a_gpu_cluster_go_after_90_days_and_those_of_a_platform_stay(platform: Platform, gpus: Platform) -> None:
    assert at(gpus("gcp")["bucket"], "spec.forProvider.lifecycleRule") == [{"action": {"type": "Delete"}, "condition": {"age": 90}}]
    days = [rule["expiration"] for rule in at(gpus("aws")["bucket-lifecycle"], "spec.forProvider.rule") if "expiration" in rule]
    assert days == [[{"days": 90}]]
    assert "baseBlob" in at(gpus("azure")["bucket-lifecycle"], "spec.forProvider.rule[0].actions")
    assert at(platform("gcp")["bucket"], "spec.forProvider.versioning.enabled") is True
    assert "expiration" not in json.dumps(platform("aws")["bucket-lifecycle"]["spec"]).replace("noncurrentVersionExpiration", "")
    assert "baseBlob" not in json.dumps(platform("azure")["bucket-lifecycle"])


def test_the_kubeconfig_of_eks_holds_no_secret(observed: Callable[..., Composed], ml_claim: Callable[..., str]) -> None:
    """It is made once the cluster's address is known; the AWS command line brings a token of whoever uses it."""
    claim = ml_claim("MLPlatform", {"name": "training"}, select={"provider": "aws"})
    assert "platform.acme.com/kubeconfig" not in at(observed(claim, "ml-platform-aws", {})["cluster"], "metadata.annotations")
    status = {"endpoint": "https://eks", "certificate": "Q0E=", "clusterName": "training-1", "region": "eu-central-1"}
    text = at(observed(claim, "ml-platform-aws", status)["cluster"], "metadata.annotations[platform.acme.com/kubeconfig]")
    [config] = load_text(text)
    body: Any = config.body
    assert body["clusters"][0]["cluster"] == {"server": "https://eks", "certificate-authority-data": "Q0E="}
    assert body["users"][0]["user"]["exec"]["args"] == ["eks", "get-token", "--cluster-name", "training-1", "--region", "eu-central-1"]


UNTAGGED = {
    "Network", "Subnetwork", "ServiceAccount", "ProjectIAMMember", "BucketIAMMember", "RolePolicyAttachment", "RolePolicy", "Route",
    "RouteTableAssociation", "BucketVersioning", "BucketServerSideEncryptionConfiguration", "BucketOwnershipControls",
    "BucketPublicAccessBlock", "BucketLifecycleConfiguration", "BucketPolicy", "Container", "ManagementPolicy",
}  # fmt: skip
"""Kinds without labels or tags; a subnet of Azure has none either."""


@pytest.mark.parametrize("cloud", CLOUDS)
def test_whatever_can_be_labelled_says_whose_it_is(platform: Platform, cloud: str) -> None:
    for template, body in platform(cloud, labels={"environment": "staging"}).items():
        if body["kind"] in UNTAGGED or (cloud, template) == ("azure", "subnetwork"):
            continue
        settings = body["spec"]["forProvider"]
        tags = settings.get("tags") or settings.get("resourceLabels") or settings.get("labels")
        if body["kind"] == "NodePool":
            tags = settings["nodeConfig"]["resourceLabels"]
        assert {**OWNERS, "environment": "staging"}.items() <= tags.items(), template


@pytest.mark.parametrize("cloud", CLOUDS)
def test_production_is_protected(platform: Platform, cloud: str) -> None:
    made = platform(cloud, labels={"environment": "production"})
    for template in ("cluster", "bucket"):
        assert "Delete" not in made[template]["spec"]["managementPolicies"]
    if cloud != "azure":  # the provider has no such field there
        assert at(made["cluster"], "spec.forProvider.deletionProtection") is True
        assert at(platform(cloud)["cluster"], "spec.forProvider.deletionProtection") is False


LIMITS = {
    "Cluster": 40, "NodePool": 40, "ServiceAccount": 30, "Bucket": 63, "Role": 64, "NodeGroup": 63, "KubernetesCluster": 63,
    "Account": 24, "Container": 63, "ResourceGroup": 90,
}  # fmt: skip


@pytest.mark.parametrize("cloud", CLOUDS)
def test_names_are_unique_and_short_enough(platform: Platform, cloud: str) -> None:
    """Names of buckets and accounts are known in the whole world; "a" + "b-c" and "a-b" + "c" are confused by joining with a hyphen."""
    claims = [("a", "n"), ("a", "m"), ("b-c", "a"), ("c", "a-b"), ("x" * 60, "y" * 63)]
    made = [platform(cloud, name=claim, namespace=namespace, region="us-central1") for claim, namespace in claims]
    long = [{**at(body, "metadata"), "kind": body["kind"]} for one in made for body in one.values()]
    names = [(body["kind"], body["name"]) for body in long]
    assert len(set(names)) == len(names)
    assert {name: len(name) for kind, name in names if len(name) > LIMITS.get(kind, 250)} == {}


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_longest_name_that_the_api_allows_is_short_enough(
    rendered: Callable[[str], Composed], ml_claim: Callable[..., str], cloud: str
) -> None:
    made = rendered(ml_claim("MLPlatform", {"name": "t" + "-a" * 14 + "b"}, select={"provider": cloud}))
    assert {body["metadata"]["name"] for body in made.values() if len(body["metadata"]["name"]) > LIMITS.get(body["kind"], 250)} == set()
    if cloud == "azure":
        assert made["bucket"]["metadata"]["name"].isalnum()


@pytest.mark.parametrize("parameters", [{"gpuType": "h100"}, {"name": "Training"}, {"region": "US"}, {"maxNodes": 3}])
def test_what_the_api_does_not_allow_is_refused(
    ml_claim: Callable[..., str], platform_schemas: Schemas, parameters: dict[str, Any]
) -> None:
    [claim] = load_text(ml_claim("MLPlatform", {"name": "a", **parameters}))
    assert platform_schemas.validate(claim.body)
