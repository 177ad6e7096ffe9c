"""Prometheus metrics of one server.

Requests are counted in plain numbers by the event loop, the only writer, and become Prometheus' families when /metrics is read: the
client library's own counters take a lock for each step, which a small prediction would notice.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from prometheus_client import CollectorRegistry, Gauge, Info, generate_latest
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_ROWS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 1024.0)


class Distribution:
    """Counts of values up to each limit, and their sum."""

    __slots__ = ("counts", "limits", "total")

    def __init__(self, limits: Sequence[float]) -> None:
        self.limits = limits
        self.counts = [0] * (len(limits) + 1)
        self.total = 0.0

    def add(self, value: float) -> None:
        """One value."""
        self.counts[bisect_left(self.limits, value)] += 1
        self.total += value

    def buckets(self) -> list[tuple[str, float]]:
        """Cumulative counts, as Prometheus wants them."""
        seen, out = 0, []
        for limit, count in zip((*map(str, self.limits), "+Inf"), self.counts, strict=True):
            seen += count
            out.append((limit, float(seen)))
        return out


class Metrics(Collector):
    """What the server counts; `observe` is called once a request."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._requests: dict[tuple[str, int], int] = {}
        self._seconds: dict[str, Distribution] = {}
        self._refused: dict[str, int] = {}
        self._batch = Distribution(_ROWS)
        self.registry.register(self)
        self.waiting = Gauge("modelserver_waiting_rows", "Rows that wait for a forward", registry=self.registry)
        self.ready = Gauge("modelserver_ready", "1 when the model answers and the server is not draining", registry=self.registry)
        self._info = Info("modelserver_model", "The model that answers", registry=self.registry)

    def observe(self, endpoint: str, status: int, seconds: float) -> None:
        """One answered request."""
        key = (endpoint, status)
        self._requests[key] = self._requests.get(key, 0) + 1
        distribution = self._seconds.get(endpoint)
        if distribution is None:
            distribution = self._seconds[endpoint] = Distribution(_SECONDS)
        distribution.add(seconds)

    def refused(self, reason: str) -> None:
        """One refused request."""
        self._refused[reason] = self._refused.get(reason, 0) + 1

    def batch(self, rows: int) -> None:
        """One forward."""
        self._batch.add(rows)

    def model(self, name: str, version: str, sha256: str) -> None:
        """The model that was loaded."""
        self._info.info({"name": name, "version": version, "sha256": sha256})

    def collect(self) -> Iterator[Metric]:
        """Prometheus' families of the present numbers."""
        requests = CounterMetricFamily("modelserver_requests", "Requests answered", labels=["endpoint", "status"])
        for (endpoint, status), count in self._requests.items():
            requests.add_metric([endpoint, str(status)], count)
        yield requests
        refused = CounterMetricFamily("modelserver_refused", "Requests refused, by reason code", labels=["reason"])
        for reason, count in self._refused.items():
            refused.add_metric([reason], count)
        yield refused
        seconds = HistogramMetricFamily("modelserver_request_seconds", "From headers to answer", labels=["endpoint"])
        for endpoint, distribution in self._seconds.items():
            seconds.add_metric([endpoint], distribution.buckets(), distribution.total)
        yield seconds
        yield HistogramMetricFamily(
            "modelserver_batch_rows", "Rows in one forward", buckets=self._batch.buckets(), sum_value=self._batch.total
        )

    def text(self) -> bytes:
        """The exposition format."""
        return generate_latest(self.registry)
