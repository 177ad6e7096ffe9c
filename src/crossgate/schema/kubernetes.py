"""Kubernetes' own kinds, imported once from the wheel ``kubernetes-validate``.

The wheel holds the JSON Schemas that Kubernetes' OpenAPI document gives, with every reference in one file of
definitions. Only kinds with metadata in versions that a server offers by default are taken: betas and
alphas newer than 1.24 are off unless somebody switches them on.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crossgate.errors import SchemaError
from crossgate.schema.builtinfields import laid_over
from crossgate.schema.kinds import KindSchema
from crossgate.schema.values import DECODED

_REF = "#/$defs/"
_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
_GA = re.compile(r"v[0-9]+")
_QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity"
_INT_OR_STRING = "io.k8s.apimachinery.pkg.util.intstr.IntOrString"
_FREE = {"x-kubernetes-preserve-unknown-fields": True}

CLUSTER_SCOPED = frozenset(
    {
        "APIService",
        "CSIDriver",
        "CSINode",
        "CertificateSigningRequest",
        "ClusterRole",
        "ClusterRoleBinding",
        "ClusterTrustBundle",
        "ComponentStatus",
        "CustomResourceDefinition",
        "DeviceClass",
        "FlowSchema",
        "IPAddress",
        "IngressClass",
        "MutatingAdmissionPolicy",
        "MutatingAdmissionPolicyBinding",
        "MutatingWebhookConfiguration",
        "Namespace",
        "Node",
        "PersistentVolume",
        "PriorityClass",
        "PriorityLevelConfiguration",
        "ResourceSlice",
        "RuntimeClass",
        "SelfSubjectAccessReview",
        "SelfSubjectReview",
        "SelfSubjectRulesReview",
        "ServiceCIDR",
        "StorageClass",
        "SubjectAccessReview",
        "TokenReview",
        "ValidatingAdmissionPolicy",
        "ValidatingAdmissionPolicyBinding",
        "ValidatingWebhookConfiguration",
        "VolumeAttachment",
        "VolumeAttributesClass",
    }
)
"""Kinds without a namespace; the OpenAPI document's definitions do not say it."""


@dataclass(frozen=True, slots=True)
class Definitions:
    """The definitions of one Kubernetes version, by name, and the digest of the file that they stand in."""

    schemas: dict[str, Any]
    digest: str


def read_wheel(version: str) -> Definitions:
    """Return the definitions of a Kubernetes version (``1.36.0``). Raises SchemaError when the wheel lacks it."""
    package = importlib.util.find_spec("kubernetes_validate")
    if package is None or package.origin is None:
        raise SchemaError("the wheel with Kubernetes' schemas is not installed", "kubernetes-validate", "pip install kubernetes-validate")
    directory = Path(package.origin).parent / "kubernetes-json-schema"
    file = directory / f"v{version}-local" / "_definitions.json"
    if not file.exists():
        offered = ", ".join(sorted(found.name[1:-6] for found in directory.glob("v*-local")))
        raise SchemaError(f"the wheel has no Kubernetes {version}", "kubernetes-validate", f"it has {offered}")
    data = file.read_bytes()
    return Definitions(json.loads(data)["$defs"], f"sha256:{hashlib.sha256(data).hexdigest()}")


def kinds_of_kubernetes(definitions: dict[str, Any], source: str) -> Iterator[KindSchema]:
    """Return the kinds that the definitions hold, as structural schemas."""
    for name, definition in definitions.items():
        metadata = (definition.get("properties") or {}).get("metadata") or {}
        if metadata.get("$ref") != f"{_REF}{_META}":
            continue
        for gvk in definition.get("x-kubernetes-group-version-kind") or ():
            if _GA.fullmatch(gvk["version"]):
                yield KindSchema(
                    group=gvk["group"],
                    version=gvk["version"],
                    kind=gvk["kind"],
                    plural=_plural(gvk["kind"]),
                    scope="Cluster" if gvk["kind"] in CLUSTER_SCOPED else "Namespaced",
                    schema=_root(name, definition, definitions),
                    status="status" in definition["properties"],
                    made_by="kubernetes",
                    source=source,
                )


def _root(name: str, definition: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    schema = laid_over(name, _convert(definition, definitions, (name,)))
    schema["properties"]["metadata"] = {"type": "object"}
    for key in ("apiVersion", "kind"):
        schema["properties"][key] = {"type": "string"}
    return schema


def _convert(schema: dict[str, Any], definitions: dict[str, Any], above: tuple[str, ...]) -> dict[str, Any]:
    name = schema.get("$ref", "").removeprefix(_REF)
    if name:
        if name == _QUANTITY:
            return {"type": "string", "format": "quantity", DECODED: True}
        if name == _INT_OR_STRING:
            return {"x-kubernetes-int-or-string": True}
        if name in above:
            # Only schemas of schemas contain themselves; they are checked where a CRD is used.
            return dict(_FREE)
        return laid_over(name, _convert(definitions[name], definitions, (*above, name)))
    made: dict[str, Any] = {}
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next(one for one in kind if one != "null")
    if kind:
        made["type"] = kind
    for key in ("format", "required", "x-kubernetes-list-type", "x-kubernetes-list-map-keys"):
        if schema.get(key):
            made[key] = schema[key]
    if schema.get("properties"):
        made["properties"] = {key: _convert(child, definitions, above) for key, child in schema["properties"].items()}
    if made.get("format") in ("byte", "date-time"):
        made[DECODED] = True
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            made[key] = _convert(schema[key], definitions, above)
    if not kind or (kind == "object" and "properties" not in made and "additionalProperties" not in made):
        made.update(_FREE)
    return made


def _plural(kind: str) -> str:
    lower = kind.lower()
    if lower.endswith(("s", "x", "ch")):
        return lower if lower == "endpoints" else f"{lower}es"
    return f"{lower[:-1]}ies" if lower.endswith("y") and lower[-2] not in "aeiou" else f"{lower}s"
