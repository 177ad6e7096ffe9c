"""Objects in a team's namespace, made by provider-kubernetes: one Object for each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from crossgate.errors import SynthError
from mlplatform.core import Composition, Template, caller
from mlplatform.core import transforms as t

Readiness = Literal["SuccessfulCreate", "DeriveFromObject", "AllTrue", "DeriveFromCelQuery"]

MANIFEST = "spec.forProvider.manifest"
"""Where a patch finds the wrapped object: ``f"{MANIFEST}.spec.replicas"``."""

MADE = "status.atProvider.manifest.metadata.uid"
"""Field of the Object that is there once the wrapped object is."""


def cluster_object(
    composition: Composition, name: str, manifest: Mapping[str, Any], *, readiness: Readiness = "SuccessfulCreate", cel: str = ""
) -> Template:
    """Add an Object that makes ``manifest``; callers name it and say which namespace it goes to.

    ``readiness`` says when the Object is ready: once it is made, or as the object's own conditions or the query ``cel`` say.
    """
    if manifest["kind"] in ("List", "Object"):
        raise SynthError(f"the provider makes no {manifest['kind']} out of an Object", str(caller()), "add an Object for each object")
    policy = {"policy": readiness, **({"celQuery": cel} if cel else {})}
    return composition.add(
        name,
        {
            "apiVersion": "kubernetes.crossplane.io/v1alpha2",
            "kind": "Object",
            "spec": {"forProvider": {"manifest": dict(manifest)}, "readiness": policy, "providerConfigRef": {"name": "default"}},
        },
    ).named(f"%s-%s-{name}")


def kubernetes_object(
    composition: Composition,
    name: str,
    manifest: Mapping[str, Any],
    *,
    suffix: str | None = "",
    readiness: Readiness = "SuccessfulCreate",
    cel: str = "",
) -> Template:
    """Add an Object that makes ``manifest`` in the claim's namespace.

    A manifest without a name gets the claim's, with ``-suffix`` after it if there is one; with the suffix None callers name it.
    """
    template = cluster_object(composition, name, manifest, readiness=readiness, cel=cel)
    labels = composition.api.metadata.labels
    template.patch(labels["crossplane.io/claim-namespace"], f"{MANIFEST}.metadata.namespace", required=True)
    if suffix is not None and "name" not in manifest.get("metadata", {}):
        steps = [t.fmt(f"%s-{suffix}")] if suffix else []
        template.patch(labels["crossplane.io/claim-name"], f"{MANIFEST}.metadata.name", *steps, required=True)
    return template


def wait_for(template: Template, api_version: str, kind: str, *, suffix: str = "") -> Template:
    """Hold an Object back until another object of the claim (of its name, with ``suffix``) is there, and keep that one as long.

    The provider makes nothing, and says what it misses, while a reference leads nowhere.
    """
    references = template.base["spec"].setdefault("references", [])
    at = f"spec.references[{len(references)}].dependsOn"
    references.append({"dependsOn": {"apiVersion": api_version, "kind": kind}})
    labels = template.composition.api.metadata.labels
    template.patch(labels["crossplane.io/claim-namespace"], f"{at}.namespace")
    return template.patch(labels["crossplane.io/claim-name"], f"{at}.name", *([t.fmt(f"%s-{suffix}")] if suffix else []))
