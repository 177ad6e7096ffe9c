"""Accounts that machines act as, with no more rights than they need."""

from __future__ import annotations

from mlplatform.core import Composition, Ref, Template

from .managed import managed


def gcp_node_account(composition: Composition, *, project: Ref) -> Template:
    """Add a service account for nodes, which may write logs and metrics and pull images, and nothing else of the project."""
    account = composition.add(
        "node-account",
        managed("cloudplatform.gcp.upbound.io/v1beta1", "ServiceAccount", {"displayName": "nodes of a crossplane cluster"}),
    )
    # an account's name has at most 30 characters, so it is made of the unique part alone
    account.combine("nodes-%s", [composition.identity.hash], "metadata.name")
    role = composition.add(
        "node-account-role",
        managed("cloudplatform.gcp.upbound.io/v1beta2", "ProjectIAMMember", {"role": "roles/container.defaultNodeServiceAccount"}),
    ).named("%s-%s-nodes")
    role.patch(project, "spec.forProvider.project")
    role.combine(*_member(composition, project), "spec.forProvider.member")
    return account


def gcp_bucket_access(composition: Composition, *, project: Ref, role: str = "roles/storage.objectUser") -> Template:
    """Let the node account use the composition's bucket."""
    access = composition.add(
        "bucket-access",
        managed(
            "storage.gcp.upbound.io/v1beta2",
            "BucketIAMMember",
            {"role": role, "bucketSelector": {"matchControllerRef": True}},
        ),
    ).named("%s-%s-artifacts-nodes")
    return access.combine(*_member(composition, project), "spec.forProvider.member")


def _member(composition: Composition, project: Ref) -> tuple[str, list[Ref]]:
    """Return format and parts of the account's name in a policy, known before the account exists."""
    return "serviceAccount:nodes-%s@%s.iam.gserviceaccount.com", [composition.identity.hash, project]
