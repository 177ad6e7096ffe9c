"""Every version that is pinned, in one place: charts, and packages by what their names begin with."""

from __future__ import annotations

ARGO_CD = "10.9.6"
"""Helm chart of Argo CD; only the bootstrap command installs it, see docs/bootstrap.md."""

CROSSPLANE = "2.3.4"
EXTERNAL_SECRETS = "2.4.1"

REGISTRY = "xpkg.crossplane.io/crossplane-contrib"
"""Where packages come from. Crossplane knows no default for it: a package is named in full."""

PACKAGES = {
    "provider-family-": "v2.6.0",
    "provider-aws-": "v2.6.0",
    "provider-azure-": "v2.6.0",
    "provider-gcp-": "v2.6.0",
    "provider-helm": "v1.3.0",
    "provider-kubernetes": "v1.2.1",
    "function-auto-ready": "v0.6.5",
    "function-environment-configs": "v0.7.1",
    "function-patch-and-transform": "v0.10.7",
}
"""The packages of a cloud are released together and are used at one version."""
