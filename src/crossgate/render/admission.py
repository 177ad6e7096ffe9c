"""What the API server makes of a claim or XR before Crossplane sees it: unknown fields gone, defaults in place.

Source of the rules: apiextensions-apiserver ``pkg/apiserver/customresource_handler.go``. An unknown field is a finding of the schema
stage; here it must not reach a patch, because on the cluster it would not either.
"""

from __future__ import annotations

from typing import Any

from crossgate.paths import follow
from crossgate.render.apis import Api
from crossgate.schema import ProblemKind, Schemas
from crossgate.schema.embedded import check_embedded
from crossgate.schema.unknown import unknown_fields


def admitted(body: dict[str, Any], api: Api, schemas: Schemas, *, status: bool = False) -> dict[str, Any]:
    """Return ``body`` as a controller reads it: pruned and defaulted in its own version, then in the referenceable one.

    Between versions only ``apiVersion`` changes (an XRD's conversion strategy None). A status is dropped unless ``status`` says that
    it is the cluster's own: XRDs make it a subresource, which a create request cannot write. ``body`` itself is left alone.
    """
    body = {key: value for key, value in body.items() if status or key != "status"}
    if body.get("apiVersion") != api.api_version:
        body = _in_version(body, schemas)
        body["apiVersion"] = api.api_version
    return _in_version(body, schemas)


def _in_version(body: dict[str, Any], schemas: Schemas) -> dict[str, Any]:
    schema = schemas.structural(str(body.get("apiVersion", "")), str(body.get("kind", "")))
    admitted = schemas.defaulted(body)
    if schema is None:
        return admitted
    for unknown in (*unknown_fields(body, schema), *check_embedded(schema, body)):
        if unknown.kind is ProblemKind.UNKNOWN_FIELD:
            del follow(admitted, unknown.at[:-1])[unknown.at[-1]]
    return admitted
