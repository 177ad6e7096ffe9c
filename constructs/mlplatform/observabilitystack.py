"""ObservabilityStack: metrics, logs and traces, with a folder of dashboards for models.

One is enough for a cluster: its Prometheus reads every ServiceMonitor, its promtail every Pod's log.
"""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import Field

from mlplatform.blocks import helm
from mlplatform.blocks.externalsecret import external_secret
from mlplatform.blocks.kubernetes import MANIFEST, cluster_object
from mlplatform.blocks.managed import owned
from mlplatform.core import Api, Composition, Folder, Model, Template
from mlplatform.environments import CLUSTER

PROMETHEUS = helm.Chart("kube-prometheus-stack", "https://prometheus-community.github.io/helm-charts", "55.0.0")
LOKI = helm.Chart("loki-stack", "https://grafana.github.io/helm-charts", "2.9.11")
JAEGER = helm.Chart("jaeger", "https://jaegertracing.github.io/helm-charts", "0.71.0")

USER_KEY, PASSWORD_KEY = "admin-user", "admin-password"

ML = "ml"
"""Name of the provider of dashboards, and of the folder in Grafana's file system that it reads."""

_DASHBOARDS = "/var/lib/grafana/dashboards"


class ObservabilityStackParameters(Model):
    """What a team chooses."""

    prometheus_retention: Annotated[str, Field(pattern="^[1-9][0-9]{0,3}[hdwy]$")] = "30d"
    """How long metrics are kept; the disk holds 100Gi, whatever is older goes earlier when it is full."""
    loki_storage: Annotated[str, Field(pattern="^[1-9][0-9]{0,4}(Gi|Ti)$", max_length=10)] = "50Gi"
    """Disk for logs."""
    grafana_folder: Annotated[str, Field(min_length=1, max_length=60, pattern="^[A-Za-z0-9][A-Za-z0-9 _-]*$")] = "ML Models"
    """Folder of Grafana that the dashboards of models are in."""


class ObservabilityStackSpec(Model):
    """Metrics, logs and traces, with a folder of dashboards for models."""

    parameters: ObservabilityStackParameters = ObservabilityStackParameters()


class ObservabilityStackParts(Model):
    """How far each part is, in plain words."""

    login: str | None = None
    """Grafana's user and password."""
    metrics: str | None = None
    """Prometheus and Grafana."""
    logs: str | None = None
    """Loki and promtail."""
    traces: str | None = None
    """Jaeger."""


class ObservabilityStackStatus(Model):
    """The stack that there is."""

    grafana_url: str | None = None
    """Address of Grafana inside the cluster."""
    prometheus_url: str | None = None
    """Address of Prometheus inside the cluster."""
    loki_url: str | None = None
    """Address of Loki inside the cluster."""
    jaeger_url: str | None = None
    """Address of Jaeger's pages inside the cluster."""
    parts: ObservabilityStackParts | None = None


OBSERVABILITY_STACK = Api(
    group="ml.hinterbuild.com",
    kind="ObservabilityStack",
    claim_kind="ObservabilityStackClaim",
    spec_model=ObservabilityStackSpec,
    status_model=ObservabilityStackStatus,
    short_names=("obs",),
    categories=("platform", "ml"),
    connection_keys=("grafanaUrl", "prometheusUrl", "lokiUrl", "jaegerUrl"),
    columns=lambda api: {
        "Retention": api.spec.parameters.prometheus_retention,
        "Logs": api.spec.parameters.loki_storage,
        "Grafana": api.status.grafana_url,
    },
    default_composition="ml-observability",
    stateful=True,
    runbook={
        "`login` waits for the secret store": "Write `grafana-user`, `grafana-password` and `cassandra-password` under the path above.",
        "`metrics` waits": (
            "`kubectl get pods -n monitoring`: *Pending* Pods wait for their disk; an *already exists* of a "
            "CustomResourceDefinition means that another Prometheus operator is installed."
        ),
        "`traces` waits": (
            "`kubectl logs -n monitoring job/jaeger-HASH-cassandra-schema`: Cassandra takes about five minutes before it takes tables."
        ),
        "Two claims": "One stack is enough for a cluster: two Prometheus operators work against each other. Delete the younger claim.",
    },
)

_URL = "platform.acme.com/%s-url"


