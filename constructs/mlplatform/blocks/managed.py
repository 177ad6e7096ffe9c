"""The frame of every managed resource, and who owns it."""

from __future__ import annotations

from typing import Any

from mlplatform.core import SECRETS_NAMESPACE, Template
from mlplatform.core import transforms as t

TEAM_NAMESPACE = "ml-team-"
"""Teams own the namespaces that begin so; what follows is the team's name."""


def managed(api_version: str, kind: str, for_provider: dict[str, Any], *, secret: bool = False) -> dict[str, Any]:
    """Return the base of a managed resource; ``secret`` keeps its connection details, under a name that a patch gives."""
    spec: dict[str, Any] = {"forProvider": for_provider, "providerConfigRef": {"name": "default"}}
    if secret:
        spec["writeConnectionSecretToRef"] = {"namespace": SECRETS_NAMESPACE}
    return {"apiVersion": api_version, "kind": kind, "spec": spec}


def owned(template: Template, tags: str) -> Template:
    """Label a resource, at the field ``tags``, with its team, owner and cost center, and with its environment where the claim names one.

    The team is read from the claim's namespace, which nobody can write a claim into but the team; the others are labels of the claim.
    Clouds allow lower case letters, digits, hyphens and underscores in a label.
    """
    metadata = template.composition.api.metadata
    template.patch(metadata.labels["crossplane.io/claim-namespace"], f"{tags}.team", t.trim_prefix(TEAM_NAMESPACE))
    for label in ("owner", "cost-center", "environment"):
        template.patch(metadata.labels[label], f"{tags}.{label}", t.change("ToLower"), t.replace(".", "-"))
    return template
