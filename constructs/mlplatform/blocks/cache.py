"""Caches in memory, reached from the platform's cluster only."""

from __future__ import annotations

from mlplatform.core import Composition, Ref, Template
from mlplatform.core import transforms as t

from .managed import managed, owned

PORT = 6379


def aws(composition: Composition, *, node_type: Ref, nodes: Ref, cloud: Ref) -> Template:
    """Add a Redis replication group of ElastiCache in the cluster's private subnets, encrypted, with a password.

    From two nodes on it fails over to another zone. Callers say which secret the generated password goes to.
    """
    subnets = composition.add(
        "cache-subnets", managed("elasticache.aws.upbound.io/v1beta1", "SubnetGroup", {"description": "subnets of the cluster"})
    ).named("%s-%s-cache")
    subnets.patch(cloud.private_subnet_ids, "spec.forProvider.subnetIds")

    group = composition.add(
        "cache-firewall", managed("ec2.aws.upbound.io/v1beta1", "SecurityGroup", {"description": "who may reach the cache"})
    ).named("%s-%s-cache")
    group.named("%s-%s-cache", to="spec.forProvider.name")
    group.patch(cloud.vpc_id, "spec.forProvider.vpcId")

    rule = composition.add(
        "cache-from-nodes",
        managed(
            "ec2.aws.upbound.io/v1beta1",
            "SecurityGroupRule",
            {
                "type": "ingress",
                "protocol": "tcp",
                "fromPort": PORT,
                "toPort": PORT,
                "securityGroupIdSelector": {"matchControllerRef": True},
            },
        ),
    ).named("%s-%s-cache-from-nodes")
    rule.patch(cloud.node_security_group_id, "spec.forProvider.sourceSecurityGroupId")

    cache = composition.add(
        "replication-group",
        managed(
            "elasticache.aws.upbound.io/v1beta2",
            "ReplicationGroup",
            {
                "description": "cache of a model service",
                "engine": "redis",
                "engineVersion": "7.1",
                "parameterGroupName": "default.redis7",
                "port": PORT,
                "atRestEncryptionEnabled": "true",
                "transitEncryptionEnabled": True,
                "autoGenerateAuthToken": True,
                "autoMinorVersionUpgrade": "true",
                "applyImmediately": True,
                "subnetGroupNameSelector": {"matchControllerRef": True},
                "securityGroupIdSelector": {"matchControllerRef": True},
            },
        ),
    )
    # at most 40 characters and no two hyphens in a row: the unique part alone
    cache.combine("cache-%s", [composition.identity.hash], "metadata.name")
    cache.patch(node_type, "spec.forProvider.nodeType")
    cache.patch(nodes, "spec.forProvider.numCacheClusters")
    for field in ("automaticFailoverEnabled", "multiAzEnabled"):
        cache.patch(nodes, f"spec.forProvider.{field}", t.convert("string"), t.match([("^1$", False)], otherwise=True))
    for template in (subnets, group, rule, cache):
        template.patch(cloud.region, "spec.forProvider.region")
    for template in (subnets, group):
        owned(template, "spec.forProvider.tags")
    return owned(cache, "spec.forProvider.tags")