def ml_observability(folder: Folder) -> Composition:
    """Make it of three Helm releases in the monitoring namespace; Grafana knows Prometheus, Loki and Jaeger from the start."""
    parameters, status, cluster = OBSERVABILITY_STACK.spec.parameters, OBSERVABILITY_STACK.status, CLUSTER.fields
    composition = Composition(
        folder,
        "ml-observability",
        OBSERVABILITY_STACK,
        provider="kubernetes",
        named_by=OBSERVABILITY_STACK.metadata.labels["crossplane.io/claim-name"],
        environment=CLUSTER,
    )
    unique = composition.identity.hash
    namespace = cluster.monitoring_namespace

    login = external_secret(
        composition, "login", target="", keys={USER_KEY: "grafana-user", PASSWORD_KEY: "grafana-password"}, store=cluster.secret_store
    )
    login.combine("grafana-%s", [unique], f"{MANIFEST}.spec.target.name")
    store = external_secret(composition, "traces-login", target="", keys={"password": "cassandra-password"}, store=cluster.secret_store)
    store.combine("cassandra-%s", [unique], f"{MANIFEST}.spec.target.name")
    login.say(
        status.parts.login,
        waiting="User and password of Grafana are not in the secret store yet; see the runbook.",
        done="Grafana's user and password are in the secret store.",
        when="status.atProvider.manifest.status.refreshTime",
    )
    dashboard = cluster_object(
        composition, "dashboards", {"apiVersion": "v1", "kind": "ConfigMap", "data": {"models.json": json.dumps(_dashboard())}}
    )
    dashboard.combine("ml-dashboards-%s", [unique], f"{MANIFEST}.metadata.name")
    for made in (login, store, dashboard):
        made.patch(namespace, f"{MANIFEST}.metadata.namespace", required=True)
        owned(made, f"{MANIFEST}.metadata.labels")

    metrics = _release(composition, "prometheus", PROMETHEUS, _prometheus(), namespace)
    metrics.patch(parameters.prometheus_retention, f"{helm.VALUES}.prometheus.prometheusSpec.retention")
    metrics.patch(parameters.grafana_folder, f"{_PROVIDER}.folder")
    metrics.combine("grafana-%s", [unique], f"{helm.VALUES}.grafana.admin.existingSecret")
    metrics.combine("ml-dashboards-%s", [unique], f"{helm.VALUES}.grafana.dashboardsConfigMaps.{ML}")
    metrics.combine("http://jaeger-%s-query", [unique], f"{helm.VALUES}.grafana.additionalDataSources[0].url")
    # the chart cuts names that it makes of the release's at 26 characters; these are the release's own
    metrics.combine("prometheus-%s", [unique], f"{helm.VALUES}.fullnameOverride")
    _address(metrics, "grafana", "http://prometheus-%s-grafana.%s.svc.cluster.local", [unique, namespace], status.grafana_url)
    _address(metrics, "prometheus", "http://prometheus-%s-prometheus.%s.svc.cluster.local:9090", [unique, namespace], status.prometheus_url)
    metrics.say(status.parts.metrics, waiting="Prometheus and Grafana start.", done="Prometheus and Grafana answer.", when=helm.DEPLOYED)

    logs = _release(composition, "loki", LOKI, _loki(), namespace)
    logs.patch(parameters.loki_storage, f"{helm.VALUES}.loki.persistence.size")
    _address(logs, "loki", "http://loki-%s.%s.svc.cluster.local:3100", [unique, namespace], status.loki_url)
    logs.say(status.parts.logs, waiting="Loki and promtail start.", done="Every Pod's log is in Loki.", when=helm.DEPLOYED)

    traces = _release(composition, "jaeger", JAEGER, _jaeger(), namespace)
    traces.combine("cassandra-%s", [unique], f"{helm.VALUES}.storage.cassandra.existingSecret")
    _address(traces, "jaeger", "http://jaeger-%s-query.%s.svc.cluster.local", [unique, namespace], status.jaeger_url)
    traces.say(
        status.parts.traces,
        waiting="Jaeger starts: it makes its tables first.",
        done="Jaeger takes traces, from the agent on each node.",
        when=helm.DEPLOYED,
    )
    return composition


_PROVIDER = f'{helm.VALUES}.grafana.dashboardProviders["dashboardproviders.yaml"].providers[0]'


