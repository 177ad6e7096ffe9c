"""ObservabilityStack, point by point as the catalogue promises it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from crossgate.load import load_text
from crossgate.paths import follow
from crossgate.render.fieldpath import parse
from crossgate.schema import Schemas

Composed = dict[str, dict[str, Any]]


def at(body: dict[str, Any], path: str) -> Any:
    return follow(body, parse(path))


@pytest.fixture
def stack(rendered: Callable[[str], Composed], ml_claim: Callable[..., str]) -> Callable[..., Composed]:
    return lambda **parameters: rendered(ml_claim("ObservabilityStack", parameters))


@pytest.mark.parametrize(
    ("template", "chart", "version", "repository"),
    [
        ("prometheus", "kube-prometheus-stack", "55.0.0", "https://prometheus-community.github.io/helm-charts"),
        ("loki", "loki-stack", "2.9.11", "https://grafana.github.io/helm-charts"),
        ("jaeger", "jaeger", "0.71.0", "https://jaegertracing.github.io/helm-charts"),
    ],
)
def test_three_pinned_charts_in_the_namespace_monitoring(
    stack: Callable[..., Composed], template: str, chart: str, version: str, repository: str
) -> None:
    release = at(stack()[template], "spec.forProvider")
    assert release["chart"] == {"name": chart, "version": version, "repository": repository}
    assert release["namespace"] == "monitoring"


def test_metrics_are_kept_as_long_as_the_claim_says(stack: Callable[..., Composed]) -> None:
    spec = at(stack()["prometheus"], "spec.forProvider.values.prometheus.prometheusSpec")
    assert spec["retention"] == "30d"
    assert at(spec, "storageSpec.volumeClaimTemplate.spec.resources.requests.storage") == "100Gi"
    assert spec["serviceMonitorSelectorNilUsesHelmValues"] is False, "the ServiceMonitors of model services are read too"
    chosen = stack(prometheusRetention="90d")["prometheus"]
    assert at(chosen, "spec.forProvider.values.prometheus.prometheusSpec.retention") == "90d"


def test_logs_have_a_disk_of_the_claims_size(stack: Callable[..., Composed]) -> None:
    values = at(stack(lokiStorage="200Gi")["loki"], "spec.forProvider.values")
    assert values["loki"]["persistence"] == {"enabled": True, "accessModes": ["ReadWriteOnce"], "size": "200Gi"}
    assert values["promtail"] == {"enabled": True}
    assert at(stack()["loki"], "spec.forProvider.values.loki.persistence.size") == "50Gi"


def test_traces_are_collected_shown_and_taken_on_each_node(stack: Callable[..., Composed]) -> None:
    values = at(stack()["jaeger"], "spec.forProvider.values")
    assert [values[part]["enabled"] for part in ("collector", "query", "agent", "allInOne")] == [True, True, True, False]


def test_grafana_takes_its_password_from_a_secret_that_an_external_secret_fills(stack: Callable[..., Composed]) -> None:
    """The first sketch had adminPassword CHANGE_ME."""
    made = stack()
    grafana = at(made["prometheus"], "spec.forProvider.values.grafana")
    assert "adminPassword" not in grafana
    brought = made["ExternalSecret login"]
    assert grafana["admin"]["existingSecret"] == brought["spec"]["target"]["name"]
    assert {grafana["admin"]["userKey"], grafana["admin"]["passwordKey"]} == {entry["secretKey"] for entry in brought["spec"]["data"]}
    assert brought["metadata"]["namespace"] == "monitoring"


def test_the_tracing_store_has_no_default_password(stack: Callable[..., Composed]) -> None:
    made = stack()
    brought = made["ExternalSecret traces-login"]["spec"]
    assert at(made["jaeger"], "spec.forProvider.values.storage.cassandra.existingSecret") == brought["target"]["name"]
    assert [entry["secretKey"] for entry in brought["data"]] == ["password"], "the key that the chart reads"


def test_grafana_has_a_folder_of_dashboards_for_models(stack: Callable[..., Composed]) -> None:
    made = stack(grafanaFolder="Team Fraud")
    grafana = at(made["prometheus"], "spec.forProvider.values.grafana")
    assert grafana["enabled"] is True
    [provider] = grafana["dashboardProviders"]["dashboardproviders.yaml"]["providers"]
    assert provider["folder"] == "Team Fraud"
    dashboards = made["ConfigMap dashboards"]
    # the chart mounts the ConfigMap at the name of the provider
    assert grafana["dashboardsConfigMaps"] == {provider["name"]: dashboards["metadata"]["name"]}
    assert provider["options"]["path"].endswith(f"/{provider['name']}")
    [text] = dashboards["data"].values()
    assert [target["expr"] for panel in json.loads(text)["panels"] for target in panel["targets"]]


def test_grafana_has_one_default_data_source(stack: Callable[..., Composed]) -> None:
    """With two it does not start, and both charts bring one."""
    made = stack()
    assert at(made["loki"], "spec.forProvider.values.loki.isDefault") is False
    assert [source["name"] for source in at(made["prometheus"], "spec.forProvider.values.grafana.additionalDataSources")] == ["Jaeger"]


def test_names_are_unique_and_short_enough(rendered: Callable[[str], Composed], ml_claim: Callable[..., str]) -> None:
    """The chart of Prometheus cuts the names of its parts at 26 characters: what tells releases apart must stand before."""
    made = [
        rendered(ml_claim("ObservabilityStack", {}, name=name, namespace=namespace))
        for name, namespace in [("a", "n"), ("b-c", "a"), ("c", "a-b"), ("x" * 63, "y" * 63)]
    ]
    for template in ("prometheus", "loki", "jaeger"):
        names = {one[template]["metadata"]["name"] for one in made}
        assert len(names) == len(made)
        assert max(map(len, names)) <= 26
    assert {at(one["prometheus"], "spec.forProvider.values.fullnameOverride") for one in made} == {
        one["prometheus"]["metadata"]["name"] for one in made
    }


@pytest.mark.parametrize("parameters", [{"prometheusRetention": "30"}, {"lokiStorage": "50G"}, {"grafanaFolder": ""}, {"retention": "3d"}])
def test_what_the_api_does_not_allow_is_refused(
    ml_claim: Callable[..., str], platform_schemas: Schemas, parameters: dict[str, Any]
) -> None:
    [claim] = load_text(ml_claim("ObservabilityStack", parameters))
    assert platform_schemas.validate(claim.body)
