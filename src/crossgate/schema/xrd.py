"""CompositeResourceDefinitions: the CRDs that Crossplane makes of them.

The rules are those of crossplane-runtime's ``pkg/xcrd`` (August 2026): which parts of the author's
schema are kept, which machinery fields are laid over it, and how long a name may be. Machinery fields
win over fields of the same name that the author wrote. The two policies have defaults in the XRD's own
CRD (Automatic and Background), so they always have one here.
"""

from __future__ import annotations

from typing import Any

from crossgate.errors import SchemaError
from crossgate.schema.crd import is_crd, kinds_of_crd
from crossgate.schema.kinds import KindSchema

XRD_GROUP = "apiextensions.crossplane.io"
MAX_NAME = 63
"""Names of claims and XRs become label values."""

_STRING = {"type": "string"}
_KEPT = ("description", "required", "x-kubernetes-validations", "oneOf")
"""What is taken over of the author's ``spec`` and ``status`` beside their fields."""


def is_definition(body: Any) -> bool:
    """Say whether a document defines kinds: a CustomResourceDefinition or a CompositeResourceDefinition."""
    return is_crd(body) or is_xrd(body)


def is_xrd(body: Any) -> bool:
    """Say whether a document is a CompositeResourceDefinition."""
    return (
        isinstance(body, dict)
        and body.get("kind") == "CompositeResourceDefinition"
        and str(body.get("apiVersion", "")).startswith(f"{XRD_GROUP}/")
    )


def scope_of(xrd: dict[str, Any]) -> str:
    """Return ``LegacyCluster``, ``Cluster`` or ``Namespaced``: the default of an XRD v1 is the first, of v2 the last."""
    scope = xrd["spec"].get("scope")
    if scope:
        return str(scope)
    return "LegacyCluster" if str(xrd.get("apiVersion", "")).endswith("/v1") else "Namespaced"


def kinds_of_xrd(xrd: dict[str, Any], source: str = "") -> list[KindSchema]:
    """Return the kinds that an XRD defines: the XR's and, when it has claim names, the claim's.

    Raises SchemaError for an XRD of which Crossplane could not make a CRD.
    """
    try:
        kinds = kinds_of_crd(composite_crd(xrd), source, made_by="xrd")
        if xrd["spec"].get("claimNames"):
            kinds += kinds_of_crd(claim_crd(xrd), source, made_by="claim")
        return kinds
    except (KeyError, TypeError, AttributeError) as error:
        raise SchemaError(
            f"this CompositeResourceDefinition cannot be used: {type(error).__name__} {error}",
            source,
            "it needs spec.group, spec.names and spec.versions",
        ) from error


def composite_crd(xrd: dict[str, Any]) -> dict[str, Any]:
    """Return the CRD of the composite resource."""
    spec = xrd["spec"]
    scope = scope_of(xrd)
    machinery = _composite_spec(scope, spec.get("defaultCompositionUpdatePolicy") or "Automatic")
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": xrd.get("metadata", {}).get("name", "")},
        "spec": {
            "group": spec["group"],
            "names": spec["names"],
            "scope": "Namespaced" if scope == "Namespaced" else "Cluster",
            "versions": [_version(version, machinery, _status(scope)) for version in spec["versions"]],
        },
    }


def claim_crd(xrd: dict[str, Any]) -> dict[str, Any]:
    """Return the CRD of the claim. Raises SchemaError when a claim name is a name of the XR too."""
    spec = xrd["spec"]
    names, claim = spec["names"], spec["claimNames"]
    for key in ("kind", "plural", "singular", "listKind"):
        if claim.get(key) and claim.get(key) == names.get(key):
            raise SchemaError(
                f"the claim's {key} {claim[key]!r} is the composite's too",
                f"spec.claimNames.{key}",
                "one API group cannot hold a name twice",
            )
    machinery = _claim_spec(spec.get("defaultCompositeDeletePolicy") or "Background")
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{claim['plural']}.{spec['group']}"},
        "spec": {
            "group": spec["group"],
            "names": claim,
            "scope": "Namespaced",
            # Crossplane gives claims status.claimConditionTypes as well.
            "versions": [_version(version, machinery, _status("LegacyCluster")) for version in spec["versions"]],
        },
    }


