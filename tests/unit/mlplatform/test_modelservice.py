"""What every ModelService on AWS becomes, point by point as the catalogue promises it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from typing import Any

import pytest

from crossgate.model import Document
from crossgate.paths import follow
from crossgate.render import compile_composition
from crossgate.render.fieldpath import parse

Service = Callable[..., dict[str, dict[str, Any]]]

ISSUER = "oidc.eks.eu-central-1.amazonaws.com/id/EXAMPLED539D4633E53DE1B71EXAMPLE"
BUCKET = "model-artifacts-ml-team-x-scores"


def at(body: dict[str, Any], path: str) -> Any:
    return follow(body, parse(path))


def container(made: dict[str, dict[str, Any]]) -> dict[str, Any]:
    [server] = at(made["Deployment deployment"], "spec.template.spec.containers")
    assert isinstance(server, dict)
    return server


def test_the_bucket_is_versioned_private_and_encrypted_by_resources_of_its_own(service: Service) -> None:
    made = service()
    bucket = made["bucket"]
    assert bucket["metadata"]["name"] == BUCKET
    assert at(bucket, "spec.forProvider.tags") == {"team": "x", "owner": "jane-doe", "cost-center": "cc-1", "modelService": "scores"}
    assert set(bucket["spec"]["forProvider"]) == {"forceDestroy", "region", "tags"}, (
        "acl and versioningConfiguration are no fields any more"
    )
    assert at(made["bucket-versioning"], "spec.forProvider.versioningConfiguration.status") == "Enabled"
    assert at(made["bucket-ownership"], "spec.forProvider.rule.objectOwnership") == "BucketOwnerEnforced"
    [rule] = at(made["bucket-encryption"], "spec.forProvider.rule")
    assert at(rule, "applyServerSideEncryptionByDefault.sseAlgorithm") == "aws:kms"
    access = at(made["bucket-public-access"], "spec.forProvider")
    for field in ("blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets"):
        assert access[field] is True
    for part in ("versioning", "ownership", "encryption", "public-access", "lifecycle", "policy"):
        assert at(made[f"bucket-{part}"], "spec.forProvider.bucketSelector") == {"matchControllerRef": True}


def test_only_the_service_account_of_the_claim_can_take_the_role(service: Service) -> None:
    trust = json.loads(at(service()["role"], "spec.forProvider.assumeRolePolicy"))
    assert trust["Statement"] == [
        {
            "Effect": "Allow",
            "Principal": {"Federated": f"arn:aws:iam::111122223333:oidc-provider/{ISSUER}"},
            "Action": "sts:AssumeRoleWithWebIdentity",
            "Condition": {
                "StringEquals": {f"{ISSUER}:aud": "sts.amazonaws.com", f"{ISSUER}:sub": "system:serviceaccount:ml-team-x:scores"},
            },
        }
    ]


def test_the_role_may_read_its_bucket_and_nothing_else(service: Service) -> None:
    policy = json.loads(at(service()["role-policy"], "spec.forProvider.policy"))
    assert policy["Statement"] == [
        {"Effect": "Allow", "Action": ["s3:GetObject", "s3:GetObjectVersion"], "Resource": f"arn:aws:s3:::{BUCKET}/*"},
        {"Effect": "Allow", "Action": "s3:ListBucket", "Resource": f"arn:aws:s3:::{BUCKET}"},
    ]


def test_plain_http_to_the_bucket_is_refused(service: Service) -> None:
    [statement] = json.loads(at(service()["bucket-policy"], "spec.forProvider.policy"))["Statement"]
    assert statement["Effect"] == "Deny"
    assert statement["Resource"] == [f"arn:aws:s3:::{BUCKET}", f"arn:aws:s3:::{BUCKET}/*"]
    assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


@pytest.mark.parametrize(
    ("instance", "gpus", "device"), [("c5.large", None, "cpu"), ("g4dn.xlarge", "1", "cuda"), ("p3.2xlarge", "1", "cuda")]
)
def test_the_instance_type_chooses_node_gpu_and_toleration(service: Service, instance: str, gpus: str | None, device: str) -> None:
    made = service({"compute": {"instanceType": instance, "replicas": 3}})
    deployment, server = made["Deployment deployment"], container(made)
    assert at(deployment, "spec.replicas") == 3
    assert at(deployment, "spec.template.spec.nodeSelector") == {"node.kubernetes.io/instance-type": instance}
    assert server["resources"]["limits"].get("nvidia.com/gpu") == gpus
    tolerations = at(deployment, "spec.template.spec").get("tolerations")
    assert tolerations == ([{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}] if gpus else None)
    assert {"name": "DEVICE", "value": device} in server["env"]
    for kind in ("requests", "limits"):
        assert {"cpu", "memory"} <= set(server["resources"][kind])


def test_the_server_gets_what_it_reads_from_the_environment(service: Service) -> None:
    made = service()
    env = {variable["name"]: variable for variable in container(made)["env"]}
    assert at(env["S3_BUCKET_NAME"], "valueFrom.secretKeyRef") == {"name": "scores-bucket", "key": "bucketName"}
    assert made["Secret connection"]["metadata"]["name"] == "scores-bucket"
    assert made["Secret connection"]["stringData"] == {"bucketName": BUCKET}
    assert env["MODEL_PATH"]["value"] == "folder/model.safetensors"
    assert env["AWS_REGION"]["value"] == "eu-central-1"
    assert "MODEL_SHA256" not in env
    assert "CACHE_URL" not in env


def test_a_digest_reaches_the_server(service: Service) -> None:
    assert {"name": "MODEL_SHA256", "value": "ab" * 32} in container(service({"modelSha256": "ab" * 32}))["env"]


def test_the_server_runs_without_rights_and_without_a_writable_root(service: Service) -> None:
    made = service()
    pod, server = at(made["Deployment deployment"], "spec.template.spec"), container(made)
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["runAsUser"] > 0
    assert server["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    writable = {mount["mountPath"] for mount in server["volumeMounts"]}
    assert {variable["value"] for variable in server["env"] if variable["name"] == "MODEL_DIR"} < writable
    assert all("emptyDir" in volume for volume in pod["volumes"])


def test_probes_port_and_drain_are_those_of_the_server(service: Service) -> None:
    made = service()
    pod, server = at(made["Deployment deployment"], "spec.template.spec"), container(made)
    assert server["name"] == "inference-server"
    assert server["ports"] == [{"name": "http", "containerPort": 8000}]
    assert server["readinessProbe"]["httpGet"] == {"path": "/readyz", "port": "http"}
    assert server["livenessProbe"]["httpGet"] == {"path": "/healthz", "port": "http"}
    [drain] = [float(variable["value"]) for variable in server["env"] if variable["name"] == "DRAIN_SECONDS"]
    assert pod["terminationGracePeriodSeconds"] > drain + 5 + 11, "traffic that does not stop, and the last request, come on top"


def test_servers_are_spread_over_zones(service: Service) -> None:
    spread = at(service()["Deployment deployment"], "spec.template.spec.topologySpreadConstraints")
    assert "topology.kubernetes.io/zone" in [constraint["topologyKey"] for constraint in spread]
    assert all(constraint["labelSelector"]["matchLabels"] == {"platform.acme.com/modelservice": "scores"} for constraint in spread)


def test_all_selectors_find_the_pods_of_their_own_service_only(service: Service) -> None:
    made = service({"compute": {"instanceType": "c5.large", "replicas": 2}})
    mine = {"platform.acme.com/modelservice": "scores"}
    assert at(made["Deployment deployment"], "spec.template.metadata.labels") == mine
    assert at(made["Deployment deployment"], "spec.selector.matchLabels") == mine
    assert at(made["Service service"], "spec.selector") == mine
    assert at(made["NetworkPolicy network-policy"], "spec.podSelector.matchLabels") == mine
    assert at(made["PodDisruptionBudget disruption-budget"], "spec.selector.matchLabels") == mine
    assert at(made["ServiceMonitor service-monitor"], "spec.selector.matchLabels") == made["Service service"]["metadata"]["labels"]


def test_service_and_ingress_lead_from_the_path_to_the_port(service: Service) -> None:
    made = service()
    [port] = at(made["Service service"], "spec.ports")
    assert (port["port"], port["targetPort"]) == (80, "http")
    ingress = made["Ingress ingress"]
    assert at(ingress, "spec.ingressClassName") == "kong"
    assert at(ingress, "metadata.annotations[konghq.com/strip-path]") == "true"
    [rule] = at(ingress, "spec.rules")
    [path] = rule["http"]["paths"]
    assert (rule["host"], path["path"]) == ("models.acme.com", "/a/b")
    assert path["backend"]["service"] == {"name": "scores", "port": {"number": 80}}


@pytest.mark.parametrize("method", ["key-auth", "none"])
@pytest.mark.parametrize("limit", [None, 60])
def test_plugins_are_named_only_when_they_are_asked_for(service: Service, method: str, limit: int | None) -> None:
    api = {"path": "/a", "authentication": {"method": method}, **({"rateLimit": {"requestsPerMinute": limit}} if limit else {})}
    made = service({"api": api})
    route = made["Ingress ingress"]["metadata"]["annotations"].get("konghq.com/plugins")
    assert route == ("scores-key-auth,scores-acl" if method == "key-auth" else None)
    front = made["Service service"]["metadata"].get("annotations", {}).get("konghq.com/plugins")
    assert front == ("scores-rate-limit" if limit else None)
    named = {*(route or "").split(","), *(front or "").split(",")} - {""}
    assert named <= {body["metadata"]["name"] for template, body in made.items() if template.startswith("KongPlugin ")}
    assert ("KongPlugin rate-limit-plugin" in made) == bool(limit)
    if limit:
        assert made["KongPlugin rate-limit-plugin"]["plugin"] == "rate-limiting"
        assert at(made["KongPlugin rate-limit-plugin"], "config.minute") == limit


def test_the_ingress_waits_for_its_plugins(service: Service) -> None:
    """Kong opens a route whose plugin it does not find."""
    references = at(service()["ingress"], "spec.references")
    assert [(one["dependsOn"]["kind"], one["dependsOn"]["name"]) for one in references] == [
        ("KongPlugin", "scores-key-auth"),
        ("KongPlugin", "scores-acl"),
    ]


def test_one_object_wraps_one_object(service: Service) -> None:
    made = service({"compute": {"instanceType": "c5.large", "replicas": 2}})
    wrapped = [body for body in made.values() if body["kind"] == "Object"]
    assert {body["apiVersion"] for body in wrapped} == {"kubernetes.crossplane.io/v1alpha2"}
    assert all(not at(body, "spec.forProvider.manifest.kind").endswith("List") for body in wrapped)


def test_the_autoscaler_stays_between_replicas_and_what_the_claim_allows(service: Service) -> None:
    fixed = service({"compute": {"instanceType": "c5.large", "replicas": 3}})["HorizontalPodAutoscaler autoscaler"]["spec"]
    assert (fixed["minReplicas"], fixed["maxReplicas"]) == (3, 3)
    free = service({"compute": {"instanceType": "c5.large", "replicas": 3, "maxReplicas": 9}})["HorizontalPodAutoscaler autoscaler"]["spec"]
    assert (free["minReplicas"], free["maxReplicas"]) == (3, 9)
    assert free["scaleTargetRef"] == {"apiVersion": "apps/v1", "kind": "Deployment", "name": "scores"}


def test_bucket_names_are_short_and_never_shared(
    composite: Callable[..., dict[str, Any]], platform_documents: tuple[Document, ...]
) -> None:
    """A bucket's name is known in the whole world; "a" + "b-c" and "a-b" + "c" are the pairs that joining with a hyphen confuses."""
    words = ["a", "b", "a-b", "ml", "team", "team-a", "ml-team", "ml-team-a", "ml-team-a-b", "deadbeef", "x" * 30, "x" * 31 + "-y"]
    bodies: list[Any] = [document.body for document in platform_documents]
    [composition] = [body for body in bodies if body["metadata"]["name"] == "modelservice.aws.platform.acme.com"]
    compiled = compile_composition(composition)
    environments = [body for body in bodies if body["kind"] == "EnvironmentConfig"]
    names = {}
    for namespace, name in itertools.product([*words, "y" * 63], [*words, "y" * 40]):
        made = compiled.render(composite(namespace=namespace, name=name), required=environments, legacy=True)
        [names[namespace, name]] = [body["metadata"]["name"] for body in made.composed if body["kind"] == "Bucket"]
    assert len(set(names.values())) == len(names)
    assert max(map(len, names.values())) <= 63
    assert names["ml-team-a", "b"] == "model-artifacts-ml-team-a-b"


def test_names_in_the_cloud_keep_to_its_limits(service: Service) -> None:
    spec = {"cache": {}, "artifactSource": "s3://acme-models-a/b"}
    made = service(spec, namespace="n" * 63, name="n" * 40)
    limits = {"bucket": 63, "role": 64, "copy-role": 64, "role-policy": 128, "replication-group": 40, "cache-subnets": 255}
    assert {template: name for template in limits if len(name := made[template]["metadata"]["name"]) > limits[template]} == {}
    assert len(made["Job copy-job"]["metadata"]["name"]) <= 63
