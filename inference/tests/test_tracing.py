"""Tracing is opt-in: a span a request with ids and versions, no payload."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import served

pytest.importorskip("opentelemetry.sdk", reason="the extra modelserver[otel] is not installed")

from opentelemetry.propagate import extract
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from modelserver.tracing import Traced


def test_a_request_is_one_span_under_the_callers_trace(table_model: Path) -> None:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with served.inside(table_model) as client:
        front: Any = client.app
        with TestClient(Traced(front, provider.get_tracer("test"), extract)) as traced:
            parent = "00-" + "1" * 32 + "-" + "2" * 16 + "-01"
            traced.post("/predict", json={"rows": [{"age": "secret-value"}]}, headers={"traceparent": parent, "x-request-id": "r-5"})
    (span,) = exporter.get_finished_spans()
    assert format(span.context.trace_id, "032x") == "1" * 32
    attributes: dict[str, Any] = dict(span.attributes or {})
    assert attributes["http.response.status_code"] == 422
    assert (attributes["x-request-id"], attributes["x-model-version"]) == ("r-5", "7")
    assert "secret-value" not in str(attributes)


def test_without_the_endpoint_nothing_of_it_is_imported(table_client: TestClient) -> None:
    import subprocess
    import sys

    script = "import sys, modelserver.serve; print('opentelemetry.sdk' in sys.modules)"
    environment = {"PYTHONPATH": str(served.PACKAGE)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == "False"
