"""Probes, metrics, logs, documents, headers, deadlines: what an operator sees."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.torch import load_file, save_file
from starlette.testclient import TestClient

import made_models
import served
from modelserver import logs
from modelserver.errors import UsageError
from modelserver.model import digest
from modelserver.model.manifest import Column
from modelserver.settings import from_environment

ROW = {"age": 40, "income": 1000.5, "member": True, "colour": "blue", "score": 0.1}


def test_a_refused_model_leaves_the_server_unready_with_the_reason(tmp_path: Path, table_model: Path) -> None:
    with served.inside(table_model, model_sha256="0" * 64) as client:
        ready = client.get("/readyz")
        assert (ready.status_code, ready.json()["reason"]) == (503, "digest_mismatch")
        assert client.get("/healthz").status_code == 200, "a new start would not mend it"
        answer = client.post("/predict", json={"rows": [ROW]})
        assert (answer.status_code, answer.json()["reason"], answer.headers["retry-after"]) == (503, "not_ready", "5")
    with served.inside(tmp_path / "absent") as client:
        assert client.get("/readyz").json()["reason"] == "missing_file"


def test_the_digest_is_what_sha256sum_gives(table_model: Path) -> None:
    import subprocess

    names = "model.json model.safetensors"
    shell = subprocess.run(f"sha256sum {names} | sha256sum", shell=True, cwd=table_model, capture_output=True, text=True, check=True)
    from modelserver.model.artifact import find

    assert find(table_model).sha256 == shell.stdout.split()[0]
    assert (
        digest.of_file(table_model / "model.json")
        == subprocess.run(["sha256sum", "model.json"], cwd=table_model, capture_output=True, text=True, check=True).stdout.split()[0]
    )


def test_weights_that_do_not_fit_or_are_not_finite_are_refused(tmp_path: Path) -> None:
    model = made_models.write(made_models.table(), tmp_path / "model")
    weights = load_file(model / "model.safetensors")
    name = next(iter(weights))
    changes: dict[str, Any] = {
        "non_finite_weights": {**weights, name: weights[name] * float("nan")},
        "wrong_weights": {**weights, name: weights[name][:1].clone()},
    }
    for reason, tensors in changes.items():
        save_file(tensors, model / "model.safetensors")
        with served.inside(model) as client:
            assert client.get("/readyz").json()["reason"] == reason
    (model / "model.safetensors").write_bytes(b"broken")
    with served.inside(model) as client:
        assert client.get("/readyz").json()["reason"] == "broken_weights"


def test_an_architecture_that_is_not_on_the_list_is_refused(tmp_path: Path) -> None:
    model = made_models.write(made_models.table(), tmp_path / "model")
    described = json.loads((model / "model.json").read_text())
    (model / "model.json").write_text(json.dumps({**described, "architecture": {"name": "os.system"}}))
    with served.inside(model) as client:
        ready = client.get("/readyz")
        assert (ready.status_code, ready.json()["reason"]) == (503, "unknown_architecture"), ready.text


def test_a_version_that_ends_a_line_is_refused_as_it_goes_into_a_header(tmp_path: Path) -> None:
    model = made_models.write(made_models.table(), tmp_path / "model")
    text = (model / "model.json").read_text()
    (model / "model.json").write_text(json.dumps({**json.loads(text), "version": "7\n"}))
    with served.inside(model) as client:
        ready = client.get("/readyz")
        assert (ready.status_code, ready.json()["reason"]) == (503, "invalid_manifest")


def test_a_non_finite_output_is_an_error_of_its_own(tmp_path: Path) -> None:
    manifest = made_models.table(task="tabular-regression", columns=[Column("x"), Column("y")], hidden=())
    model = made_models.write(manifest, tmp_path / "model")
    weights = load_file(model / "model.safetensors")
    save_file({name: tensor * 0 + 3e38 for name, tensor in weights.items()}, model / "model.safetensors")
    manifest_file = json.loads((model / "model.json").read_text())
    manifest_file["preprocessing"] = {"mean": [0, 0], "std": [1e29, 1e29]}
    (model / "model.json").write_text(json.dumps(manifest_file))
    with served.inside(model) as client:
        assert client.get("/readyz").status_code == 200, client.get("/readyz").text
        good, bad = {"x": 0.0, "y": 0.0}, {"x": 3e38, "y": 3e38}
        answer = client.post("/predict", json={"rows": [good, bad]})
        assert (answer.status_code, answer.json()["reason"], answer.json()["pointer"]) == (422, "non_finite_output", "/rows/1")
        assert client.post("/predict", json={"rows": [good]}).status_code == 200


def test_a_slow_model_meets_the_deadline_with_504(table_model: Path) -> None:
    with served.inside(table_model, request_timeout=0.2) as client:
        service = client.front.state.service
        work = service.batcher._work
        service.batcher._inline = False

        def slow(requests: Any) -> Any:
            time.sleep(0.6)
            return work(requests)

        service.batcher._work = slow
        answer = client.post("/predict", json={"rows": [ROW]})
        assert (answer.status_code, answer.json()["reason"]) == (504, "deadline_exceeded")
        assert "retry-after" in answer.headers


def test_a_failure_inside_is_a_500_that_tells_nothing_and_is_logged(table_model: Path, caplog: pytest.LogCaptureFixture) -> None:
    with served.inside(table_model) as client:
        service = client.front.state.service

        def fail(requests: Any) -> Any:
            raise MemoryError("secret place")

        service.batcher._work = fail
        answer = client.post("/predict", json={"rows": [ROW]}, headers={"x-request-id": "r-500"})
    assert (answer.status_code, answer.json()["reason"]) == (500, "internal")
    assert "secret" not in answer.text
    assert any("r-500" in str(getattr(record, "fields", "")) and record.exc_info for record in caplog.records)


def test_headers_name_the_request_and_the_model(table_client: TestClient) -> None:
    for path in ("/healthz", "/metrics", "/v2"):
        headers = table_client.get(path, headers={"x-request-id": "mine"}).headers
        assert (headers["x-request-id"], headers["x-model-version"], len(headers["x-model-sha256"])) == ("mine", "7", 64)
    first, second = (table_client.post("/predict", json={"rows": [ROW]}).headers["x-request-id"] for _ in range(2))
    assert first != second
    assert table_client.get("/healthz", headers={"x-request-id": "a" * 200}).headers["x-request-id"] != "a" * 200
    answer = table_client.post("/predict", json={"request_id": "body", "rows": [ROW]}, headers={"x-request-id": "header"})
    assert answer.headers["x-request-id"] == answer.json()["request_id"] == "body"


def test_metrics_count_requests_reasons_and_batches(table_model: Path) -> None:
    with served.inside(table_model) as client:
        client.post("/predict", json={"rows": [ROW] * 3})
        client.post("/predict", json={"rows": []})
        text = client.get("/metrics").text
    for line in (
        'modelserver_requests_total{endpoint="predict",status="200"} 1.0',
        'modelserver_requests_total{endpoint="predict",status="422"} 1.0',
        'modelserver_refused_total{reason="empty"} 1.0',
        'modelserver_batch_rows_bucket{le="4.0"} 1.0',
        "modelserver_batch_rows_sum 3.0",
        'modelserver_request_seconds_count{endpoint="predict"} 2.0',
        "modelserver_ready 1.0",
        "modelserver_waiting_rows 0.0",
    ):
        assert line in text.splitlines()
    assert 'version="7"' in text


def test_logs_are_json_lines_without_payloads(table_model: Path, capfd: pytest.CaptureFixture[str]) -> None:
    logs.configure("info")
    with served.inside(table_model) as client:
        client.post("/predict", json={"rows": [{**ROW, "colour": "secret-value"}]}, headers={"x-request-id": "r-77"})
    out = capfd.readouterr().out
    lines = [json.loads(line) for line in out.splitlines()]
    refused = next(line for line in lines if line["event"] == "refused")
    assert (refused["request_id"], refused["reason"], refused["version"], len(refused["sha256"])) == ("r-77", "unknown_category", "7", 64)
    assert "secret-value" not in out
    assert any(line["event"] == "model_ready" for line in lines)


def test_documents(table_client: TestClient) -> None:
    document = table_client.get("/openapi.json").json()
    assert {"/predict", "/healthz", "/readyz", "/metrics", "/v2/models/people/infer"} <= document["paths"].keys()
    row = document["paths"]["/predict"]["post"]["requestBody"]["content"]["application/json"]["schema"]["properties"]["rows"]["items"]
    assert row["properties"]["colour"] == {
        "anyOf": [{"type": "string", "enum": ["red", "green", "blue"]}, {"type": "null"}],
        "default": "red",
    }
    assert table_client.get("/docs").status_code == 200


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("PORT", "eighty"),
        ("PORT", "-1"),
        ("MAX_ROWS", "0"),
        ("REQUEST_TIMEOUT", "nan"),
        ("REQUEST_TIMEOUT", "inf"),
        ("MODEL_SHA256", "abc"),
        ("LOG_LEVEL", "loud"),
    ],
)
def test_a_wrong_setting_is_named(variable: str, value: str) -> None:
    with pytest.raises(UsageError, match=variable):
        from_environment({variable: value})


def test_settings_come_from_the_environment_of_the_composition() -> None:
    settings = from_environment({"S3_BUCKET_NAME": "b", "MODEL_PATH": "k", "PORT": "", "IMAGE_HOSTS": "A.example, b.example:8443"})
    assert (settings.bucket, settings.model_path, settings.port, settings.image_hosts) == ("b", "k", 8000, ("a.example", "b.example:8443"))


def test_many_bodies_at_once_are_bounded(table_model: Path) -> None:
    with served.inside(table_model, max_held_bytes=1000) as client:
        answer = client.post("/predict", content=b" " * 2000, headers={"content-type": "application/json"})
        assert (answer.status_code, answer.json()["reason"]) == (503, "queue_full")
        assert client.post("/predict", json={"rows": [ROW]}).status_code == 200, "the bytes were given back"


def test_scores_travel_as_exact_float32(table_client: TestClient, table_model: Path) -> None:
    from modelserver.model import loaded

    model = loaded.load(table_model)
    answer = table_client.post("/predict", json={"rows": [ROW]}).json()["predictions"][0]
    row = np.array([[40, 1000.5, 1, 0, 0, 1, 0.1]], np.float32)
    assert [np.float32(item["confidence"]) for item in answer["top"]] == sorted(model.predict(row)[0].tolist(), reverse=True)
