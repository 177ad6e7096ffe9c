"""Claim → XR, as Crossplane's claim controller does it.

Source of the rules: crossplane ``internal/controller/apiextensions/claim`` (the server-side-apply syncer, its default), and
crossplane-runtime ``pkg/xcrd/schemas.go`` for the lists of fields. The controller copies ``spec`` except for its own fields, labels
and annotations except for Kubernetes' own, and adds ``spec.claimRef`` and two labels that name the claim.

The cluster ends the XR's name with five random characters. Here they come from a hash of the claim's group, kind, namespace and name,
so that a claim renders to the same names each time.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from crossgate.model import Flow
from crossgate.paths import Path, follow
from crossgate.render.admission import admitted
from crossgate.render.apis import Api
from crossgate.schema import Schemas

NAME_PREFIX_LABEL = "crossplane.io/composite"
CLAIM_NAME_LABEL = "crossplane.io/claim-name"
CLAIM_NAMESPACE_LABEL = "crossplane.io/claim-namespace"
EXTERNAL_NAME = "crossplane.io/external-name"

_STRIPPED = frozenset(
    (
        # the claim's own fields
        "compositeDeletePolicy",
        "compositionRevisionRef",
        "resourceRef",
        "writeConnectionSecretToRef",
        # the XR's own fields, which a claim could carry when its schema preserves unknown fields
        "claimRef",
        "resourceRefs",
    )
)
"""Fields of a claim's spec that never reach the XR (compositionRevisionRef does under update policy Manual)."""

_MAX_BASE = 58
"""The API server's name generator cuts the base so that five random characters fit into 63."""

_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
"""The characters that the API server draws random name endings from."""


@dataclass(frozen=True, slots=True)
class Composite:
    """The XR that a claim becomes, before a Composition is chosen; ``flows`` say which field of the claim fed which of the XR."""

    body: dict[str, Any]
    flows: tuple[Flow, ...]


def composite_for(claim: dict[str, Any], api: Api, schemas: Schemas, *, namespace: str = "default") -> Composite:
    """Make the XR that the claim controller would create for ``claim``.

    Args:
        claim: the claim as its author wrote it.
        api: the API that it claims.
        schemas: give the defaults, of the claim and then of the XR.
        namespace: where the claim lands when it does not say.
    """
    claim = admitted(claim, api, schemas)
    metadata = _mapping(claim.get("metadata"))
    claim_name = str(metadata.get("name") or metadata.get("generateName") or "")
    claim_namespace = str(metadata.get("namespace") or namespace)
    name, named_by = _name(claim, claim_name, claim_namespace)
    flows = [Flow(named_by, ("metadata", "name"))]

    labels = _carried(metadata, "labels", flows)
    labels[CLAIM_NAME_LABEL] = claim_name
    labels[CLAIM_NAMESPACE_LABEL] = claim_namespace
    # the XR controller does this before composing; composed resources are named after the label's value
    labels[NAME_PREFIX_LABEL] = labels.get(NAME_PREFIX_LABEL) or name
    annotations = _carried(metadata, "annotations", flows)
    flows += (
        Flow(("metadata", "name"), ("metadata", "labels", CLAIM_NAME_LABEL)),
        Flow(("metadata", "namespace"), ("metadata", "labels", CLAIM_NAMESPACE_LABEL)),
    )

    spec = {}
    for field, value in _mapping(claim.get("spec")).items():
        if field in _STRIPPED or (field == "compositionRef" and api.enforced):
            continue
        spec[field] = value
        flows.append(Flow(("spec", field), ("spec", field)))
    spec["claimRef"] = {
        "apiVersion": claim["apiVersion"],
        "kind": claim["kind"],
        "name": claim_name,
        "namespace": claim_namespace,
    }
    flows += (
        Flow(("metadata", "name"), ("spec", "claimRef", "name")),
        Flow(("metadata", "namespace"), ("spec", "claimRef", "namespace")),
    )

    xr_metadata: dict[str, Any] = {"name": name, "labels": labels}
    if annotations:
        xr_metadata["annotations"] = annotations
    xr = admitted({"apiVersion": api.api_version, "kind": api.kind, "metadata": xr_metadata, "spec": spec}, api, schemas)
    revision = follow(claim, ("spec", "compositionRevisionRef"))
    if follow(xr, ("spec", "compositionUpdatePolicy")) == "Manual" and isinstance(revision, dict):
        xr["spec"]["compositionRevisionRef"] = revision
        flows.append(Flow(("spec", "compositionRevisionRef"), ("spec", "compositionRevisionRef")))
    return Composite(xr, tuple(flows))


def generated_name(base: str, *seed: str) -> str:
    """Return a name as the API server generates it from ``metadata.generateName``, with an ending drawn from a hash of ``seed``."""
    number = int.from_bytes(hashlib.sha256("\0".join(seed).encode()).digest()[:8], "big")
    ending = ""
    for _ in range(5):
        number, index = divmod(number, len(_ALPHABET))
        ending += _ALPHABET[index]
    return base[:_MAX_BASE] + ending


def _name(claim: dict[str, Any], name: str, namespace: str) -> tuple[str, Path]:
    """Return the XR's name and the claim's field that it comes from."""
    bound = follow(claim, ("spec", "resourceRef", "name"))
    if isinstance(bound, str) and bound:
        return bound, ("spec", "resourceRef", "name")
    group = str(claim["apiVersion"]).rpartition("/")[0]
    return generated_name(f"{name}-", group, str(claim["kind"]), namespace, name), ("metadata", "name")


def _carried(metadata: dict[str, Any], field: str, flows: list[Flow]) -> dict[str, str]:
    """Return the labels or annotations that go over to the XR: all but those of Kubernetes itself."""
    carried = {}
    for key, value in _mapping(metadata.get(field)).items():
        # the part before the slash, or the whole key without one; "mykubernetes.io" is cut too, as the controller does
        if not isinstance(value, str) or key.split("/", 1)[0].endswith(("kubernetes.io", "k8s.io")):
            continue
        carried[key] = value
        flows.append(Flow(("metadata", field, key), ("metadata", field, key)))
    return carried


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
