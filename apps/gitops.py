"""How this platform reaches its cluster: the repository, Argo CD, Crossplane with its packages, and the keys of the clouds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from mlplatform import argocd, crossplane
from mlplatform.core import Api, Platform
from mlplatform.crossplane.access import aws_secrets_manager, in_cluster_config
from mlplatform.roles import claim_readers

REPOSITORY = argocd.Repository("https://git.acme.com/ml/platform.git")

ACCOUNT = "arn:aws:iam::111122223333"

STORES: dict[str, tuple[str, ...]] = {"platform": (), "crossplane": ("crossplane-system",)}
"""ClusterSecretStores with the namespaces that may read them: keys of claims (the environments name it too), and keys of the clouds."""

REGION = "eu-central-1"
"""Region of the cluster and of its secrets."""

IDENTITIES = {"aws": f"{ACCOUNT}:role/crossplane-providers"}
"""Accounts of the cloud that the cluster runs in: providers of this cloud need no key."""

SETTINGS: dict[str, dict[str, Any]] = {
    "aws": {},
    "gcp": {"projectID": "acme-ml-platform"},
    "azure": {"subscriptionID": "00000000-1111-2222-3333-444444444444", "tenantID": "55555555-6666-7777-8888-999999999999"},
}
"""What the ProviderConfig of each cloud says besides who it is."""

ROOT, CORE, INFRASTRUCTURE = "01-root", "02-core", "03-infrastructure"
ARGOCD = "00-argocd"

BECAUSE = {
    ARGOCD: "Argo CD's project and settings: nothing is synced without a project",
    ROOT: "the Application that syncs the next ones; it cannot wait for itself, so the bootstrap command applies it",
    CORE: "Crossplane and external-secrets bring the CRDs of packages and secrets",
    INFRASTRUCTURE: "the Application that syncs what follows, up to the claims' Applications",
    "04-runtimes": "Providers name how their Pods run, and as whom",
    "05-packages": "CRDs of managed resources, and the functions that Compositions call",
    "06-secret-stores": "ExternalSecrets name their store",
    "07-credentials": "ProviderConfigs name the secrets that these make",
    "08-provider-configs": "managed resources need an account to work with",
    "10-xrds": "the APIs: Crossplane makes the CRDs of claims from them",
    "15-environments": "Compositions read them",
    "16-network": "managed resources that all claims share",
    "20-compositions": "they name the API that they implement",
    "25-roles": "who may look at claims",
    "30-teams": "claims live in a team's namespace, and a team's project allows them",
    "35-claim-applications": "one Application for each team that claims something; it names the team's project",
    "40-claims": "what the teams want: last, for it needs all of the above",
}


def add(platform: Platform, apis: Sequence[Api[Any]], teams: Iterable[str]) -> None:
    """Add everything around the APIs; the Compositions must be there already, for they say which packages are needed."""
    needed = crossplane.Packages.of(platform.folders)
    clouds = [crossplane.CLOUDS[name] for name in needed.clouds()]

    start = platform.folder(ARGOCD)
    argocd.platform_project(
        start,
        sources=[REPOSITORY.url, *(chart.repository for chart in crossplane.CHARTS)],
        namespaces=crossplane.NAMESPACES,
    )
    argocd.settings(start, apis)
    argocd.root(platform.folder(ROOT), REPOSITORY, folders=(ARGOCD, CORE, INFRASTRUCTURE))
    reader = crossplane.CLOUDS["aws"].annotation
    crossplane.add_charts(platform.folder(CORE), secrets_annotations={reader: f"{ACCOUNT}:role/external-secrets"})
    argocd.infrastructure(platform.folder(INFRASTRUCTURE), REPOSITORY, without=(ARGOCD, ROOT, CORE, INFRASTRUCTURE))

    runtimes = platform.folder("04-runtimes")
    needed.add_runtimes(runtimes, clouds, identities=IDENTITIES)
    needed.add_roles(runtimes)
    needed.add_packages(platform.folder("05-packages"))

    stores = platform.folder("06-secret-stores")
    for name, namespaces in STORES.items():
        provider = aws_secrets_manager(REGION, f"{ACCOUNT}:role/external-secrets-{name}")
        crossplane.secret_store(stores, name, provider=provider, namespaces=namespaces)
    keys, configs = platform.folder("07-credentials"), platform.folder("08-provider-configs")
    for cloud in clouds:
        injected = cloud.name in IDENTITIES
        if not injected:
            crossplane.credentials(keys, cloud, store="crossplane", key=f"crossplane/{cloud.name}")
        crossplane.provider_config(configs, cloud, injected=injected, settings=SETTINGS[cloud.name])
    for version, name in needed.in_cluster().items():
        in_cluster_config(configs, version, name)

    claim_readers(platform.folder("25-roles"), apis)
    argocd.claims(platform.folder("35-claim-applications"), REPOSITORY, apis)
    for team in teams:
        # Argo CD makes an Application for each folder: without a file in it, a team's last claim would go with its Application, unseen
        platform.note(f"40-claims/{team}/README.md", f"Claims of team {team}, from `apps/claims/{team}/` and `apps/teams/{team}.py`.\n")

    root = "Application `root`"
    platform.note(
        "README.md",
        argocd.readme(
            platform.folders,
            synced_by={
                ARGOCD: root,
                ROOT: "the bootstrap command",
                CORE: root,
                INFRASTRUCTURE: root,
                "40-claims": "ApplicationSet `ml-claims`",
            },
            because=BECAUSE,
            otherwise="Application `ml-infrastructure`",
        ),
    )
