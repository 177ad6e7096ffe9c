"""What this platform offers, to whom, and where it runs."""

from __future__ import annotations

from pathlib import Path

from apps.teams import fraud, vision

from mlplatform.core import Definition, Platform, written_claims
from mlplatform.environments import GCP, GcpEnvironment
from mlplatform.gpucluster import GPU_CLUSTER, gpu_cluster_gcp

APIS = (GPU_CLUSTER,)
COMPOSITIONS = (gpu_cluster_gcp,)
TEAMS = (fraud, vision)

CLAIMS = Path("apps/claims")


def build() -> Platform:
    """Put the whole platform together, in sync order."""
    platform = Platform()
    definitions = platform.folder("10-xrds")
    for api in APIS:
        Definition(definitions, api)

    environments = platform.folder("15-environments")
    GCP.config(environments, GcpEnvironment(project="acme-ml-platform"))

    compositions = platform.folder("20-compositions")
    for composition in COMPOSITIONS:
        composition(compositions)

    by_claim_kind = {api.claim_kind: api for api in APIS}
    for module in TEAMS:
        team = module.TEAM
        team.add_to(platform.folder(f"30-teams/{team.name}"))
        claims = platform.folder(f"40-claims/{team.name}")
        written_claims(claims, CLAIMS / team.name, by_claim_kind, namespace=team.namespace, labels=team.labels)
        module.claims(claims)
    return platform
