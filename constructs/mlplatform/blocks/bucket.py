"""Object storage for artifacts: private, versioned on request, with an end to what is kept."""

from __future__ import annotations

from typing import Any

from mlplatform.core import Composition, Model, Ref, Template, kept
from mlplatform.core import transforms as t

from .managed import managed, owned


def gcp(
    composition: Composition,
    *,
    region: Ref,
    delete_after_days: int | None = None,
    nearline_after_days: int | None = None,
    keep_old_versions_days: int = 90,
    suffix: str | None = "artifacts",
    versioned: bool = False,
) -> Template:
    """Add a GCS bucket ``<name>-<hash>-<suffix>``; names of buckets are global, so the hash keeps claims apart.

    With the suffix None callers name it. What is in it moves to the storage class NEARLINE and is deleted after the given ages; old
    versions go earlier.
    """
    rules: list[dict[str, Any]] = []
    if nearline_after_days:
        rules.append({"action": {"type": "SetStorageClass", "storageClass": "NEARLINE"}, "condition": {"age": nearline_after_days}})
    if delete_after_days:
        rules.append({"action": {"type": "Delete"}, "condition": {"age": delete_after_days}})
    if versioned:
        rules.append({"action": {"type": "Delete"}, "condition": {"daysSinceNoncurrentTime": keep_old_versions_days}})
    bucket = composition.add(
        "bucket",
        managed(
            "storage.gcp.upbound.io/v1beta2",
            "Bucket",
            {
                "storageClass": "STANDARD",
                "uniformBucketLevelAccess": True,
                "publicAccessPrevention": "enforced",
                "versioning": {"enabled": versioned},
                "lifecycleRule": rules,
            },
        ),
    )
    if suffix is not None:
        bucket.named(f"%s-%s-{suffix}")
    bucket.patch(region, "spec.forProvider.location")
    return owned(bucket, "spec.forProvider.labels")


def aws(composition: Composition, *, region: Ref, keep_old_versions_days: int = 90, delete_after_days: int | None = None) -> Template:
    """Add a private, versioned and encrypted S3 bucket; callers name it.

    What used to be fields of Bucket are resources of their own: versioning, encryption, ownership (which switches ACLs off), the block of
    public access and the end of old versions, and of all that is in it where ``delete_after_days`` says so. ``aws_policy`` adds a policy.
    """
    expiry = [{"id": "all", "status": "Enabled", "filter": [{"prefix": ""}], "expiration": [{"days": delete_after_days}]}]
    bucket = composition.add("bucket", managed("s3.aws.upbound.io/v1beta2", "Bucket", {"forceDestroy": False}))
    bucket.patch(region, "spec.forProvider.region")
    for name, version, kind, settings in (
        ("versioning", "v1beta2", "BucketVersioning", {"versioningConfiguration": {"status": "Enabled"}}),
        (
            "encryption",
            "v1beta2",
            "BucketServerSideEncryptionConfiguration",
            {"rule": [{"applyServerSideEncryptionByDefault": {"sseAlgorithm": "aws:kms"}, "bucketKeyEnabled": True}]},
        ),
        ("ownership", "v1beta2", "BucketOwnershipControls", {"rule": {"objectOwnership": "BucketOwnerEnforced"}}),
        (
            "public-access",
            "v1beta1",
            "BucketPublicAccessBlock",
            {"blockPublicAcls": True, "blockPublicPolicy": True, "ignorePublicAcls": True, "restrictPublicBuckets": True},
        ),
        (
            "lifecycle",
            "v1beta2",
            "BucketLifecycleConfiguration",
            {
                "rule": [
                    {
                        "id": "old-versions",
                        "status": "Enabled",
                        "filter": [{"prefix": ""}],
                        "noncurrentVersionExpiration": [{"noncurrentDays": keep_old_versions_days}],
                        "abortIncompleteMultipartUpload": [{"daysAfterInitiation": 7}],
                    },
                    *(expiry if delete_after_days else []),
                ]
            },
        ),
    ):
        part = managed(f"s3.aws.upbound.io/{version}", kind, {"bucketSelector": {"matchControllerRef": True}, **settings})
        composition.add(f"bucket-{name}", part).named(f"%s-%s-bucket-{name}").patch(region, "spec.forProvider.region")
    return owned(bucket, "spec.forProvider.tags")


