"""Every kind of bad body for made_models.table(): (body, status, reason, pointer)."""

from __future__ import annotations

import json
from typing import Any

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
    "a request id that ends a line": (json.dumps({"request_id": "a\n", "rows": [GOOD]}).encode(), 422, "invalid_value", "/request_id"),
}
