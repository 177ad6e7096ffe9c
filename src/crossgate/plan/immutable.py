"""Fields that cannot be changed in place.

Two sources. A CRD or XRD says so itself by a CEL rule ``self == oldSelf`` (the API server refuses the change). For cloud resources the
provider's API decides; Upbound's providers are made from Terraform's, where such fields are marked ForceNew, and the CRD does not repeat
it: the provider then refuses the update ("requires replacing it"). ``FORCED`` lists those fields of the kinds that the catalogue uses, from
the argument references of the Terraform providers aws 5, google 6 and azurerm 4; ``BUILTIN`` those of Kubernetes' own kinds, from
``pkg/apis/*/validation``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from crossgate.model import Identity
from crossgate.paths import MISSING, Path, follow
from crossgate.plan.ignore import ignored
from crossgate.schema import Schemas

_OLD_SELF = re.compile(r"^\(*\s*(?:self\s*==\s*oldSelf|oldSelf\s*==\s*self)\s*\)*$")
_ONE_FIELD = re.compile(r"(?:^|&&)\s*\(*self\.([\w.]+)\s*==\s*oldSelf\.\1\)*\s*(?=&&|$)")
_SET_ONCE = re.compile(r"oldSelf\.([\w.]+)\s*(?:==|!=)\s*self\.\1|self\.([\w.]+)\s*==\s*oldSelf\.\2")

_EVERY = ("region", "location", "zone", "availabilityZone", "project", "resourceGroupName")
"""Fields under ``spec.forProvider`` that place a resource; no cloud moves one."""

FORCED: dict[tuple[str, str], tuple[str, ...]] = {
    ("ec2.aws", "VPC"): ("cidrBlock", "instanceTenancy", "ipv4IpamPoolId"),
    ("ec2.aws", "Subnet"): ("cidrBlock", "availabilityZoneId", "vpcId", "ipv6Native"),
    ("ec2.aws", "SecurityGroup"): ("name", "description", "vpcId"),
    ("ec2.aws", "SecurityGroupRule"): ("**",),
    ("ec2.aws", "NATGateway"): ("allocationId", "subnetId", "connectivityType"),
    ("ec2.aws", "LaunchTemplate"): ("name",),
    ("ec2.aws", "Route"): ("routeTableId", "destinationCidrBlock"),
    ("eks.aws", "Cluster"): ("roleArn", "encryptionConfig", "kubernetesNetworkConfig.serviceIpv4Cidr", "outpostConfig"),
    ("eks.aws", "NodeGroup"): (
        "amiType",
        "capacityType",
        "clusterName",
        "diskSize",
        "instanceTypes",
        "nodeRoleArn",
        "remoteAccess",
        "subnetIds",
    ),
    ("eks.aws", "Addon"): ("addonName", "clusterName"),
    ("elasticache.aws", "ReplicationGroup"): (
        "atRestEncryptionEnabled",
        "engine",
        "kmsKeyId",
        "port",
        "subnetGroupName",
        "snapshotArns",
        "snapshotName",
    ),
    ("elasticache.aws", "ServerlessCache"): ("engine", "kmsKeyId", "subnetIds"),
    ("iam.aws", "Role"): ("path",),
    ("iam.aws", "Policy"): ("path",),
    ("iam.aws", "RolePolicyAttachment"): ("role", "policyArn"),
    ("iam.aws", "OpenIDConnectProvider"): ("url",),
    ("s3.aws", "Bucket"): ("objectLockEnabled",),
    ("cloudplatform.gcp", "ProjectIAMMember"): ("**",),
    ("compute.gcp", "Network"): ("autoCreateSubnetworks", "description", "enableUlaInternalIpv6"),
    ("compute.gcp", "Subnetwork"): ("network", "purpose", "description"),
    ("compute.gcp", "GlobalAddress"): ("address", "addressType", "ipVersion", "network", "prefixLength", "purpose"),
    ("container.gcp", "Cluster"): (
        "clusterIpv4Cidr",
        "confidentialNodes",
        "enableAutopilot",
        "enableTpu",
        "enableKubernetesAlpha",
        "initialNodeCount",
        "ipAllocationPolicy",
        "network",
        "networkingMode",
        "privateClusterConfig.masterIpv4CidrBlock",
        "subnetwork",
        "nodeConfig",
    ),
    ("container.gcp", "NodePool"): (
        "cluster",
        "initialNodeCount",
        "maxPodsPerNode",
        "networkConfig.podRange",
        "nodeConfig.guestAccelerator",
        "nodeConfig.localSsdCount",
        "nodeConfig.minCpuPlatform",
        "nodeConfig.oauthScopes",
        "nodeConfig.preemptible",
        "nodeConfig.serviceAccount",
        "nodeConfig.spot",
        "nodeConfig.shieldedInstanceConfig",
        "placementPolicy",
    ),
    ("servicenetworking.gcp", "Connection"): ("network", "service"),
    ("secretmanager.gcp", "Secret"): ("replication",),
    ("sql.gcp", "Database"): ("instance",),
    ("sql.gcp", "DatabaseInstance"): ("encryptionKeyName", "masterInstanceName", "restoreBackupContext"),
    ("sql.gcp", "User"): ("instance", "host", "type"),
    ("storage.gcp", "Bucket"): ("customPlacementConfig", "enableObjectRetention", "hierarchicalNamespace"),
    ("storage.gcp", "BucketIAMMember"): ("**",),
    ("containerservice.azure", "KubernetesCluster"): (
        "dnsPrefix",
        "defaultNodePool.name",
        "networkProfile.networkPlugin",
        "networkProfile.serviceCidr",
        "networkProfile.podCidr",
        "networkProfile.dnsServiceIp",
        "nodeResourceGroup",
        "privateClusterEnabled",
    ),
    ("containerservice.azure", "KubernetesClusterNodePool"): (
        "kubernetesClusterId",
        "osDiskType",
        "osSku",
        "osType",
        "podSubnetId",
        "priority",
        "spotMaxPrice",
        "vmSize",
        "vnetSubnetId",
        "zones",
    ),
    ("managedidentity.azure", "UserAssignedIdentity"): ("name",),
    ("managedidentity.azure", "FederatedIdentityCredential"): ("parentId",),
    ("network.azure", "VirtualNetwork"): ("edgeZone",),
    ("network.azure", "Subnet"): ("virtualNetworkName",),
    ("storage.azure", "Account"): (
        "accountKind",
        "accountTier",
        "edgeZone",
        "isHnsEnabled",
        "nfsv3Enabled",
        "infrastructureEncryptionEnabled",
    ),
    ("storage.azure", "Container"): ("storageAccountName", "storageAccountId"),
}
"""Patterns below ``spec.forProvider``, without the indices of lists (names that the cloud knows a resource by are external names and
stand in its annotation instead), by API group without ``.upbound.io`` and ``.m``, and kind."""

BUILTIN: dict[tuple[str, str], tuple[str, ...]] = {
    ("", "PersistentVolumeClaim"): ("spec.accessModes", "spec.selector", "spec.storageClassName", "spec.volumeMode", "spec.volumeName"),
    ("", "PersistentVolume"): ("spec.csi", "spec.hostPath", "spec.nfs", "spec.volumeMode"),
    ("", "Pod"): ("spec.nodeName", "spec.serviceAccountName", "spec.volumes", "spec.hostNetwork"),
    ("", "Service"): ("spec.clusterIP",),
    ("apps", "Deployment"): ("spec.selector",),
    ("apps", "DaemonSet"): ("spec.selector",),
    ("apps", "ReplicaSet"): ("spec.selector",),
    ("apps", "StatefulSet"): ("spec.podManagementPolicy", "spec.selector", "spec.serviceName", "spec.volumeClaimTemplates"),
    ("batch", "Job"): ("spec.completionMode", "spec.selector", "spec.template"),
    ("rbac.authorization.k8s.io", "RoleBinding"): ("roleRef",),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): ("roleRef",),
    ("storage.k8s.io", "StorageClass"): ("parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"),
    ("scheduling.k8s.io", "PriorityClass"): ("value",),
    ("node.k8s.io", "RuntimeClass"): ("handler",),
}
"""Patterns by API group and kind."""


def why_immutable(identity: Identity, path: Path, schemas: Schemas, after: Any) -> str:
    """Return one clause that says why a field of a resource cannot be changed in place, or the empty string.

    Args:
        identity: the resource.
        path: the field that changes.
        schemas: know the CEL rules of its kind.
        after: the resource as it will be; a field that is gone is judged by the rules of the object above.
    """
    if path == ("metadata", "annotations", "crossplane.io/external-name"):
        return "it names another resource in the cloud; the one so far stays there without an owner"
    rule = next(_rules(schemas.structural(identity.api_version, identity.kind), path, after), "")
    if rule:
        return f"the API server refuses it: {rule}"
    if (identity.group, identity.kind) in BUILTIN and ignored(path, BUILTIN[identity.group, identity.kind]):
        return "Kubernetes refuses the update"
    family = provider_group(identity.group)
    if family and path[:2] == ("spec", "forProvider") and len(path) > 2:
        below = tuple(step for step in path[2:] if isinstance(step, str))
        if below[0] in _EVERY or ignored(below, FORCED.get((family, identity.kind), ())):
            return "the provider refuses the update"
    return ""


def provider_group(group: str) -> str:
    """Return the API group of a cloud's provider without what all of them share: ``storage.gcp`` for ``storage.gcp.m.upbound.io``."""
    return group.removesuffix(".upbound.io").removesuffix(".m") if group.endswith(".upbound.io") else ""


