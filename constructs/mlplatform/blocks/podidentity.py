"""Cloud roles and accounts for the Pods of one service account."""

from __future__ import annotations

from mlplatform.core import Composition, Ref, Template
from mlplatform.core import transforms as t

from .managed import managed, owned

ROLE_ARN = "eks.amazonaws.com/role-arn"
"""Annotation of a service account by which its Pods get a role."""

GOOGLE_ACCOUNT = "iam.gke.io/gcp-service-account"
"""The same on GKE: the account of Google Cloud that its Pods act as."""

_TRUST = (
    '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Federated":"%s"},'
    '"Action":"sts:AssumeRoleWithWebIdentity","Condition":{"StringEquals":{'
    '"%s:aud":"sts.amazonaws.com","%s:sub":"system:serviceaccount:%s:%s'
)


def aws(
    composition: Composition, *, namespace: Ref, account: Ref, cloud: Ref, prefix: str, name: str = "role", suffix: str = ""
) -> Template:
    """Add an IAM role that only one service account of the platform's cluster can take: ``account``, with ``suffix``, of ``namespace``.

    All references are to the environment; ``cloud`` has the cluster's OIDC provider and issuer. The role is called ``<prefix>-…`` with at
    most 64 characters, the limit of IAM. It may do nothing: see ``aws_policy``.
    """
    role = composition.add(name, managed("iam.aws.upbound.io/v1beta1", "Role", {"maxSessionDuration": 3600}))
    identity = composition.identity
    role.combine(f"{prefix}-%s-%s", [identity.hash, identity.name], "metadata.name", t.regexp("^.{0,63}[a-z0-9]"))
    trust = f'{_TRUST}{suffix}"}}}}}}]}}'
    trusted = [cloud.oidc_provider_arn, cloud.oidc_issuer, cloud.oidc_issuer, namespace, account]
    role.combine(trust, trusted, "spec.forProvider.assumeRolePolicy", required=True)
    return owned(role, "spec.forProvider.tags")


def aws_policy(composition: Composition, *, name: str = "role-policy") -> Template:
    """Add the policy of the composition's role; callers write ``spec.forProvider.policy``."""
    policy = managed("iam.aws.upbound.io/v1beta1", "RolePolicy", {"roleSelector": {"matchControllerRef": True}})
    return composition.add(name, policy).named(f"%s-%s-{name}")


def gcp(composition: Composition, *, pods: str, sources: list[Ref], project: Ref, prefix: str, name: str = "account") -> Template:
    """Add a service account of Google Cloud that only the Pods of one service account of the platform's cluster can act as.

    ``pods`` is a format of ``<namespace>/<service account>`` with its ``sources``, references to the environment. It may do nothing: see
    ``identity.gcp_bucket_access``. Its address is ``gcp_account``.
    """
    account = composition.add(
        name, managed("cloudplatform.gcp.upbound.io/v1beta1", "ServiceAccount", {"displayName": f"pods of a {prefix}"})
    )
    # at most 30 characters: the unique part alone
    account.combine(f"{prefix}-%s", [composition.identity.hash], "metadata.name")
    binding = composition.add(
        f"{name}-user",
        managed(
            "cloudplatform.gcp.upbound.io/v1beta2",
            "ServiceAccountIAMMember",
            {"role": "roles/iam.workloadIdentityUser", "serviceAccountIdSelector": {"matchControllerRef": True}},
        ),
    ).named(f"%s-%s-{name}-user")
    binding.combine(f"serviceAccount:%s.svc.id.goog[{pods}]", [project, *sources], "spec.forProvider.member", required=True)
    return account


def gcp_account(template: Template, *, project: Ref, prefix: str, to: str) -> Template:
    """Write the address of the account into a field."""
    return template.combine(f"{prefix}-%s@%s.iam.gserviceaccount.com", [template.composition.identity.hash, project], to)