def _release(composition: Composition, name: str, chart: helm.Chart, values: dict[str, Any], namespace: Any) -> Template:
    """Add a release called ``<name>-<hash>``: charts cut long names, and make their own shorter when a release is called like them."""
    made = helm.release(composition, name, chart, values)
    made.combine(f"{name}-%s", [composition.identity.hash], "metadata.name")
    made.patch(namespace, "spec.forProvider.namespace", required=True)
    made.base["spec"]["forProvider"]["skipCreateNamespace"] = False
    return made


def _address(made: Template, name: str, format_: str, parts: list[Any], to: Any) -> None:
    at = f"metadata.annotations[{_URL % name}]"
    made.combine(format_, parts, at)
    made.report(at, to)
    made.connection(f"{name}Url", field=at)


def _disk(size: str) -> dict[str, Any]:
    return {"volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}}}}


def _prometheus() -> dict[str, Any]:
    # whatever ServiceMonitor, PodMonitor or rule there is in the cluster, not only what this release made
    everything = {f"{kind}SelectorNilUsesHelmValues": False for kind in ("serviceMonitor", "podMonitor", "rule", "probe", "scrapeConfig")}
    return {
        "prometheus": {"prometheusSpec": {"retentionSize": "90GB", "storageSpec": _disk("100Gi"), **everything}},
        "alertmanager": {"alertmanagerSpec": {"storage": _disk("5Gi")}},
        "grafana": {
            "enabled": True,
            "admin": {"userKey": USER_KEY, "passwordKey": PASSWORD_KEY},
            "persistence": {"enabled": True, "size": "10Gi"},
            "deploymentStrategy": {"type": "Recreate"},  # two Pods cannot have the disk
            "service": {"type": "ClusterIP"},
            "additionalDataSources": [{"name": "Jaeger", "type": "jaeger", "access": "proxy", "uid": "jaeger"}],
            "dashboardProviders": {
                "dashboardproviders.yaml": {
                    "apiVersion": 1,
                    "providers": [
                        {
                            "name": ML,
                            "orgId": 1,
                            "type": "file",
                            "disableDeletion": True,
                            "editable": False,
                            "options": {"path": f"{_DASHBOARDS}/{ML}"},
                        }
                    ],
                }
            },
        },
    }


def _loki() -> dict[str, Any]:
    return {
        # two default data sources keep Grafana from starting
        "loki": {"enabled": True, "isDefault": False, "persistence": {"enabled": True, "accessModes": ["ReadWriteOnce"]}},
        "promtail": {"enabled": True},
        "grafana": {"enabled": False, "sidecar": {"datasources": {"enabled": True}}},
        "test_pod": {"enabled": False},
    }


def _jaeger() -> dict[str, Any]:
    return {
        "provisionDataStore": {"cassandra": True},
        "allInOne": {"enabled": False},
        "storage": {"type": "cassandra", "cassandra": {"user": "jaeger"}},
        "cassandra": {"persistence": {"enabled": True, "size": "20Gi"}},
        "collector": {"enabled": True, "service": {"otlp": {"grpc": {"name": "otlp-grpc", "port": 4317}}}},
        "query": {"enabled": True, "service": {"type": "ClusterIP"}},
        "agent": {"enabled": True},
    }


def _dashboard() -> dict[str, Any]:
    """Return the dashboard of model services: what they answer, how long it takes, and how busy their GPUs are."""
    queries = {
        "Requests per second": "sum by (service) (rate(http_requests_total[5m]))",
        "Errors": 'sum by (service) (rate(http_requests_total{status=~"5.."}[5m]))',
        "Seconds until the answer (95 %)": (
            "histogram_quantile(0.95, sum by (le, service) (rate(http_request_duration_seconds_bucket[5m])))"
        ),
        "GPU in use": "avg by (gpu, Hostname) (DCGM_FI_DEV_GPU_UTIL)",
    }
    source = {"type": "prometheus", "uid": "prometheus"}
    panels = [
        {
            "id": number + 1,
            "title": title,
            "type": "timeseries",
            "datasource": source,
            "gridPos": {"x": 12 * (number % 2), "y": 8 * (number // 2), "w": 12, "h": 8},
            "targets": [{"refId": "A", "expr": query, "datasource": source}],
        }
        for number, (title, query) in enumerate(queries.items())
    ]
    return {"uid": "ml-models", "title": "Model services", "schemaVersion": 38, "time": {"from": "now-6h", "to": "now"}, "panels": panels}


APIS = (OBSERVABILITY_STACK,)
COMPOSITIONS = (ml_observability,)
