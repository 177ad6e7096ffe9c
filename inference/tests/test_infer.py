"""Open Inference Protocol v2."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

import made_models
import served
from pictures import picture

ROW: dict[str, Any] = {"age": 40, "income": 1000.5, "member": True, "colour": "blue", "score": 0.1}


def tensors(count: int = 2, **changes: dict[str, Any] | None) -> list[dict[str, Any]]:
    """The row's columns as tensors; a change replaces members of one, None leaves it out."""
    kinds = {"age": "INT64", "income": "FP64", "member": "BOOL", "colour": "BYTES", "score": "FP32"}
    out: list[dict[str, Any]] = []
    for name, value in ROW.items():
        change = changes.get(name, {})
        if change is not None:
            out.append({"name": name, "shape": [count], "datatype": kinds[name], "data": [value] * count, **change})
    return out


def infer(client: TestClient, body: Any, path: str = "/v2/models/people/infer") -> Any:
    return client.post(path, json=body)


def test_metadata_and_health(table_client: TestClient) -> None:
    assert table_client.get("/v2").json()["name"] == "modelserver"
    assert table_client.get("/v2/health/live").status_code == table_client.get("/v2/health/ready").status_code == 200
    metadata = table_client.get("/v2/models/people").json()
    assert metadata["versions"] == ["7"]
    assert {tensor["name"]: tensor["datatype"] for tensor in metadata["inputs"]} == {
        "age": "INT64",
        "income": "FP64",
        "member": "BOOL",
        "colour": "BYTES",
        "score": "FP64",
    }
    assert [tensor["name"] for tensor in metadata["outputs"]] == ["class_label", "confidence", "probabilities"]
    assert table_client.get("/v2/models/people/versions/7/ready").status_code == 200
    assert table_client.get("/v2/models/people/ready").status_code == 200
    for path in ("/v2/models/other", "/v2/models/people/versions/8", "/v2/models/other/ready"):
        assert (table_client.get(path).status_code, table_client.get(path).json()["reason"]) == (404, "model_not_found")


def test_infer_gives_the_answer_of_predict(table_client: TestClient) -> None:
    plain = table_client.post("/predict", json={"rows": [ROW, ROW]}).json()["predictions"]
    answer = infer(table_client, {"id": "r-3", "inputs": tensors()})
    assert answer.status_code == 200, answer.text
    body = answer.json()
    outputs = {tensor["name"]: tensor for tensor in body["outputs"]}
    assert (body["model_name"], body["model_version"], body["id"]) == ("people", "7", "r-3")
    assert outputs["class_label"]["data"] == [item["class_label"] for item in plain]
    assert outputs["confidence"]["data"] == [item["confidence"] for item in plain]
    assert outputs["probabilities"]["shape"] == [2, 3]
    assert np.isclose(sum(outputs["probabilities"]["data"]), 2)
    column = [{**tensor, "shape": [2, 1], "data": [[value] for value in tensor["data"]]} for tensor in tensors()]
    assert infer(table_client, {"id": "r-3", "inputs": column}, "/v2/models/people/versions/7/infer").json() == body
    chosen = infer(table_client, {"inputs": tensors(), "outputs": [{"name": "confidence"}]}).json()
    assert [tensor["name"] for tensor in chosen["outputs"]] == ["confidence"]


@pytest.mark.parametrize(
    ("body", "reason", "at"),
    [
        ({}, "missing_field", "/inputs"),
        ([], "wrong_type", ""),
        ({"inputs": []}, "empty", "/inputs"),
        ({"inputs": {}}, "wrong_type", "/inputs"),
        ({"inputs": [1]}, "wrong_type", "/inputs/0"),
        ({"inputs": [{"name": "age"}]}, "missing_field", "/inputs/0/shape"),
        ({"inputs": tensors(), "more": 1}, "unknown_field", "/more"),
        ({"inputs": tensors(), "id": "a b"}, "invalid_value", "/id"),
        ({"inputs": tensors(), "id": "a\n"}, "invalid_value", "/id"),
        ({"inputs": tensors(age=None)}, "missing_column", "/inputs"),
        ({"inputs": [*tensors(), tensors()[0]]}, "duplicate_column", "/inputs/5/name"),
        ({"inputs": tensors(age={"name": "other"})}, "unknown_column", "/inputs/0/name"),
        ({"inputs": tensors(age={"datatype": "BYTES"})}, "unsupported_datatype", "/inputs/0/datatype"),
        ({"inputs": tensors(age={"shape": [3]})}, "invalid_shape", "/inputs/0/shape"),
        ({"inputs": tensors(age={"shape": [1, 2]})}, "invalid_shape", "/inputs/0/shape"),
        ({"inputs": tensors(age={"shape": []})}, "invalid_shape", "/inputs/0/shape"),
        ({"inputs": tensors(income={"shape": [1], "data": [1]})}, "invalid_shape", "/inputs/1/shape"),
        ({"inputs": tensors(age={"shape": [-2]})}, "wrong_type", None),
        ({"inputs": tensors(age={"data": [1, 121]})}, "out_of_range", "/inputs/0/data/1"),
        ({"inputs": tensors(income={"data": [1, None]})}, "null_value", "/inputs/1/data/1"),
        ({"inputs": tensors(income={"data": [1, "x"]})}, "wrong_type", "/inputs/1/data/1"),
        ({"inputs": tensors(income={"data": [1, 1e39]})}, "not_finite", "/inputs/1/data/1"),
        ({"inputs": tensors(colour={"data": ["blue", "pink"]})}, "unknown_category", "/inputs/3/data/1"),
        ({"inputs": tensors(0)}, "empty", "/inputs/0/data"),
        ({"inputs": tensors(101)}, "too_many_rows", "/inputs/0/shape"),
        ({"inputs": tensors(), "outputs": [{"name": "x"}]}, "unknown_output", "/outputs/0/name"),
    ],
)
def test_each_fault_has_its_reason(table_client: TestClient, body: Any, reason: str, at: str | None) -> None:
    response = infer(table_client, body)
    assert response.json()["reason"] == reason, response.text
    assert 400 <= response.status_code < 500
    if at is not None:
        assert response.json()["pointer"] == at


def test_images_by_infer(image_client: TestClient) -> None:
    text = base64.b64encode(picture()).decode()
    tensor = {"name": "image", "shape": [2], "datatype": "BYTES", "data": [text, text]}
    answer = infer(image_client, {"inputs": [tensor]}, "/v2/models/pictures/infer")
    plain = image_client.post("/predict", json={"image": text}).json()
    outputs = {tensor["name"]: tensor["data"] for tensor in answer.json()["outputs"]}
    assert outputs["class_label"] == [plain["class_label"]] * 2
    assert outputs["confidence"] == [plain["confidence"]] * 2
    bad = infer(image_client, {"inputs": [{**tensor, "data": [text, "AAAA"]}]}, "/v2/models/pictures/infer")
    assert (bad.json()["reason"], bad.json()["pointer"]) == ("invalid_image", "/inputs/0/data/1")


def test_regression(tmp_path: Any) -> None:
    model = made_models.write(made_models.table(task="tabular-regression"), tmp_path / "model")
    with served.inside(model) as client:
        plain = client.post("/predict", json={"rows": [ROW]}).json()["predictions"]
        answer = infer(client, {"inputs": tensors(1)}).json()["outputs"]
    assert answer == [{"name": "prediction", "shape": [1], "datatype": "FP32", "data": [plain[0]["value"]]}]
