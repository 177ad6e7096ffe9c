"""The input of function-patch-and-transform: ``pt.fn.crossplane.io/v1beta1``, kind Resources."""

from __future__ import annotations

from crossgate.render.decode import TYPE_META, Shape, anything, integer, pairs, string

TRANSFORM: dict[str, Shape] = {
    "type": string,
    "math": {"type": string, "multiply": integer, "clampMin": integer, "clampMax": integer},
    "map": pairs,
    "match": {
        "patterns": [{"type": string, "literal": string, "regexp": string, "result": anything}],
        "fallbackValue": anything,
        "fallbackTo": string,
    },
    "string": {
        "type": string,
        "fmt": string,
        "convert": string,
        "trim": string,
        "regexp": {"match": string, "group": integer},
        "join": {"separator": string},
        "replace": {"search": string, "replace": string},
    },
    "convert": {"toType": string, "format": string},
}
"""One transform of a patch."""

_PATCH: dict[str, Shape] = {
    "type": string,
    "fromFieldPath": string,
    "combine": {"variables": [{"fromFieldPath": string}], "strategy": string, "string": {"fmt": string}},
    "toFieldPath": string,
    "transforms": [TRANSFORM],
    "policy": {"fromFieldPath": string, "toFieldPath": string},
}

RESOURCES: dict[str, Shape] = {
    **TYPE_META,
    "patchSets": [{"name": string, "patches": [_PATCH]}],
    "environment": {"patches": [_PATCH]},
    "resources": [
        {
            "name": string,
            "base": anything,
            "patches": [{**_PATCH, "patchSetName": string}],
            "connectionDetails": [
                {"name": string, "type": string, "fromConnectionSecretKey": string, "fromFieldPath": string, "value": string},
            ],
            "readinessChecks": [
                {
                    "type": string,
                    "fieldPath": string,
                    "matchString": string,
                    "matchInteger": integer,
                    "matchCondition": {"type": string, "status": string},
                },
            ],
        },
    ],
    "writeConnectionSecretToRef": {"name": string, "namespace": string, "patches": [_PATCH]},
}
"""The whole input."""
