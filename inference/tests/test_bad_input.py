"""Every kind of bad input gets its own 4xx with the reason and the place, never a 500."""

from __future__ import annotations

import json
from typing import Any

import pytest
from starlette.testclient import TestClient

GOOD: dict[str, Any] = {"age": 40, "income": 1000.5, "member": True, "colour": "blue", "score": 0.1}


def rows(**changes: Any) -> bytes:
    return json.dumps({"rows": [GOOD, {**GOOD, **changes}]}).encode()


def without(name: str) -> bytes:
    return json.dumps({"rows": [{key: value for key, value in GOOD.items() if key != name}]}).encode()


KINDS = {
    "malformed JSON": (b'{"rows": [', 400, "malformed_json", ""),
    "not UTF-8": (b'{"rows": "\xff"}', 400, "malformed_json", ""),
    "an empty body": (b"", 422, "empty", ""),
    "a missing field": (b'{"request_id": "a"}', 422, "missing_field", "/rows"),
    "an unknown field": (b'{"rows": [], "x/y": 1}', 422, "unknown_field", "/x~1y"),
    "a missing column": (without("income"), 422, "missing_column", "/rows/0/income"),
    "an unknown column": (rows(extra=1), 422, "unknown_column", "/rows/1/extra"),
    "a wrong type": (rows(income="much"), 422, "wrong_type", "/rows/1/income"),
    "a number for a boolean": (rows(member=1), 422, "wrong_type", "/rows/1/member"),
    "a boolean for a number": (rows(income=True), 422, "wrong_type", "/rows/1/income"),
    "a fraction for an integer": (rows(age=1.5), 422, "wrong_type", "/rows/1/age"),
    "null": (rows(income=None), 422, "null_value", "/rows/1/income"),
    "NaN": (rows(income=float("nan")), 422, "not_finite", "/rows/1/income"),
    "infinity": (rows(score=float("inf")), 422, "not_finite", "/rows/1/score"),
    "a number beyond float64": (rows(income=0).replace(b'"income": 0', b'"income": 1e999'), 422, "not_finite", "/rows/1/income"),
    "infinite only as float32": (rows(income=1e39), 422, "not_finite", "/rows/1/income"),
    "an integer beyond float64": (rows(income=10**400), 422, "not_finite", "/rows/1/income"),
    "an integer of 5,000 digits": (b'{"rows": [{"income": ' + b"9" * 5000 + b"}]}", 400, "malformed_json", ""),
    "under the range": (rows(age=-1), 422, "out_of_range", "/rows/1/age"),
    "over the range": (rows(age=121), 422, "out_of_range", "/rows/1/age"),
    "an unknown category": (rows(colour="pink"), 422, "unknown_category", "/rows/1/colour"),
    "no rows": (b'{"rows": []}', 422, "empty", "/rows"),
    "rows that are no list": (b'{"rows": {}}', 422, "wrong_type", "/rows"),
    "a row that is no object": (b'{"rows": [1]}', 422, "wrong_type", "/rows/0"),
    "no object at all": (b"[]", 422, "wrong_type", ""),
    "too many rows": (json.dumps({"rows": [GOOD] * 101}).encode(), 413, "too_many_rows", "/rows"),
    "too large": (b'{"rows": "' + b"x" * 200_000 + b'"}', 413, "too_large", None),
    "too deep": (b'{"rows": ' + b"[" * 90_000 + b"]" * 90_000 + b"}", 400, "too_deep", ""),
    "a request id of null": (json.dumps({"request_id": None, "rows": [GOOD]}).encode(), 422, "null_value", "/request_id"),
    "a request id with a line break": (json.dumps({"request_id": "a\nb", "rows": [GOOD]}).encode(), 422, "invalid_value", "/request_id"),
}


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
