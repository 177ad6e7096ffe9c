"""The OpenAPI document of /predict and infer, made from the loaded model's contract."""

from __future__ import annotations

import copy
from typing import Any

from modelserver.errors import REASONS
from modelserver.http.predict import ARROW, CSV, JSON, MULTIPART
from modelserver.inputs import tensors
from modelserver.inputs.explain import FLOAT32_LIMIT, INTEGER_LIMIT, REQUEST_ID
from modelserver.model.manifest import Column, Manifest

Schema = dict[str, Any]

_REQUEST_ID: Schema = {"type": "string", "pattern": REQUEST_ID}
_RANKED: Schema = {
    "type": "object",
    "required": ["class_label", "confidence"],
    "properties": {"class_label": {"type": "string"}, "confidence": {"type": "number", "minimum": 0, "maximum": 1}},
}
PROBLEM: Schema = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "reason", "request_id"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "reason": {"type": "string", "enum": list(REASONS)},
        "request_id": {"type": "string"},
        "pointer": {"type": "string", "description": "JSON pointer (RFC 6901) to the fault in the body"},
    },
}


def document(generated: Schema, manifest: Manifest | None) -> Schema:
    """FastAPI's document with the prediction paths added; without a model there are none to describe yet."""
    full = copy.deepcopy(generated)
    full.setdefault("components", {}).setdefault("schemas", {})["Problem"] = PROBLEM
    for path in full["paths"].values():
        for operation in path.values():
            _use_problems(operation)
    if manifest is not None:
        full["paths"]["/predict"] = {"post": _predict(manifest)}
        full["paths"][f"/v2/models/{manifest.name}/infer"] = {"post": _infer(manifest)}
    return full


def _use_problems(operation: Schema) -> None:
    for status, response in operation.get("responses", {}).items():
        if str(status) == "404":
            response["content"] = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}


def _errors() -> Schema:
    problem = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    statuses: dict[int, list[str]] = {}
    for reason, (status, _) in REASONS.items():
        if status not in (404, 405, 500):
            statuses.setdefault(status, []).append(reason)
    return {str(status): {"description": ", ".join(reasons), "content": problem} for status, reasons in sorted(statuses.items())}


def _predict(manifest: Manifest) -> Schema:
    content: Schema
    if manifest.input.image is not None:
        binary = {"type": "string", "contentMediaType": "application/octet-stream", "format": "binary"}
        content = {
            JSON: {
                "schema": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {
                        "request_id": _REQUEST_ID,
                        "image": {
                            "type": "string",
                            "format": "byte",
                            "minLength": 1,
                            "description": "base64 of a PNG, JPEG, WEBP, GIF or BMP",
                        },
                        "image_url": {"type": "string", "format": "uri", "description": "address of an image on an allowed host"},
                    },
                    "oneOf": [{"required": ["image"]}, {"required": ["image_url"]}],
                }
            },
            MULTIPART: {
                "schema": {
                    "type": "object",
                    "required": ["image"],
                    "additionalProperties": False,
                    "properties": {"image": binary, "request_id": _REQUEST_ID},
                }
            },
        }
        answer = {**_RANKED["properties"], "top": {"type": "array", "items": _RANKED}, "request_id": {"type": "string"}}
    else:
        rows = {"type": "array", "minItems": 1, "items": row_schema(manifest.input.columns)}
        body = {
            "type": "object",
            "required": ["rows"],
            "additionalProperties": False,
            "properties": {"request_id": _REQUEST_ID, "rows": rows},
        }
        content = {
            JSON: {"schema": body},
            CSV: {"schema": {"type": "string", "description": "UTF-8 with a header line"}},
            ARROW: {"schema": {"type": "string", "format": "binary", "description": "Arrow IPC stream, uncompressed"}},
        }
        one = (
            {**_RANKED["properties"], "top": {"type": "array", "items": _RANKED}} if manifest.classifies else {"value": {"type": "number"}}
        )
        answer = {
            "request_id": {"type": "string"},
            "predictions": {"type": "array", "items": {"type": "object", "required": list(one), "properties": one}},
        }
    return _operation("predict", "Predict", content, {"type": "object", "required": list(answer), "properties": answer})


def row_schema(columns: list[Column]) -> Schema:
    """One row of a table as JSON Schema."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": [column.name for column in columns if column.missing is None],
        "properties": {column.name: _column(column) for column in columns},
    }


def _column(column: Column) -> Schema:
    schema: Schema = {"type": "string", "enum": list(column.categories)} if column.type == "category" else {"type": column.type}
    if column.type in ("number", "integer"):
        widest = INTEGER_LIMIT if column.type == "integer" else FLOAT32_LIMIT
        schema["minimum"] = -widest if column.minimum is None else column.minimum
        schema["maximum"] = widest if column.maximum is None else column.maximum
    if column.missing is not None:
        schema = {"anyOf": [schema, {"type": "null"}], "default": column.missing}
    return schema


def _infer(manifest: Manifest) -> Schema:
    names = [column.name for column in manifest.input.columns] or ["image"]
    tensor = {
        "type": "object",
        "required": ["name", "shape", "datatype", "data"],
        "properties": {
            "name": {"type": "string", "enum": names},
            "shape": {"type": "array", "items": {"type": "integer", "minimum": 0}},
            "datatype": {"type": "string"},
            "data": {"type": "array"},
            "parameters": {"type": "object"},
        },
        "additionalProperties": False,
    }
    requested = {
        "type": "object",
        "required": ["name"],
        "properties": {"name": {"enum": list(tensors.OUTPUTS[manifest.classifies])}, "parameters": {"type": "object"}},
    }
    body = {
        "type": "object",
        "required": ["inputs"],
        "properties": {
            "id": _REQUEST_ID,
            "parameters": {"type": "object"},
            "inputs": {"type": "array", "minItems": 1, "items": tensor},
            "outputs": {"type": "array", "items": requested},
        },
        "additionalProperties": False,
    }
    return _operation(
        "infer", "Infer (Open Inference Protocol v2)", {JSON: {"schema": body}}, {"type": "object", "required": ["model_name", "outputs"]}
    )


def _operation(name: str, summary: str, content: Schema, answer: Schema) -> Schema:
    headers = {
        header: {"schema": {"type": "string"}, "required": True, "description": text}
        for header, text in (
            ("x-request-id", "the request's id"),
            ("x-model-version", "version of the model"),
            ("x-model-sha256", "digest of the model"),
        )
    }
    ok = {"description": "The answer", "headers": headers, "content": {JSON: {"schema": answer}}}
    return {
        "operationId": name,
        "summary": summary,
        "tags": ["prediction"],
        "requestBody": {"required": True, "content": content},
        "responses": {"200": ok, **_errors()},
    }
