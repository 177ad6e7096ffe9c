"""What a ModelService on Google Cloud becomes: the same servers, entrance and options, on a bucket and an account of Google."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crossgate.model import Document
from crossgate.paths import MISSING, follow
from crossgate.render import compile_composition
from crossgate.render.fieldpath import parse

Composed = dict[str, dict[str, Any]]
BUCKET = "model-artifacts-ml-team-x-scores"


def at(body: dict[str, Any], path: str) -> Any:
    return follow(body, parse(path))


@pytest.fixture
def on_google(service: Callable[..., Composed]) -> Callable[..., Composed]:
    def make(spec: dict[str, Any] | None = None, **names: str) -> Composed:
        return service({**(spec or {}), "compositionSelector": {"matchLabels": {"provider": "gcp"}}}, **names)

    return make


def container(made: Composed) -> dict[str, Any]:
    [server] = at(made["Deployment deployment"], "spec.template.spec.containers")
    assert isinstance(server, dict)
    return server


def test_the_bucket_is_private_and_versioned(on_google: Callable[..., Composed]) -> None:
    bucket = on_google()["bucket"]
    assert (bucket["metadata"]["name"], bucket["apiVersion"]) == (BUCKET, "storage.gcp.upbound.io/v1beta2")
    assert at(bucket, "spec.forProvider.publicAccessPrevention") == "enforced"
    assert at(bucket, "spec.forProvider.versioning.enabled") is True


def test_only_the_service_account_of_the_claim_acts_as_the_account_and_may_only_read(on_google: Callable[..., Composed]) -> None:
    made = on_google()
    account = made["account"]["metadata"]["name"]
    assert at(made["account-user"], "spec.forProvider.member") == "serviceAccount:acme-ml-platform.svc.id.goog[ml-team-x/scores]"
    assert at(made["account-user"], "spec.forProvider.role") == "roles/iam.workloadIdentityUser"
    assert at(made["bucket-access"], "spec.forProvider.member") == f"serviceAccount:{account}@acme-ml-platform.iam.gserviceaccount.com"
    assert at(made["bucket-access"], "spec.forProvider.role") == "roles/storage.objectViewer"


def test_the_account_is_annotated_as_soon_as_it_is_known(
    platform_documents: tuple[Document, ...], composite: Callable[..., dict[str, Any]]
) -> None:
    bodies: list[Any] = [document.body for document in platform_documents]
    [composition] = [body for body in bodies if body["metadata"]["name"] == "modelservice.gcp.platform.acme.com"]
    environments = [body for body in bodies if body["kind"] == "EnvironmentConfig"]
    for status, expected in (({}, None), ({"roleArn": "a@b"}, {"iam.gke.io/gcp-service-account": "a@b"})):
        made = compile_composition(composition).render({**composite(), "status": status}, required=environments, legacy=True)
        accounts = [resource.body for resource in made.resources if resource.template == "service-account"]
        assert [at(body, "spec.forProvider.manifest.metadata.annotations") for body in accounts] == ([expected] if expected else [])


def test_the_server_reads_its_model_from_the_mounted_bucket(on_google: Callable[..., Composed]) -> None:
    """The server speaks S3 or reads a folder; it checks the digest of both."""
    made = on_google({"modelSha256": "ab" * 32})
    server, pod = container(made), at(made["Deployment deployment"], "spec.template")
    assert server["args"] == ["run", "/bucket/folder/model.safetensors"]
    assert {"name": "MODEL_SHA256", "value": "ab" * 32} in server["env"]
    assert not [variable for variable in server["env"] if variable["name"].startswith(("S3_", "AWS_"))]
    [volume] = [volume for volume in pod["spec"]["volumes"] if "csi" in volume]
    assert (volume["csi"]["driver"], volume["csi"]["readOnly"]) == ("gcsfuse.csi.storage.gke.io", True)
    assert volume["csi"]["volumeAttributes"]["bucketName"] == BUCKET
    [mount] = [mount for mount in server["volumeMounts"] if mount["name"] == volume["name"]]
    assert mount == {"name": "bucket", "mountPath": "/bucket", "readOnly": True}
    assert pod["metadata"]["annotations"]["gke-gcsfuse/volumes"] == "true"


@pytest.mark.parametrize(
    ("instance", "selector"),
    [
        ("c5.large", {"node.kubernetes.io/instance-type": "e2-standard-2"}),
        (
            "g4dn.xlarge",
            {"node.kubernetes.io/instance-type": "n1-standard-4", "cloud.google.com/gke-accelerator": "nvidia-tesla-t4"},
        ),
        (
            "p3.2xlarge",
            {"node.kubernetes.io/instance-type": "n1-highmem-8", "cloud.google.com/gke-accelerator": "nvidia-tesla-v100"},
        ),
    ],
)
def test_an_instance_type_stands_for_the_machine_of_google_that_has_the_same(
    on_google: Callable[..., Composed], instance: str, selector: dict[str, str]
) -> None:
    made = on_google({"compute": {"instanceType": instance, "replicas": 1}})
    assert at(made["Deployment deployment"], "spec.template.spec.nodeSelector") == selector
    gpus = container(made)["resources"]["limits"].get("nvidia.com/gpu")
    assert gpus == (None if instance == "c5.large" else "1")


def test_pods_reach_the_server_that_gives_them_their_token(on_google: Callable[..., Composed]) -> None:
    """A team's namespace denies what no policy allows, and GKE's metadata server is neither DNS nor on port 443."""
    made = on_google({"artifactSource": "s3://acme-models-x/y"})
    for policy in ("NetworkPolicy network-policy", "NetworkPolicy copy-network-policy"):
        blocks = [to["ipBlock"]["cidr"] for entry in made[policy]["spec"]["egress"] for to in entry.get("to", [])]
        assert "169.254.169.254/32" in blocks


def test_keys_limit_and_budget_are_those_of_every_cloud(on_google: Callable[..., Composed], service: Callable[..., Composed]) -> None:
    spec = {
        "compute": {"instanceType": "c5.large", "replicas": 2},
        "api": {"path": "/a", "authentication": {"method": "key-auth", "callers": ["b"]}, "rateLimit": {"requestsPerMinute": 9}},
    }
    google, amazon = on_google(spec), service(spec)
    shared = {"Service", "Ingress", "KongPlugin", "KongConsumer", "ExternalSecret", "PodDisruptionBudget", "HorizontalPodAutoscaler"}
    for template, body in amazon.items():
        if body["kind"] in shared:
            assert google[template] == body


def test_the_copy_writes_the_bucket_by_an_account_of_its_own(on_google: Callable[..., Composed]) -> None:
    made = on_google({"artifactSource": "s3://acme-models-x/y/"})
    job = at(made["Job copy-job"], "spec.template.spec")
    [copy] = job["containers"]
    assert job["serviceAccountName"] == "scores-copy"
    assert at(made["copy-account-in-cloud-user"], "spec.forProvider.member").endswith("[ml-team-x/scores-copy]")
    assert at(made["copy-access"], "spec.forProvider.bucket") == BUCKET
    env = {variable["name"]: variable for variable in copy["env"]}
    assert (env["SOURCE"]["value"], env["BUCKET"]["value"]) == ("s3://acme-models-x/y/", BUCKET)
    brought = made["ExternalSecret artifact-reader"]["spec"]
    for variable in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        reference = env[variable]["valueFrom"]["secretKeyRef"]
        assert reference == {"name": brought["target"]["name"], "key": variable}
        assert variable in [entry["secretKey"] for entry in brought["data"]]
    assert at(container(made), "env") is not MISSING


def test_who_asks_for_a_cache_is_told_that_there_is_none(
    platform_documents: tuple[Document, ...], composite: Callable[..., dict[str, Any]]
) -> None:
    bodies: list[Any] = [document.body for document in platform_documents]
    [composition] = [body for body in bodies if body["metadata"]["name"] == "modelservice.gcp.platform.acme.com"]
    environments = [body for body in bodies if body["kind"] == "EnvironmentConfig"]
    compiled = compile_composition(composition)
    told = compiled.render(composite({"cache": {"engine": "redis"}}), required=environments, legacy=True)
    assert at(told.xr, "status.parts.cache") == "There is no cache on Google Cloud; the service runs without one."
    silent = compiled.render(composite(), required=environments, legacy=True)
    assert at(silent.xr, "status.parts.cache") is MISSING


def test_names_in_the_cloud_keep_to_its_limits(on_google: Callable[..., Composed]) -> None:
    made = on_google({"artifactSource": "s3://acme-models-a/b"}, namespace="n" * 63, name="n" * 40)
    limits = {"bucket": 63, "account": 30, "copy-account-in-cloud": 30}
    assert {
        template: made[template]["metadata"]["name"] for template in limits if len(made[template]["metadata"]["name"]) > limits[template]
    } == {}