def _rules(schema: Any, path: Path, body: Any) -> Iterator[str]:
    """Yield what the rules that forbid a change of ``path`` say, from the object down to the field."""
    below = path
    while isinstance(schema, dict):
        for rule in schema.get("x-kubernetes-validations") or ():
            text = str(rule.get("rule", "")) if isinstance(rule, dict) else ""
            if "oldSelf" in text and _forbids(text, below):
                yield str(rule.get("message") or text)
        if not below:
            return
        step, below = below[0], below[1:]
        properties = schema.get("properties")
        if isinstance(step, int):
            schema = schema.get("items")
        elif isinstance(properties, dict) and step in properties:
            schema = properties[step]
        else:
            schema = schema.get("additionalProperties")


def _forbids(rule: str, below: Path) -> bool:
    if _OLD_SELF.match(rule):
        return True
    named = {name for found in _SET_ONCE.finditer(rule) for name in found.groups() if name} | {f[1] for f in _ONE_FIELD.finditer(rule)}
    return any(tuple(name.split(".")) == tuple(str(step) for step in below[: len(name.split("."))]) for name in named)


def kept_in_cloud(body: Any) -> bool:
    """Say whether the cloud's resource stays when the object goes: ``deletionPolicy: Orphan``, or no Delete among the policies."""
    policies = follow(body, ("spec", "managementPolicies"))
    if isinstance(policies, list) and policies:
        return not {"*", "Delete"} & {policy for policy in policies if isinstance(policy, str)}
    found = follow(body, ("spec", "deletionPolicy"))
    return found is not MISSING and found == "Orphan"
