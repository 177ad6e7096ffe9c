"""ModelRegistry on GCP, point by point as the catalogue promises it."""

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
def registry(rendered: Callable[[str], Composed], ml_claim: Callable[..., str]) -> Callable[..., Composed]:
    def make(*, labels: dict[str, str] | None = None, **parameters: Any) -> Composed:
        return rendered(ml_claim("ModelRegistry", {"name": "models", **parameters}, select={"provider": "gcp"}, labels=labels))

    return make


def test_mlflow_is_a_pinned_chart(registry: Callable[..., Composed]) -> None:
    release = at(registry()["mlflow"], "spec.forProvider")
    assert release["chart"] == {"name": "mlflow", "repository": "https://community-charts.github.io/helm-charts", "version": "0.7.19"}
    values = release["values"]
    assert values["resources"] == {"requests": {"cpu": "1", "memory": "2Gi"}, "limits": {"cpu": "2", "memory": "4Gi"}}
    assert values["service"] == {"type": "ClusterIP"}, "nothing public unless somebody asks for it"
    assert "ingress" not in values


def test_the_backend_store_is_the_database(registry: Callable[..., Composed]) -> None:
    made = registry()
    store = at(made["mlflow"], "spec.forProvider.values.backendStore.postgres")
    assert store["enabled"] is True
    assert store["database"] == at(made["database-schema"], "metadata.annotations[crossplane.io/external-name]")
    assert store["user"] == at(made["database-user"], "metadata.annotations[crossplane.io/external-name]")
    [password] = at(made["mlflow"], "spec.forProvider.set")
    assert password["name"] == "backendStore.postgres.password"
    assert password["valueFrom"]["secretKeyRef"] == at(made["database-user"], "spec.forProvider.passwordSecretRef")
    brought = made["ExternalSecret database-password"]
    assert brought["spec"]["target"]["name"] == password["valueFrom"]["secretKeyRef"]["name"]
    assert brought["metadata"]["namespace"] == password["valueFrom"]["secretKeyRef"]["namespace"]


def test_the_server_waits_for_the_address_of_its_database(observed: Callable[..., Composed], ml_claim: Callable[..., str]) -> None:
    claim = ml_claim("ModelRegistry", {"name": "models"})
    assert "mlflow" not in observed(claim, "mlflow-platform", {})
    there = observed(claim, "mlflow-platform", {"databaseHost": "10.1.2.3"})
    assert at(there["mlflow"], "spec.forProvider.values.backendStore.postgres.host") == "10.1.2.3"


def test_the_artifact_root_is_the_bucket_and_the_server_may_write_it(registry: Callable[..., Composed]) -> None:
    made = registry()
    bucket = made["bucket"]["metadata"]["name"]
    values = at(made["mlflow"], "spec.forProvider.values")
    assert values["artifactRoot"]["gcs"] == {"enabled": True, "path": "artifacts", "bucket": bucket}
    address = f"{made['account']['metadata']['name']}@acme-ml-platform.iam.gserviceaccount.com"
    assert values["serviceAccount"]["annotations"] == {"iam.gke.io/gcp-service-account": address}
    assert at(made["bucket-access"], "spec.forProvider.member") == f"serviceAccount:{address}"
    namespace = at(made["mlflow"], "spec.forProvider.namespace")
    pods = f"serviceAccount:acme-ml-platform.svc.id.goog[{namespace}/{values['serviceAccount']['name']}]"
    assert at(made["account-user"], "spec.forProvider.member") == pods


def test_user_and_password_come_from_the_secret_that_an_external_secret_fills(registry: Callable[..., Composed]) -> None:
    made = registry()
    assert at(made["mlflow"], "spec.forProvider.values.extraSecretNamesForEnvFrom") == ["mlflow-auth"]
    brought = made["ExternalSecret login"]["spec"]
    assert brought["target"]["name"] == "mlflow-auth"
    assert [entry["secretKey"] for entry in brought["data"]] == ["MLFLOW_TRACKING_USERNAME", "MLFLOW_TRACKING_PASSWORD"]
    assert {entry["remoteRef"]["key"] for entry in brought["data"]} == {"modelregistry/ml-team-x/scores"}


def test_the_database_is_private_and_can_go_back_in_time(registry: Callable[..., Composed]) -> None:
    database = at(registry(region="europe-west4")["database"], "spec.forProvider")
    assert (database["databaseVersion"], database["region"]) == ("POSTGRES_14", "europe-west4")
    settings = database["settings"]
    assert (settings["tier"], settings["diskSize"], settings["diskType"]) == ("db-custom-4-16384", 100, "PD_SSD")
    assert (settings["backupConfiguration"]["enabled"], settings["backupConfiguration"]["pointInTimeRecoveryEnabled"]) == (True, True)
    assert settings["ipConfiguration"]["ipv4Enabled"] is False
    assert "authorizedNetworks" not in settings["ipConfiguration"]
    assert settings["userLabels"] == OWNERS


def test_models_get_cheaper_after_a_month_and_go_after_a_year(registry: Callable[..., Composed]) -> None:
    bucket = at(registry()["bucket"], "spec.forProvider")
    assert bucket["versioning"] == {"enabled": True}
    assert bucket["lifecycleRule"][:2] == [
        {"action": {"type": "SetStorageClass", "storageClass": "NEARLINE"}, "condition": {"age": 30}},
        {"action": {"type": "Delete"}, "condition": {"age": 365}},
    ]
    assert bucket["labels"] == OWNERS
    assert bucket["location"] == "us-central1"


def test_a_registry_of_production_leaves_its_data_when_it_is_deleted(registry: Callable[..., Composed]) -> None:
    made = registry(labels={"environment": "production"})
    for template in ("database", "bucket"):
        assert "Delete" not in made[template]["spec"]["managementPolicies"]


def test_names_are_unique_and_short_enough(rendered: Callable[[str], Composed], ml_claim: Callable[..., str]) -> None:
    claims = [("a", "n"), ("b-c", "a"), ("c", "a-b"), ("x" * 60, "y" * 63)]
    made = [rendered(ml_claim("ModelRegistry", {"name": "r" * 30}, name=name, namespace=namespace)) for name, namespace in claims]
    limits = {"mlflow": 53, "database": 80, "bucket": 63, "account": 30, "Namespace namespace": 63}
    for template, limit in limits.items():
        names = {one[template]["metadata"]["name"] for one in made}
        assert len(names) == len(claims)
        assert max(map(len, names)) <= limit


@pytest.mark.parametrize("parameters", [{"name": "a-"}, {"region": ""}, {"size": 3}])
def test_what_the_api_does_not_allow_is_refused(
    ml_claim: Callable[..., str], platform_schemas: Schemas, parameters: dict[str, Any]
) -> None:
    [claim] = load_text(ml_claim("ModelRegistry", {"name": "a", **parameters}))
    assert platform_schemas.validate(claim.body)
