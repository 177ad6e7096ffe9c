"""The schema of one version: what the API server says of it before it serves the version."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from crossgate.paths import Path
from crossgate.schema.definition.defaults import default_faults
from crossgate.schema.definition.fault import Fault, structure
from crossgate.schema.definition.lost import required_faults
from crossgate.schema.definition.openapi import openapi_faults
from crossgate.schema.definition.rules import rule_faults
from crossgate.schema.definition.structural import structural_faults

Schema = dict[str, Any]

_AT_ROOT = frozenset(
    (
        *("description", "type", "format", "title", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength", "minLength"),
        *("pattern", "maxItems", "minItems", "uniqueItems", "multipleOf", "required", "items", "properties", "externalDocs", "example"),
        *("x-kubernetes-preserve-unknown-fields", "x-kubernetes-validations"),
    )
)
"""What may stand at the root of a schema whose status is a subresource."""


def schema_faults(schema: Schema, at: Path, *, status: bool) -> Iterator[Fault]:
    """Say what is wrong with a version's schema that can be decoded; ``status`` tells whether its status is a subresource.

    Defaults and rules are judged where the structure is sound, as they have no meaning before.
    """
    if status:
        yield from _root(schema, at)
    wrong = [*openapi_faults(schema, at), *structural_faults(schema, at)]
    yield from wrong
    yield from required_faults(schema, at)
    unsound = {fault.at[:length] for fault in wrong for length in range(len(at), len(fault.at) + 1)}
    yield from default_faults(schema, at, unsound)
    yield from rule_faults(schema, at, unsound)


def _root(schema: Schema, at: Path) -> Iterator[Fault]:
    for key, value in schema.items():
        empty = value is None or value == "" or (value is False and key not in ("additionalProperties", "additionalItems"))
        if not empty and key not in _AT_ROOT:
            said = f"{key} must not stand at the root of a schema whose status is a subresource"
            yield structure((*at, key), said, f"move {key} into spec or status, or say it with a CEL rule")
