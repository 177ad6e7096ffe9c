"""Plain JSON Schemas of kinds, as kubeconform reads them from a folder (``-schema-location``).

Their names say what they are for: ``<group>/<kind>_<version>.json``, as CRD catalogues have it, or
``<kind>.json`` for a kind of any group and version; the kind is in small letters. Only what a structural schema
can say is taken over; where unknown fields are not forbidden, they are allowed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from crossgate.schema.kinds import KindSchema

Schema = dict[str, Any]

ANY = "*"
"""Group and version of a schema that says neither."""

_KEYWORDS = frozenset(
    {"enum", "format", "pattern", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties"}
    | {"minimum", "maximum", "multipleOf", "required", "default", "x-kubernetes-int-or-string", "x-kubernetes-preserve-unknown-fields"}
    | {"x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-validations", "x-kubernetes-embedded-resource"}
)


def is_plain(body: Any) -> bool:
    """Say whether this is a JSON Schema of an object and no manifest."""
    return isinstance(body, dict) and "kind" not in body and "apiVersion" not in body and isinstance(body.get("properties"), dict)


def kind_of_plain(body: Schema, file: Path) -> KindSchema:
    """Return the kind that a schema file describes; its name is in small letters."""
    name, underscore, version = file.stem.lower().partition("_")
    group = file.parent.name if underscore else ANY
    schema = structural(body)
    schema["properties"] = {
        "apiVersion": {"type": "string"},
        "kind": {"type": "string"},
        "metadata": {"type": "object"},
        **schema.get("properties", {}),
    }
    return KindSchema(
        group=group,
        version=version or ANY,
        kind=name,
        plural=name,
        scope="Namespaced",
        schema=schema,
        made_by="json-schema",
        source=str(file),
    )


def structural(schema: Any) -> Schema:
    """Turn a JSON Schema into a structural one; what has no counterpart is left open."""
    if not isinstance(schema, dict) or "$ref" in schema:
        return {"x-kubernetes-preserve-unknown-fields": True}
    made: Schema = {key: value for key, value in schema.items() if key in _KEYWORDS}
    types = schema.get("type")
    named = [one for one in (types if isinstance(types, list) else [types]) if one not in (None, "null")]
    if isinstance(types, list) and "null" in types:
        made["nullable"] = True
    if sorted(named) == ["integer", "string"]:
        made["x-kubernetes-int-or-string"] = True
    elif len(named) == 1:
        made["type"] = named[0]
    for key in ("allOf", "anyOf", "oneOf"):
        if isinstance(schema.get(key), list):
            made[key] = [structural(branch) for branch in schema[key]]
    if "not" in schema:
        made["not"] = structural(schema["not"])
    if isinstance(schema.get("properties"), dict):
        made["properties"] = {name: structural(child) for name, child in schema["properties"].items()}
    if isinstance(schema.get("items"), dict):
        made["items"] = structural(schema["items"])
    rest = schema.get("additionalProperties")
    if isinstance(rest, dict):
        made["additionalProperties"] = structural(rest)
    elif rest is not False and made.get("type", "object") == "object":
        made["x-kubernetes-preserve-unknown-fields"] = True
    return made
