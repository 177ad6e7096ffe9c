"""Managed Kubernetes clusters whose API is reached from private networks only; node pools are added to them."""

from __future__ import annotations

import json

from mlplatform.core import Composition, Ref, Template

from .identity import CLUSTER_ROLE, aws_pod_role, aws_role_policy, aws_service_role
from .managed import managed, owned
from .network import IN_GROUP, PODS, PRIVATE, SERVICES
from .protection import kept_in_production

INTERNAL = "10.0.0.0/8"
"""Who may talk to a cluster's API: private networks."""

KUBECONFIG = "platform.acme.com/kubeconfig"
"""Annotation of a cluster of AWS that its kubeconfig is read from: it holds no secret, the AWS command line brings the token."""


def gcp(composition: Composition, *, region: Ref, project: Ref, protected: bool = True) -> Template:
    """Add a VPC-native GKE cluster with private nodes, workload identity, logging and monitoring, in the composition's network.

    Node sizes are set by pools, so it is no Autopilot cluster, which chooses machines itself; to leave ``enableAutopilot`` out says so
    (with false beside ``removeDefaultNodePool`` the provider reports a conflict). A ``protected`` cluster cannot be deleted by accident
    where the claim's label says production; else callers decide.
    """
    cluster = composition.add(
        "cluster",
        managed(
            "container.gcp.upbound.io/v1beta2",
            "Cluster",
            {
                "releaseChannel": {"channel": "REGULAR"},
                # GKE makes no cluster without a first pool; it is deleted at once, node pools of their own take its place
                "initialNodeCount": 1,
                "removeDefaultNodePool": True,
                "networkSelector": {"matchControllerRef": True},
                "subnetworkSelector": {"matchControllerRef": True},
                "networkingMode": "VPC_NATIVE",
                "ipAllocationPolicy": {"clusterSecondaryRangeName": PODS, "servicesSecondaryRangeName": SERVICES},
                "privateClusterConfig": {
                    "enablePrivateNodes": True,
                    "enablePrivateEndpoint": False,
                    "masterIpv4CidrBlock": "172.16.0.0/28",
                },
                "masterAuthorizedNetworksConfig": {"cidrBlocks": [{"cidrBlock": INTERNAL, "displayName": "private networks"}]},
                "addonsConfig": {"gcePersistentDiskCsiDriverConfig": {"enabled": True}},
                "loggingConfig": {"enableComponents": ["SYSTEM_COMPONENTS", "WORKLOADS"]},
                "monitoringConfig": {"enableComponents": ["SYSTEM_COMPONENTS"], "managedPrometheus": {"enabled": True}},
            },
            secret=True,
        ),
    ).named()
    cluster.named("%s-%s-cluster", to="spec.writeConnectionSecretToRef.name")
    cluster.patch(region, "spec.forProvider.location")
    cluster.combine("%s.svc.id.goog", [project], "spec.forProvider.workloadIdentityConfig.workloadPool")
    cluster.put(False, "spec.forProvider.deletionProtection")
    if protected:
        kept_in_production(cluster, "spec.forProvider.deletionProtection")
    return owned(cluster, "spec.forProvider.resourceLabels")


_SCALER_POLICY = {
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Allow",
            "Action": [
                "autoscaling:DescribeAutoScalingGroups",
                "autoscaling:DescribeAutoScalingInstances",
                "autoscaling:DescribeLaunchConfigurations",
                "autoscaling:DescribeScalingActivities",
                "ec2:DescribeImages",
                "ec2:DescribeInstanceTypes",
                "ec2:DescribeLaunchTemplateVersions",
                "ec2:GetInstanceTypesFromInstanceRequirements",
                "eks:DescribeNodegroup",
            ],
            "Resource": "*",
        },
        {
            "Effect": "Allow",
            "Action": ["autoscaling:SetDesiredCapacity", "autoscaling:TerminateInstanceInAutoScalingGroup"],
            "Resource": "*",
            # every group of this cluster's node groups has the tag, and no other
            "Condition": {"StringEquals": {"aws:ResourceTag/eks:cluster-name": "%s-%s"}},
        },
    ],
}


