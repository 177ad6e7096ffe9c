"""Objects in a team's namespace, made by provider-kubernetes: one Object for each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from crossgate.errors import SynthError
from mlplatform.core import Composition, Template, caller

Readiness = Literal["SuccessfulCreate", "DeriveFromObject", "AllTrue", "DeriveFromCelQuery"]

MANIFEST = "spec.forProvider.manifest"
"""Where a patch finds the wrapped object: ``f"{MANIFEST}.spec.replicas"``."""


def kubernetes_object(
    composition: Composition, name: str, manifest: Mapping[str, Any], *, readiness: Readiness = "SuccessfulCreate", cel: str = ""
) -> Template:
    """Add an Object that makes ``manifest`` in the claim's namespace.

    A manifest without a name gets the claim's. ``readiness`` says when the Object is ready: once it is made, or as the object's own
    conditions or the query ``cel`` say.
    """
    if manifest["kind"] in ("List", "Object"):
        raise SynthError(f"the provider makes no {manifest['kind']} out of an Object", str(caller()), "add an Object for each object")
    policy = {"policy": readiness, **({"celQuery": cel} if cel else {})}
    template = composition.add(
        name,
        {
            "apiVersion": "kubernetes.crossplane.io/v1alpha2",
            "kind": "Object",
            "spec": {"forProvider": {"manifest": dict(manifest)}, "readiness": policy, "providerConfigRef": {"name": "default"}},
        },
    ).named(f"%s-%s-{name}")
    labels = composition.api.metadata.labels
    template.patch(labels["crossplane.io/claim-namespace"], f"{MANIFEST}.metadata.namespace", required=True)
    if "name" not in manifest.get("metadata", {}):
        template.patch(labels["crossplane.io/claim-name"], f"{MANIFEST}.metadata.name", required=True)
    return template