AWS_HTTPS = (
    '{"Version":"2012-10-17","Statement":[{"Effect":"Deny","Principal":"*","Action":"s3:*",'
    '"Resource":["arn:aws:s3:::<bucket>","arn:aws:s3:::<bucket>/*"],"Condition":{"Bool":{"aws:SecureTransport":"false"}}}]}'
)
"""Policy of a bucket that refuses plain HTTP; callers put the bucket's name in."""


def aws_policy(composition: Composition, *, region: Ref) -> Template:
    """Add the policy of the composition's bucket; callers write ``spec.forProvider.policy``."""
    policy = managed("s3.aws.upbound.io/v1beta1", "BucketPolicy", {"bucketSelector": {"matchControllerRef": True}})
    return composition.add("bucket-policy", policy).named("%s-%s-bucket-policy").patch(region, "spec.forProvider.region")


class _Plain(Model):
    account: str


def azure(
    composition: Composition, *, name: Ref, region: Ref, keep_old_versions_days: int = 90, delete_after_days: int | None = None
) -> Template:
    """Add a storage account that only the composition's subnet reaches, and a container in it; return the account.

    Names of accounts are known in the whole world and have at most 24 letters and digits: the first 16 of ``name`` and the unique part.
    """
    group = {"resourceGroupNameSelector": {"matchControllerRef": True}}
    account = composition.add(
        "bucket",
        managed(
            "storage.azure.upbound.io/v1beta2",
            "Account",
            {
                **group,
                "accountKind": "StorageV2",
                "accountTier": "Standard",
                "accountReplicationType": "LRS",
                "minTlsVersion": "TLS1_2",
                "httpsTrafficOnlyEnabled": True,
                "allowNestedItemsToBePublic": False,
                "crossTenantReplicationEnabled": False,
                "infrastructureEncryptionEnabled": True,
                "blobProperties": {
                    "versioningEnabled": True,
                    "deleteRetentionPolicy": {"days": 14},
                    "containerDeleteRetentionPolicy": {"days": 14},
                },
                "networkRules": {
                    "defaultAction": "Deny",
                    "bypass": ["AzureServices"],
                    "virtualNetworkSubnetIdsSelector": {"matchControllerRef": True},
                },
            },
            secret=True,
        ),
    )
    plain = kept("names", _Plain).account
    composition.into_environment(name, plain, t.replace("-", ""), t.regexp("^.{1,16}"))
    account.combine("%s%s", [plain, composition.identity.hash], "metadata.name")
    account.named("%s-%s-storage", to="spec.writeConnectionSecretToRef.name")
    account.patch(region, "spec.forProvider.location")

    account_id = {"storageAccountIdSelector": {"matchControllerRef": True}}
    container = managed("storage.azure.upbound.io/v1beta1", "Container", {**account_id, "containerAccessType": "private"})
    composition.add("container", container).named("%s-%s-artifacts")
    actions: dict[str, Any] = {"version": {"deleteAfterDaysSinceCreation": keep_old_versions_days}}
    if delete_after_days:
        actions["baseBlob"] = {"deleteAfterDaysSinceModificationGreaterThan": delete_after_days}
    rule = {"name": "age", "enabled": True, "filters": {"blobTypes": ["blockBlob"]}, "actions": actions}
    lifecycle = managed("storage.azure.upbound.io/v1beta2", "ManagementPolicy", {**account_id, "rule": [rule]})
    composition.add("bucket-lifecycle", lifecycle).named("%s-%s-bucket-lifecycle")
    return owned(account, "spec.forProvider.tags")
