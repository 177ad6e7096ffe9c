"""VectorDatabase on GCP, point by point as the catalogue promises it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crossgate.load import load_text
from crossgate.paths import follow
from crossgate.render.fieldpath import parse
from crossgate.schema import Schemas

Composed = dict[str, dict[str, Any]]
OWNERS = {"team": "x", "owner": "jane-doe", "cost-center": "cc-1"}


def at(body: dict[str, Any], path: str) -> Any:
    return follow(body, parse(path))


@pytest.fixture
def vectors(rendered: Callable[[str], Composed], ml_claim: Callable[..., str]) -> Callable[..., Composed]:
    def make(*, labels: dict[str, str] | None = None, **parameters: Any) -> Composed:
        select = {"provider": "gcp", "database": "weaviate"}
        return rendered(ml_claim("VectorDatabase", {"name": "vectors", **parameters}, select=select, labels=labels))

    return make


def test_weaviate_is_a_pinned_chart_with_the_claims_size(vectors: Callable[..., Composed]) -> None:
    release = at(vectors(replicas=5, storageSize="200Gi")["weaviate"], "spec.forProvider")
    assert release["chart"] == {"name": "weaviate", "repository": "https://weaviate.github.io/weaviate-helm", "version": "16.8.0"}
    values = release["values"]
    assert (values["replicas"], values["storage"]) == (5, {"size": "200Gi", "storageClassName": "ssd"})
    assert values["resources"] == {"requests": {"cpu": "2", "memory": "4Gi"}, "limits": {"cpu": "4", "memory": "8Gi"}}
    assert {name for name, module in values["modules"].items() if module["enabled"]} == {"text2vec-openai", "text2vec-cohere", "qna-openai"}
    assert values["env"]["PROMETHEUS_MONITORING_ENABLED"] is True
    assert values["serviceMonitor"] == {"enabled": True}
    assert values["service"]["type"] == values["grpcService"]["type"] == "ClusterIP", "the chart's default is on the Internet"


def test_three_servers_of_100_gibibytes_unless_the_claim_says_otherwise(vectors: Callable[..., Composed]) -> None:
    values = at(vectors()["weaviate"], "spec.forProvider.values")
    assert (values["replicas"], values["storage"]["size"]) == (3, "100Gi")


def test_all_of_it_is_in_the_claims_own_namespace(vectors: Callable[..., Composed]) -> None:
    """The chart's objects have fixed names: two releases in one namespace would take each other's."""
    made = vectors()
    [name] = {made["Namespace namespace"]["metadata"]["name"]}
    assert name.startswith("vectors-")
    assert at(made["weaviate"], "spec.forProvider.namespace") == name
    inside = [body for template, body in made.items() if " " in template and not template.startswith("Namespace ")]
    assert {body["metadata"]["namespace"] for body in inside} == {name}
    assert made["Namespace namespace"]["metadata"]["labels"] == OWNERS


def test_clients_need_a_key_that_an_external_secret_brings(vectors: Callable[..., Composed]) -> None:
    made = vectors()
    values = at(made["weaviate"], "spec.forProvider.values")
    assert values["authentication"] == {"anonymous_access": {"enabled": False}, "apikey": {"enabled": True}}
    [(variable, secret)] = values["envSecrets"].items()
    brought = made["ExternalSecret api-keys"]["spec"]
    assert brought["target"]["name"] == secret
    assert [entry["secretKey"] for entry in brought["data"]] == [variable]
    assert brought["data"][0]["remoteRef"] == {"key": "vectordatabase/ml-team-x/scores", "property": "api-key"}
    assert brought["secretStoreRef"] == {"kind": "ClusterSecretStore", "name": "platform"}


def test_the_database_is_private(vectors: Callable[..., Composed]) -> None:
    database = at(vectors()["database"], "spec.forProvider")
    assert database["databaseVersion"] == "POSTGRES_14"
    settings = database["settings"]
    assert settings["ipConfiguration"] == {
        "ipv4Enabled": False,
        "sslMode": "ENCRYPTED_ONLY",
        "privateNetwork": "projects/acme-ml-platform/global/networks/platform",
    }
    assert (settings["tier"], settings["diskSize"], settings["diskType"]) == ("db-custom-2-8192", 50, "PD_SSD")
    assert (settings["backupConfiguration"]["enabled"], settings["backupConfiguration"]["startTime"]) == (True, "02:00")
    assert settings["userLabels"] == OWNERS
    assert database["region"] == "us-central1"


def test_the_password_of_the_database_comes_from_the_store(vectors: Callable[..., Composed]) -> None:
    made = vectors()
    reference = at(made["database-user"], "spec.forProvider.passwordSecretRef")
    brought = made["ExternalSecret database-password"]
    assert reference == {
        "name": brought["spec"]["target"]["name"],
        "namespace": brought["metadata"]["namespace"],
        "key": brought["spec"]["data"][0]["secretKey"],
    }


@pytest.mark.parametrize(
    ("environment", "protected", "zones", "policies"),
    [
        (None, True, "ZONAL", None),
        ("development", False, "ZONAL", ["*"]),
        ("Production", True, "REGIONAL", ["Observe", "Create", "Update", "LateInitialize"]),
    ],
)
def test_the_environment_decides_how_the_data_is_protected(
    vectors: Callable[..., Composed], environment: str | None, protected: bool, zones: str, policies: list[str] | None
) -> None:
    database = vectors(labels={"environment": environment} if environment else None)["database"]
    assert at(database, "spec.forProvider.deletionProtection") is protected
    assert at(database, "spec.forProvider.settings.deletionProtectionEnabled") is protected
    assert at(database, "spec.forProvider.settings.availabilityType") == zones
    assert database["spec"].get("managementPolicies") == policies


def test_only_the_team_and_prometheus_come_in(vectors: Callable[..., Composed]) -> None:
    [entry] = vectors()["NetworkPolicy network-policy"]["spec"]["ingress"]
    named = [peer["namespaceSelector"]["matchLabels"] for peer in entry["from"] if "namespaceSelector" in peer]
    assert named == [{"kubernetes.io/metadata.name": "ml-team-x"}, {"kubernetes.io/metadata.name": "monitoring"}]


def test_names_are_unique_and_short_enough(rendered: Callable[[str], Composed], ml_claim: Callable[..., str]) -> None:
    """A Helm release has at most 53 characters in its name, an instance of Cloud SQL 98 with its project."""
    claims = [("a", "n"), ("b-c", "a"), ("c", "a-b"), ("x" * 60, "y" * 63)]
    made = [rendered(ml_claim("VectorDatabase", {"name": "v" * 30}, name=name, namespace=namespace)) for name, namespace in claims]
    for template in ("weaviate", "database", "Namespace namespace"):
        names = {one[template]["metadata"]["name"] for one in made}
        assert len(names) == len(claims)
        assert max(map(len, names)) <= 53


@pytest.mark.parametrize("parameters", [{"replicas": 0}, {"storageSize": "100"}, {"storageSize": "0Gi"}, {"size": 3}, {"name": "A"}])
def test_what_the_api_does_not_allow_is_refused(
    ml_claim: Callable[..., str], platform_schemas: Schemas, parameters: dict[str, Any]
) -> None:
    [claim] = load_text(ml_claim("VectorDatabase", {"name": "a", **parameters}))
    assert platform_schemas.validate(claim.body)