def _version(version: dict[str, Any], machinery: dict[str, Any], status: dict[str, Any]) -> dict[str, Any]:
    schema = (version.get("schema") or {}).get("openAPIV3Schema")
    if schema is None:
        raise SchemaError(
            f"version {version.get('name')!r} has no schema",
            f"spec.versions[{version.get('name')}].schema",
            "Crossplane makes no CRD of it",
        )
    properties = schema.get("properties") or {}
    wanted = ((properties.get("metadata") or {}).get("properties") or {}).get("name") or {}
    name = {"type": "string", "maxLength": min(MAX_NAME, wanted.get("maxLength", MAX_NAME))}
    root: dict[str, Any] = {
        "type": "object",
        "required": ["spec"],
        "properties": {
            "apiVersion": _STRING,
            "kind": _STRING,
            "metadata": {"type": "object", "properties": {"name": name}},
            "spec": _part(properties.get("spec") or {}, machinery, (*_KEPT, "x-kubernetes-preserve-unknown-fields")),
            "status": _part(properties.get("status") or {}, status, _KEPT),
        },
    }
    for key in ("description", "x-kubernetes-validations"):
        if schema.get(key):
            root[key] = schema[key]
    made = {
        "name": version["name"],
        "served": version.get("served", False),
        "storage": version.get("referenceable", False),
        "schema": {"openAPIV3Schema": root},
        "subresources": {"status": {}},
    }
    for key in ("deprecated", "deprecationWarning"):
        if version.get(key) is not None:
            made[key] = version[key]
    scale = (version.get("subresources") or {}).get("scale")
    if scale:
        made["subresources"]["scale"] = scale
    return made


def _part(author: dict[str, Any], machinery: dict[str, Any], kept: tuple[str, ...]) -> dict[str, Any]:
    """Lay the machinery fields over the author's; only the keys named in ``kept`` and the properties survive."""
    part: dict[str, Any] = {"type": "object", "properties": {**(author.get("properties") or {}), **machinery}}
    for key in kept:
        if author.get(key) or author.get(key) is False:
            part[key] = author[key]
    return part


def _object(required: tuple[str, ...], *names: str) -> dict[str, Any]:
    made: dict[str, Any] = {"type": "object", "properties": dict.fromkeys(names or required, _STRING)}
    if required:
        made["required"] = list(required)
    return made


def _selector() -> dict[str, Any]:
    return {
        "type": "object",
        "required": ["matchLabels"],
        "properties": {"matchLabels": {"type": "object", "additionalProperties": _STRING}},
    }


def _policy(values: list[str], default: str) -> dict[str, Any]:
    return {"type": "string", "enum": values, "default": default}


def _choice() -> dict[str, Any]:
    return {
        "compositionRef": _object(("name",)),
        "compositionSelector": _selector(),
        "compositionRevisionRef": _object(("name",)),
        "compositionRevisionSelector": _selector(),
        "compositionUpdatePolicy": {"type": "string", "enum": ["Automatic", "Manual"]},
    }


def _composite_spec(scope: str, update_policy: str) -> dict[str, Any]:
    reference = ("apiVersion", "kind", "name") if scope == "Namespaced" else ("apiVersion", "kind", "name", "namespace")
    machinery = {
        **_choice(),
        "compositionUpdatePolicy": _policy(["Automatic", "Manual"], update_policy),
        "resourceRefs": {"type": "array", "items": _object(("apiVersion", "kind"), *reference), "x-kubernetes-list-type": "atomic"},
    }
    if scope != "LegacyCluster":
        return {"crossplane": {"type": "object", "properties": machinery}}
    return {
        **machinery,
        "claimRef": _object(("apiVersion", "kind", "namespace", "name")),
        "writeConnectionSecretToRef": _object(("name", "namespace")),
    }


def _claim_spec(delete_policy: str) -> dict[str, Any]:
    return {
        **_choice(),
        "compositeDeletePolicy": _policy(["Background", "Foreground"], delete_policy),
        "resourceRef": _object(("apiVersion", "kind", "name")),
        "writeConnectionSecretToRef": _object(("name",)),
    }


def _status(scope: str) -> dict[str, Any]:
    condition = _object(("lastTransitionTime", "reason", "status", "type"), "message", "reason", "status", "type")
    condition["properties"]["lastTransitionTime"] = {"type": "string", "format": "date-time"}
    condition["properties"]["observedGeneration"] = {"type": "integer", "format": "int64"}
    status: dict[str, Any] = {
        "conditions": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"], "items": condition},
    }
    if scope == "LegacyCluster":
        status["connectionDetails"] = {"type": "object", "properties": {"lastPublishedTime": {"type": "string", "format": "date-time"}}}
        status["claimConditionTypes"] = {"type": "array", "x-kubernetes-list-type": "set", "items": _STRING}
    return status
