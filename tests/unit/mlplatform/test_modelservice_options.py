"""What a ModelService has only when its claim asks: each option comes, goes, and never keeps the service from being ready."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import crossgate
from crossgate.load import load_paths
from crossgate.model import Document, Role
from crossgate.render.estate import expand
from crossgate.schema import Schemas

Service = Callable[..., dict[str, dict[str, Any]]]

OPTIONS = ("callers", "rate-limit", "budget", "copy", "cache")
NOTHING = "modelservice-nothing.platform.acme.com"
EVERYTHING: dict[str, Any] = {
    "compute": {"instanceType": "g4dn.xlarge", "replicas": 2},
    "api": {"path": "/a", "authentication": {"method": "key-auth", "callers": ["b", "c"]}, "rateLimit": {"requestsPerMinute": 60}},
    "cache": {"engine": "redis", "nodeType": "cache.t4g.small", "nodes": 2},
    "artifactSource": "s3://acme-models-x/folder/",
}
LEAST: dict[str, Any] = {
    "compute": {"instanceType": "c5.large", "replicas": 1},
    "api": {"path": "/a", "authentication": {"method": "none"}},
}
OF_AN_OPTION = {
    "ReplicationGroup", "SubnetGroup", "SecurityGroup", "SecurityGroupRule", "Job", "KongConsumer", "ExternalSecret", "PodDisruptionBudget",
}  # fmt: skip


def choices(made: dict[str, dict[str, Any]]) -> dict[str, str]:
    return {name: made[name]["spec"]["compositionRef"]["name"] for name in OPTIONS}


def test_a_service_that_asks_for_nothing_has_no_options(service: Service) -> None:
    made = service(LEAST)
    assert set(choices(made).values()) == {NOTHING}
    assert not {body["kind"] for body in made.values()} & OF_AN_OPTION
    assert [body["metadata"]["name"] for body in made.values() if body["kind"] == "KongPlugin"] == ["scores-key-auth", "scores-acl"]


def test_a_service_that_asks_for_everything_has_all_of_it(service: Service) -> None:
    made = service(EVERYTHING)
    assert NOTHING not in choices(made).values()
    assert {body["kind"] for body in made.values()} >= OF_AN_OPTION


@pytest.mark.parametrize(
    ("asked", "option"),
    [
        ({"cache": {}}, "cache"),
        ({"artifactSource": "s3://acme-models-x/a"}, "copy"),
        ({"api": {"path": "/a", "authentication": {"method": "none"}, "rateLimit": {"requestsPerMinute": 1}}}, "rate-limit"),
        ({"api": {"path": "/a"}}, "callers"),
        ({"compute": {"instanceType": "c5.large", "replicas": 2}}, "budget"),
    ],
)
def test_each_option_comes_alone(service: Service, asked: dict[str, Any], option: str) -> None:
    made = choices(service(LEAST | asked))
    assert [name for name, composition in made.items() if composition != NOTHING] == [option]


def test_an_empty_rate_limit_is_none(service: Service) -> None:
    """requestsPerMinute is optional in its section."""
    made = service(LEAST | {"api": {"path": "/a", "authentication": {"method": "none"}, "rateLimit": {}}})
    assert choices(made)["rate-limit"] == NOTHING


def test_callers_are_the_owner_and_the_teams_of_the_claim_each_with_a_key(service: Service) -> None:
    made = service(EVERYTHING)
    consumers = [body for body in made.values() if body["kind"] == "KongConsumer"]
    assert [body["username"] for body in consumers] == [f"{team}.scores.ml-team-x" for team in ("x", "b", "c")]
    secrets = {body["spec"]["target"]["name"]: body["spec"] for body in made.values() if body["kind"] == "ExternalSecret"}
    for team, body in zip(("x", "b", "c"), consumers, strict=True):
        key, group = body["credentials"]
        assert secrets[key]["data"][0]["remoteRef"] == {"key": f"modelservice/ml-team-x/scores/{team}", "property": "key"}
        assert secrets[key]["secretStoreRef"] == {"kind": "ClusterSecretStore", "name": "platform"}
        assert secrets[key]["target"]["template"]["metadata"]["labels"] == {"konghq.com/credential": "key-auth"}
        [member] = [one for one in made.values() if one["kind"] == "Secret" and one["metadata"]["name"] == group]
        assert [member["stringData"]["group"]] == made["KongPlugin acl"]["config"]["allow"], "the key opens this service and no other"


@pytest.mark.parametrize("others", range(5))
def test_there_are_as_many_consumers_as_callers(service: Service, others: int) -> None:
    authentication = {"method": "key-auth", **({"callers": [f"t{number}" for number in range(others)]} if others else {})}
    made = service(LEAST | {"api": {"path": "/a", "authentication": authentication}})
    assert sum(body["kind"] == "KongConsumer" for body in made.values()) == others + 1


def test_the_copy_reads_the_source_and_writes_the_bucket_by_a_role_of_its_own(service: Service) -> None:
    made = service(EVERYTHING)
    job = made["Job copy-job"]["spec"]["template"]["spec"]
    env = {variable["name"]: variable["value"] for variable in job["containers"][0]["env"]}
    assert env["SOURCE"] == "s3://acme-models-x/folder/"
    assert (env["BUCKET"], env["KEY"]) == (made["bucket"]["metadata"]["name"], "folder/model.safetensors")
    assert job["serviceAccountName"] == made["ServiceAccount copy-account"]["metadata"]["name"] == "scores-copy"
    trust = json.loads(made["copy-role"]["spec"]["forProvider"]["assumeRolePolicy"])
    assert "system:serviceaccount:ml-team-x:scores-copy" in trust["Statement"][0]["Condition"]["StringEquals"].values()
    read, refused, write = json.loads(made["copy-role-policy"]["spec"]["forProvider"]["policy"])["Statement"]
    assert read["Resource"] == ["arn:aws:s3:::acme-models-x", "arn:aws:s3:::acme-models-x/*"]
    assert refused["Effect"] == "Deny"
    assert refused["NotResource"] == ["arn:aws:s3:::acme-models-*", "arn:aws:s3:::acme-models-*/*"], "a claim cannot copy what it likes"
    assert write["Resource"] == f"arn:aws:s3:::{made['bucket']['metadata']['name']}/*"


def test_another_source_is_another_job(service: Service) -> None:
    """A Job cannot be changed."""
    sources = ["s3://acme-models-x/a", "s3://acme-models-x/b"]
    names = [service(LEAST | {"artifactSource": source})["Job copy-job"]["metadata"]["name"] for source in sources]
    names.append(service(LEAST | {"artifactSource": sources[0]}, name="other")["Job copy-job"]["metadata"]["name"])
    assert len(set(names)) == 3


def test_requests_are_never_sent_to_the_copy(service: Service) -> None:
    made = service(EVERYTHING)
    labels = made["Job copy-job"]["spec"]["template"]["metadata"]["labels"]
    assert not set(made["Service service"]["spec"]["selector"].items()) <= set(labels.items())
    assert made["NetworkPolicy copy-network-policy"]["spec"]["podSelector"]["matchLabels"] == labels


@pytest.mark.parametrize(("nodes", "spread"), [(1, False), (2, True), (6, True)])
def test_a_cache_of_several_nodes_survives_a_zone(service: Service, nodes: int, spread: bool) -> None:
    settings = service(LEAST | {"cache": {"nodes": nodes}})["replication-group"]["spec"]["forProvider"]
    assert (settings["numCacheClusters"], settings["automaticFailoverEnabled"], settings["multiAzEnabled"]) == (nodes, spread, spread)
    assert settings["transitEncryptionEnabled"] is True
    assert settings["authTokenSecretRef"] == {"name": "scores-cache", "namespace": "ml-team-x", "key": "token"}


def test_the_first_versions_claims_are_still_valid(root: Path, platform_documents: tuple[Document, ...], platform_schemas: Schemas) -> None:
    """A section that is added to the API must not break a claim that stands in a cluster."""
    first = load_paths([Path(__file__).parent / "first_claims"], root=root).documents
    assert first
    for claim in first:
        assert platform_schemas.validate(claim.body) == []
    estate = expand(first, platform_schemas, platform=platform_documents)
    assert not estate.judgement.could_not_check
    assert not estate.judgement.findings
    assert "Deployment" in {resource.body["kind"] for resource in estate.resources}


class Cluster:
    """Crossplane, and providers whose resources are ready at once, for one XR and what it composes, nested XRs too."""

    def __init__(self, documents: tuple[Document, ...]) -> None:
        bodies: list[Any] = [document.body for document in documents]
        self.compositions = {body["metadata"]["name"]: body for body in bodies if body["kind"] == "Composition"}
        self.environments = [body for body in bodies if body["kind"] == "EnvironmentConfig"]
        self.composed: dict[str, list[dict[str, Any]]] = {}
        self.status: dict[str, dict[str, Any]] = {}

    def reconcile(self, xr: dict[str, Any]) -> dict[str, Any]:
        """Render the XR until nothing changes, and return its status; what is no longer desired is deleted."""
        name = xr["metadata"]["name"]
        for _ in range(6):
            composition = self.compositions[xr["spec"]["compositionRef"]["name"]]
            current = {**xr, "status": self.status.get(name, {})}
            made = crossgate.render(current, composition, observed=self.composed.get(name, []), required=self.environments, legacy=True)
            self.composed[name] = [self.made(body) for body in made.composed]
            self.status[name] = made.xr.get("status", {})
        return self.status[name]

    def made(self, body: dict[str, Any]) -> dict[str, Any]:
        if body["kind"] == "XModelServiceOption":
            return {**body, "status": self.reconcile(body)}
        ready = {"type": "Ready", "status": "True", "reason": "Available", "lastTransitionTime": "2026-01-01T00:00:00Z"}
        provider: dict[str, Any] = {"id": "x", "arn": "arn:aws:iam::1:role/x", "primaryEndpointAddress": "cache.example.org"}
        if body["kind"] == "Object":
            status = {"readyReplicas": 2, "completionTime": "2026-01-01T00:00:00Z", "refreshTime": "2026-01-01T00:00:00Z"}
            provider = {"manifest": {**body["spec"]["forProvider"]["manifest"], "status": status}}
            provider["manifest"]["metadata"] = {**provider["manifest"]["metadata"], "uid": "x"}
        return {**body, "status": {"conditions": [ready], "atProvider": provider}}

    def kinds(self) -> set[str]:
        bodies = [body for composed in self.composed.values() for body in composed]
        wrapped = [body["spec"]["forProvider"]["manifest"] for body in bodies if body["kind"] == "Object"]
        return {body["kind"] for body in (*bodies, *wrapped)}


def condition(status: dict[str, Any], name: str) -> str:
    [found] = [one["status"] for one in status["conditions"] if one["type"] == name]
    assert isinstance(found, str)
    return found


@pytest.mark.parametrize("spec", [LEAST, EVERYTHING], ids=["least", "everything"])
def test_a_service_becomes_ready_with_and_without_options(
    platform_documents: tuple[Document, ...], composite: Callable[..., dict[str, Any]], spec: dict[str, Any]
) -> None:
    """With a patch that requires the field of an option, the service without it would never be."""
    cluster = Cluster(platform_documents)
    status = cluster.reconcile(composite(spec))
    assert condition(status, "Ready") == "True"
    assert status["url"] == "https://models.acme.com/a"
    assert (status["phase"], status["readyReplicas"], status["roleArn"]) == ("Serving", 2, "arn:aws:iam::1:role/x")
    assert status["bucketName"] == "model-artifacts-ml-team-x-scores"
    wanted = {"bucket", "role", "server", "api", "scaling"}
    if spec is EVERYTHING:
        wanted |= {"callers", "rateLimit", "copyJob", "cache", "disruptionBudget"}
    assert set(status["parts"]) == wanted, "a message for each part that there is"


def test_the_account_has_the_roles_arn_as_soon_as_it_is_known(
    platform_documents: tuple[Document, ...], composite: Callable[..., dict[str, Any]]
) -> None:
    cluster = Cluster(platform_documents)
    xr = composite(LEAST)
    first = crossgate.render(xr, cluster.compositions["modelservice.aws.platform.acme.com"], required=cluster.environments, legacy=True)
    assert "service-account" not in {resource.template for resource in first.resources}, "a Pod that starts too early never gets a role"
    cluster.reconcile(xr)
    [account] = [body for body in cluster.composed[xr["metadata"]["name"]] if body["metadata"]["name"].endswith("-service-account")]
    manifest = account["spec"]["forProvider"]["manifest"]
    assert manifest["metadata"]["annotations"] == {"eks.amazonaws.com/role-arn": "arn:aws:iam::1:role/x"}
    assert manifest["metadata"]["name"] == "scores"


def test_the_server_learns_where_its_cache_is(platform_documents: tuple[Document, ...], composite: Callable[..., dict[str, Any]]) -> None:
    cluster = Cluster(platform_documents)
    xr = composite(EVERYTHING)
    cluster.reconcile(xr)
    [deployment] = [body for body in cluster.composed[xr["metadata"]["name"]] if body["metadata"]["name"].endswith("-deployment")]
    env = deployment["spec"]["forProvider"]["manifest"]["spec"]["template"]["spec"]["containers"][0]["env"]
    assert {"name": "CACHE_URL", "value": "rediss://cache.example.org:6379"} in env
    assert {"name": "CACHE_TOKEN", "valueFrom": {"secretKeyRef": {"name": "scores-cache", "key": "token"}}} in env


def test_an_option_comes_and_goes_with_its_section(
    platform_documents: tuple[Document, ...], composite: Callable[..., dict[str, Any]]
) -> None:
    cluster = Cluster(platform_documents)
    least, everything = composite(LEAST), composite(EVERYTHING)
    everything["metadata"]["name"] = least["metadata"]["name"]
    seen = []
    for xr in (least, everything, least):
        status = cluster.reconcile(xr)
        assert condition(status, "Ready") == "True"
        seen.append(bool(cluster.kinds() & OF_AN_OPTION))
    assert seen == [False, True, False]


def test_the_gate_judges_what_is_inside_an_option(
    service_claim: Callable[..., Document], platform_documents: tuple[Document, ...], platform_schemas: Schemas
) -> None:
    """Although a nested XR makes it, from another Composition than the claim's."""
    claim = service_claim(LEAST | {"cache": {"nodeType": "cache.r7g.large"}})
    estate = expand([claim], platform_schemas, platform=platform_documents)
    [cache] = [resource for resource in estate.resources if resource.body["kind"] == "ReplicationGroup"]
    assert cache.document is claim or cache.document.body is claim.body
    assert cache.role is Role.COMPOSED
