"""What Helm releases use: the values of the charts that are known, one line a chart. Nothing is fetched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from crossgate.cost.fields import Fields, Unknown, Use, below
from crossgate.cost.model import Span
from crossgate.cost.quantity import decimal
from crossgate.cost.workloads import pods, volume

_VALUES = "values"


@dataclass(frozen=True, slots=True)
class Chart:
    """Where a chart's values say what it uses.

    ``replicas`` is the field of their number and what it is unless it is said; ``volumes`` are for each volume the fields of its size and
    of its storage class and how many there are (0: one for each replica); ``resources`` is the field of what a Pod requests.
    """

    replicas: tuple[str, int] = ("", 1)
    resources: str = ""
    volumes: tuple[tuple[str, str, int], ...] = ()


_CLAIM = "volumeClaimTemplate.spec"
_PROMETHEUS = f"prometheus.prometheusSpec.storageSpec.{_CLAIM}"
_ALERTS = f"alertmanager.alertmanagerSpec.storage.{_CLAIM}"

CHARTS: Mapping[str, Chart] = {
    "weaviate": Chart(("replicas", 1), "resources", (("storage.size", "storage.storageClassName", 0),)),
    "kube-prometheus-stack": Chart(
        volumes=(
            (f"{_PROMETHEUS}.resources.requests.storage", f"{_PROMETHEUS}.storageClassName", 1),
            (f"{_ALERTS}.resources.requests.storage", f"{_ALERTS}.storageClassName", 1),
            ("grafana.persistence.size", "grafana.persistence.storageClassName", 1),
        )
    ),
    "loki-stack": Chart(volumes=(("loki.persistence.size", "loki.persistence.storageClassName", 1),)),
    "jaeger": Chart(volumes=(("cassandra.persistence.size", "cassandra.persistence.storageClass", 3),)),
    "mlflow": Chart(("replicaCount", 1), "resources"),
}
"""The charts that the catalogue installs: their Pods where the values say what those request, and their volumes."""


def release(fields: Fields) -> Iterator[Use | Unknown]:
    """A Helm release of a known chart."""
    name = fields.text("chart.name")
    chart = CHARTS.get(name)
    if chart is None:
        yield Unknown(f"chart {name or '?'}", "nothing says what its Pods and volumes use")
        return
    path, default = chart.replicas
    said = decimal(fields.at(f"{_VALUES}.{path}")) if path else None
    replicas = Span.fixed(said if said is not None and said >= 0 else Decimal(default))
    requested = fields.at(f"{_VALUES}.{chart.resources}") if chart.resources else None
    if isinstance(requested, Mapping):
        yield from pods(fields, {"containers": [{"resources": requested}]}, replicas)
    values = fields.at(_VALUES)
    for size, storage_class, count in chart.volumes:
        found = below(values, size)
        if found is not None:
            yield volume(fields, found, below(values, storage_class), Span.fixed(count) if count else replicas)
