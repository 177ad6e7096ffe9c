"""Tracing is opt-in: a span a request with ids and versions, no payload."""

from __future__ import annotations

import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
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


def test_the_endpoint_of_the_environment_gets_a_span_of_each_prediction(table_model: Path, tmp_path: Path) -> None:
    """Each prediction, though without tracing most never pass the application that is wrapped."""
    received: list[bytes] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Collector) as collector:
        threading.Thread(target=collector.serve_forever, daemon=True).start()
        where = {"OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.server_address[1]}", "OTEL_BSP_SCHEDULE_DELAY": "100"}
        with served.process([str(table_model)], tmp_path, **where) as server:
            server.wait_ready()
            row = {"age": 40, "income": 987654.5, "member": True}
            answer = httpx.post(server.url + "/predict", json={"rows": [row]}, headers={"x-request-id": "r-traced"}, timeout=60)
            assert answer.status_code == 200
            until = time.monotonic() + 30
            while b"r-traced" not in b"".join(received) and time.monotonic() < until:
                time.sleep(0.05)
        collector.shutdown()
    spans = b"".join(received)
    assert b"r-traced" in spans
    assert b"/predict" in spans
    assert b"987654" not in spans


def test_without_the_endpoint_nothing_of_it_is_imported(table_client: TestClient) -> None:
    import subprocess
    import sys

    script = "import sys, modelserver.serve; print('opentelemetry.sdk' in sys.modules)"
    environment = {"PYTHONPATH": str(served.PACKAGE)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == "False"
