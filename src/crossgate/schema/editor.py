"""``crossgate schema export --editor``: JSON Schemas with which an editor completes claims.

One schema a claim kind, with the author's descriptions, and ``claims.json`` that picks the right one by
``apiVersion`` and ``kind``; ``settings.json`` holds the setting of yaml-language-server (the YAML extension
of most editors) that binds it to the claims' files.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from crossgate.schema.xrd import claim_crd, composite_crd, scope_of

Schema = dict[str, Any]

DRAFT = "http://json-schema.org/draft-07/schema#"
_PLAIN = ("title", "description", "default", "enum", "pattern", "format", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems")
_NUMBERS = ("multipleOf", "minProperties", "maxProperties", "required")


def editor_files(xrds: Iterable[dict[str, Any]], pattern: str, folder: str) -> dict[str, str]:
    """Return the files by name. XRDs without a claim offer their XR.

    ``pattern`` are the files that hold claims and ``folder`` is where the files will stand, both seen from the editor's workspace.
    """
    kinds: dict[str, Schema] = {}
    for xrd in xrds:
        crd = claim_crd(xrd) if xrd["spec"].get("claimNames") else composite_crd(xrd)
        if scope_of(xrd) == "LegacyCluster" and not xrd["spec"].get("claimNames"):
            # Nobody writes these by hand: other Compositions make them.
            continue
        spec = crd["spec"]
        for version in spec["versions"]:
            if version["served"]:
                api_version, kind = f"{spec['group']}/{version['name']}", spec["names"]["kind"]
                kinds[f"{spec['group']}_{version['name']}_{kind}.json"] = _kind(version["schema"]["openAPIV3Schema"], api_version, kind)
    files = {name: _text(kind) for name, kind in kinds.items()}
    files["claims.json"] = _text(_choice(kinds))
    files["settings.json"] = _text({"yaml.schemas": {f"{folder}/claims.json": pattern}})
    return files


def _text(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _choice(kinds: dict[str, Schema]) -> Schema:
    """Return a schema that offers every kind, and once one is written only its fields."""
    heads = [(name, kind["properties"]["apiVersion"]["const"], kind["properties"]["kind"]["const"]) for name, kind in sorted(kinds.items())]
    return {
        "$schema": DRAFT,
        "type": "object",
        "required": ["apiVersion", "kind", "metadata", "spec"],
        "properties": {
            "apiVersion": {"enum": sorted({api_version for _, api_version, _ in heads})},
            "kind": {"enum": sorted({kind for _, _, kind in heads})},
        },
        "allOf": [
            {
                "if": {"required": ["apiVersion", "kind"], "properties": {"apiVersion": {"const": api_version}, "kind": {"const": kind}}},
                "then": {"$ref": f"./{name}"},
            }
            for name, api_version, kind in heads
        ],
    }


def _kind(schema: Schema, api_version: str, kind: str) -> Schema:
    properties = schema["properties"]
    name = properties["metadata"]["properties"]["name"]
    return {
        "$schema": DRAFT,
        "title": kind,
        **({"description": schema["description"]} if schema.get("description") else {}),
        "type": "object",
        "required": ["apiVersion", "kind", "metadata", "spec"],
        "additionalProperties": False,
        "properties": {
            "apiVersion": {"const": api_version},
            "kind": {"const": kind},
            "metadata": {
                "type": "object",
                "required": ["name"],
                "properties": {
                    "name": {"type": "string", "maxLength": name["maxLength"], "pattern": "^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$"},
                    "namespace": {"type": "string", "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"},
                    "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                    "annotations": {"type": "object", "additionalProperties": {"type": "string"}},
                },
            },
            "spec": json_schema(properties["spec"]),
        },
    }


def json_schema(schema: Any) -> Any:
    """Return a structural schema as JSON Schema draft 7, as editors read it; unknown fields are underlined."""
    if not isinstance(schema, dict):
        return schema
    made: Schema = {key: schema[key] for key in (*_PLAIN, *_NUMBERS) if schema.get(key) is not None}
    types = ["integer", "string"] if schema.get("x-kubernetes-int-or-string") else [schema["type"]] if schema.get("type") else []
    if schema.get("nullable") and types:
        types.append("null")
    if types:
        made["type"] = types if len(types) > 1 else types[0]
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if schema.get(bound) is not None:
            made[exclusive if schema.get(exclusive) else bound] = schema[bound]
    if schema.get("properties"):
        made["properties"] = {name: json_schema(child) for name, child in schema["properties"].items()}
        made["additionalProperties"] = bool(schema.get("x-kubernetes-preserve-unknown-fields"))
    if isinstance(schema.get("additionalProperties"), dict):
        made["additionalProperties"] = json_schema(schema["additionalProperties"])
    for key in ("items", "not"):
        if isinstance(schema.get(key), dict):
            made[key] = json_schema(schema[key])
    for key in ("allOf", "anyOf", "oneOf"):
        if schema.get(key):
            made[key] = [_branch(branch) for branch in schema[key]]
    return made


def _branch(schema: Schema) -> Schema:
    """Return a branch, which may leave fields out without forbidding them."""
    made: Schema = json_schema(schema)
    if made.get("additionalProperties") is False:
        del made["additionalProperties"]
    return made
