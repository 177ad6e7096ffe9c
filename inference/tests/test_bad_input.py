"""Every kind of bad input gets its own 4xx with the reason and the place, never a 500."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from bad_bodies import GOOD, KINDS, rows


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_has_its_reason_and_pointer(table_client: TestClient, kind: str) -> None:
    body, status, reason, at = KINDS[kind]
    response = table_client.post("/predict", content=body, headers={"content-type": "application/json", "x-request-id": "r-1"})
    document = response.json()
    assert (response.status_code, document["reason"], document.get("pointer")) == (status, reason, at)
    assert response.headers["content-type"] == "application/problem+json"
    assert document["status"] == status
    assert document["request_id"] == response.headers["x-request-id"] == "r-1"
    assert response.headers["x-model-version"] == "7"


def test_a_default_stands_for_what_is_missing_or_null(table_client: TestClient) -> None:
    full = {"rows": [{**GOOD, "colour": "red", "score": 0.5}]}
    spare = {"rows": [{"age": 40, "income": 1000.5, "member": True, "colour": None}]}
    assert table_client.post("/predict", json=full).json()["predictions"] == table_client.post("/predict", json=spare).json()["predictions"]


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", None])
def test_an_unknown_media_type_is_415(table_client: TestClient, content_type: str | None) -> None:
    headers = {"content-type": content_type} if content_type else {}
    response = table_client.post("/predict", content=rows(), headers=headers)
    assert (response.status_code, response.json()["reason"]) == (415, "unsupported_media_type")
    assert "text/csv" in response.headers["accept-post"]


def test_a_compressed_body_is_415_so_that_it_cannot_unpack_to_gigabytes(table_client: TestClient) -> None:
    response = table_client.post("/predict", content=rows(), headers={"content-type": "application/json", "content-encoding": "gzip"})
    assert (response.status_code, response.json()["reason"]) == (415, "unsupported_encoding")


def test_a_chunked_body_is_bounded_though_it_names_no_length(table_client: TestClient) -> None:
    response = table_client.post("/predict", content=(b" " * 50_000 for _ in range(10)), headers={"content-type": "application/json"})
    assert (response.status_code, response.json()["reason"]) == (413, "too_large")


def test_other_methods_and_addresses_are_problems_too(table_client: TestClient) -> None:
    wrong = table_client.get("/predict")
    assert (wrong.status_code, wrong.json()["reason"], wrong.headers["allow"]) == (405, "method_not_allowed", "POST")
    absent = table_client.get("/nothing")
    assert (absent.status_code, absent.json()["reason"]) == (404, "not_found")
    assert absent.headers["content-type"] == "application/problem+json"
    method = table_client.post("/healthz")
    assert (method.status_code, method.json()["reason"]) == (405, "method_not_allowed")