def aws(composition: Composition, *, region: Ref, kubeconfig: tuple[Ref, Ref, Ref, Ref]) -> Template:
    """Add an EKS cluster in the composition's private subnets, with disks, identities for Pods, logs, and the roles that these need.

    ``kubeconfig`` are the fields of the status that hold endpoint, certificate, name and region: the kubeconfig is made of them.
    """
    aws_service_role(composition, CLUSTER_ROLE, service="eks.amazonaws.com", policies=("arn:aws:iam::aws:policy/AmazonEKSClusterPolicy",))
    cluster = composition.add(
        "cluster",
        managed(
            "eks.aws.upbound.io/v1beta2",
            "Cluster",
            {
                "roleArnSelector": {"matchControllerRef": True, "matchLabels": {"role": CLUSTER_ROLE}},
                "accessConfig": {"authenticationMode": "API", "bootstrapClusterCreatorAdminPermissions": True},
                "vpcConfig": {
                    "endpointPrivateAccess": True,
                    "endpointPublicAccess": False,
                    "subnetIdSelector": {"matchControllerRef": True, "matchLabels": PRIVATE},
                },
                "enabledClusterLogTypes": ["api", "audit", "authenticator"],
                "upgradePolicy": {"supportType": "STANDARD"},
            },
        ),
    ).named()
    cluster.patch(region, "spec.forProvider.region")
    cluster.combine(_KUBECONFIG, kubeconfig, f"metadata.annotations[{KUBECONFIG}]")
    kept_in_production(cluster, "spec.forProvider.deletionProtection")
    owned(cluster, "spec.forProvider.tags")

    for addon in ("eks-pod-identity-agent", "aws-ebs-csi-driver"):
        settings = {"addonName": addon, "clusterNameSelector": {"matchControllerRef": True}, "resolveConflictsOnUpdate": "PRESERVE"}
        made = composition.add(f"addon-{addon}", managed("eks.aws.upbound.io/v1beta1", "Addon", settings)).named(f"%s-%s-{addon}")
        made.patch(region, "spec.forProvider.region")
        owned(made, "spec.forProvider.tags")
    arn = "arn:aws:iam::aws:policy/service-role/AmazonEBSCSIDriverPolicy"
    aws_pod_role(composition, "disks", region=region, account="ebs-csi-controller-sa", policies=(arn,))
    # EKS scales no node group itself: the cluster autoscaler, once it is installed, may
    aws_pod_role(composition, "scaler", region=region, account="cluster-autoscaler")
    aws_role_policy(composition, "scaler").named(json.dumps(_SCALER_POLICY), to="spec.forProvider.policy")
    return cluster


_KUBECONFIG = json.dumps(
    {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "cluster",
        "clusters": [{"name": "cluster", "cluster": {"server": "%[1]s", "certificate-authority-data": "%[2]s"}}],
        "contexts": [{"name": "cluster", "context": {"cluster": "cluster", "user": "aws"}}],
        "users": [
            {
                "name": "aws",
                "user": {
                    "exec": {
                        "apiVersion": "client.authentication.k8s.io/v1",
                        "interactiveMode": "Never",
                        "command": "aws",
                        "args": ["eks", "get-token", "--cluster-name", "%[3]s", "--region", "%[4]s"],
                    }
                },
            }
        ],
    }
)


def azure(composition: Composition, *, region: Ref) -> Template:
    """Add a private AKS cluster with a small pool for the system's Pods, in the composition's subnet."""
    cluster = composition.add(
        "cluster",
        managed(
            "containerservice.azure.upbound.io/v1beta2",
            "KubernetesCluster",
            {
                **IN_GROUP,
                "skuTier": "Standard",
                "automaticUpgradeChannel": "stable",
                "nodeOsUpgradeChannel": "NodeImage",
                "privateClusterEnabled": True,
                "roleBasedAccessControlEnabled": True,
                "oidcIssuerEnabled": True,
                "workloadIdentityEnabled": True,
                "identity": {"type": "SystemAssigned"},
                "defaultNodePool": {
                    "name": "system",
                    "vmSize": "Standard_D4s_v5",
                    "autoScalingEnabled": True,
                    "minCount": 1,
                    "maxCount": 3,
                    "temporaryNameForRotation": "systemtmp",
                    "upgradeSettings": {"maxSurge": "10%"},
                    "vnetSubnetIdSelector": {"matchControllerRef": True},
                },
                "networkProfile": {
                    "networkPlugin": "azure",
                    "networkPluginMode": "overlay",
                    "networkPolicy": "cilium",
                    "networkDataPlane": "cilium",
                    "podCidr": "10.244.0.0/16",
                    "serviceCidr": "10.1.0.0/20",
                    "dnsServiceIp": "10.1.0.10",
                },
                "storageProfile": {"diskDriverEnabled": True, "fileDriverEnabled": True, "snapshotControllerEnabled": True},
            },
            secret=True,
        ),
    ).named()
    cluster.named("%s-%s-cluster", to="spec.writeConnectionSecretToRef.name")
    cluster.named(to="spec.forProvider.dnsPrefix")
    cluster.patch(region, "spec.forProvider.location")
    kept_in_production(cluster)
    return owned(cluster, "spec.forProvider.tags")
