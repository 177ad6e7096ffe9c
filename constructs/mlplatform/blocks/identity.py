"""Accounts that machines act as, with no more rights than they need."""

from __future__ import annotations

import json
from collections.abc import Sequence

from mlplatform.core import Composition, Ref, Template

from .managed import managed, owned

NODES = "nodes"
"""What names of the accounts and roles of nodes are made of."""

CLUSTER_ROLE = "cluster"
"""Name of the role of an EKS control plane."""


def gcp_node_account(composition: Composition, *, project: Ref) -> Template:
    """Add a service account for nodes, which may write logs and metrics and pull images, and nothing else of the project."""
    account = composition.add(
        "node-account",
        managed("cloudplatform.gcp.upbound.io/v1beta1", "ServiceAccount", {"displayName": "nodes of a crossplane cluster"}),
    )
    # an account's name has at most 30 characters, so it is made of the unique part alone
    account.combine(f"{NODES}-%s", [composition.identity.hash], "metadata.name")
    role = composition.add(
        "node-account-role",
        managed("cloudplatform.gcp.upbound.io/v1beta2", "ProjectIAMMember", {"role": "roles/container.defaultNodeServiceAccount"}),
    ).named("%s-%s-nodes")
    role.patch(project, "spec.forProvider.project")
    role.combine(*gcp_member(composition, NODES, project), "spec.forProvider.member")
    return account


def gcp_bucket_access(composition: Composition, *, project: Ref, role: str = "roles/storage.objectUser", prefix: str = NODES) -> Template:
    """Let an account of the composition, of its nodes or of ``prefix``, use the composition's bucket."""
    access = gcp_access(composition, "bucket-access", project=project, role=role, prefix=prefix).named(f"%s-%s-artifacts-{prefix}")
    access.base["spec"]["forProvider"]["bucketSelector"] = {"matchControllerRef": True}
    return access


def gcp_access(
    composition: Composition, name: str, *, project: Ref, role: str = "roles/storage.objectUser", prefix: str = NODES
) -> Template:
    """Let an account of the composition use a bucket; callers name the access and say which bucket it is."""
    access = composition.add(name, managed("storage.gcp.upbound.io/v1beta2", "BucketIAMMember", {"role": role}))
    return access.combine(*gcp_member(composition, prefix, project), "spec.forProvider.member")


def gcp_member(composition: Composition, prefix: str, project: Ref) -> tuple[str, list[Ref]]:
    """Return format and parts of an account's name in a policy, known before the account exists."""
    return f"serviceAccount:{prefix}-%s@%s.iam.gserviceaccount.com", [composition.identity.hash, project]


def aws_service_role(composition: Composition, name: str, *, service: str, policies: Sequence[str] = ()) -> Template:
    """Add the role ``name``, which a service of AWS takes, with policies of AWS; others find it by its label ``role``."""
    actions = ["sts:AssumeRole", "sts:TagSession"] if service == PODS else ["sts:AssumeRole"]
    trust = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": {"Service": service}, "Action": actions}]}
    body = managed("iam.aws.upbound.io/v1beta1", "Role", {"assumeRolePolicy": json.dumps(trust)})
    body["metadata"] = {"labels": {"role": name}}
    role = composition.add(f"role-{name}", body).named(f"%s-%s-{name}")
    owned(role, "spec.forProvider.tags")
    for arn in policies:
        short = arn.rpartition("/")[2].lower().replace("_", "-")
        settings = {"policyArn": arn, "roleSelector": _role(name)}
        attachment = managed("iam.aws.upbound.io/v1beta1", "RolePolicyAttachment", settings)
        composition.add(f"role-{name}-{short}", attachment).named(f"%s-%s-{name}-{short}")
    return role


def aws_role_policy(composition: Composition, role: str) -> Template:
    """Add a policy to the role ``role``; callers write ``spec.forProvider.policy``."""
    policy = managed("iam.aws.upbound.io/v1beta1", "RolePolicy", {"roleSelector": _role(role)})
    return composition.add(f"role-{role}-policy", policy).named(f"%s-%s-{role}")


def aws_pod_role(composition: Composition, name: str, *, region: Ref, account: str, policies: Sequence[str] = ()) -> Template:
    """Add the role ``name`` for the Pods of one service account of kube-system of the composition's EKS cluster."""
    role = aws_service_role(composition, name, service=PODS, policies=policies)
    settings = {
        "clusterNameSelector": {"matchControllerRef": True},
        "namespace": "kube-system",
        "serviceAccount": account,
        "roleArnSelector": _role(name),
    }
    association = managed("eks.aws.upbound.io/v1beta1", "PodIdentityAssociation", settings)
    made = composition.add(f"role-{name}-pods", association).named(f"%s-%s-{name}")
    made.patch(region, "spec.forProvider.region")
    owned(made, "spec.forProvider.tags")
    return role


def aws_node_role(composition: Composition) -> Template:
    """Add the role of EKS nodes: they join the cluster, give Pods addresses and pull images."""
    names = ("AmazonEKSWorkerNodePolicy", "AmazonEKS_CNI_Policy", "AmazonEC2ContainerRegistryPullOnly")
    policies = [f"arn:aws:iam::aws:policy/{name}" for name in names]
    return aws_service_role(composition, NODES, service="ec2.amazonaws.com", policies=policies)


_USE_BUCKET = (
    '{"Version":"2012-10-17","Statement":['
    '{"Effect":"Allow","Action":["s3:GetObject","s3:PutObject","s3:DeleteObject"],"Resource":"arn:aws:s3:::%s-%s-artifacts/*"},'
    '{"Effect":"Allow","Action":"s3:ListBucket","Resource":"arn:aws:s3:::%s-%s-artifacts"}]}'
)


def aws_bucket_access(composition: Composition) -> Template:
    """Let the nodes use the composition's bucket."""
    name = [composition.identity.name, composition.identity.hash]
    return aws_role_policy(composition, NODES).combine(_USE_BUCKET, [*name, *name], "spec.forProvider.policy")


PODS = "pods.eks.amazonaws.com"
"""The service that hands roles to Pods of EKS."""


def _role(name: str) -> dict[str, object]:
    return {"matchControllerRef": True, "matchLabels": {"role": name}}
