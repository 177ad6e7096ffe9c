"""What production is spared: a deletion by accident, and what development pays for it."""

from __future__ import annotations

from mlplatform.core import Template
from mlplatform.core import transforms as t

PRODUCTION = "^(production|prod|live)$"
DEVELOPMENT = "^(development|dev|test|sandbox|staging)$"
"""How the label ``environment`` of a claim names the two; ``policies/data/environments.rego`` reads it alike."""

KEEP = ["Observe", "Create", "Update", "LateInitialize"]
"""Management policies of what stays in the cloud when its claim is deleted."""


def kept(template: Template, *fields: str) -> Template:
    """Protect a resource that holds data: ``fields`` of the resource switch its protection in the cloud.

    Protected unless the claim is labelled as development. A claim of production that is deleted, with all the questions that Argo CD
    asks first, leaves the resource in the cloud.
    """
    environment = template.composition.api.metadata.labels["environment"]
    for field in fields:
        template.put(True, field)
        template.patch(environment, field, t.change("ToLower"), t.match([(DEVELOPMENT, False)], otherwise=True))
    return template.patch(environment, "spec.managementPolicies", t.change("ToLower"), t.match([(PRODUCTION, KEEP)], otherwise=["*"]))


def kept_in_production(template: Template, *fields: str) -> Template:
    """Protect what is dear but holds no data, like a cluster: in production only."""
    environment = template.composition.api.metadata.labels["environment"]
    for field in fields:
        template.put(False, field)
        template.patch(environment, field, t.change("ToLower"), t.match([(PRODUCTION, True)], otherwise=False))
    return template.patch(environment, "spec.managementPolicies", t.change("ToLower"), t.match([(PRODUCTION, KEEP)], otherwise=["*"]))
