"""Object storage for artifacts: private, versioned on request, with an end to what is kept."""

from __future__ import annotations

from mlplatform.core import Composition, Ref, Template

from .managed import managed, owned


def gcp(composition: Composition, *, region: Ref, delete_after_days: int, suffix: str = "artifacts", versioned: bool = False) -> Template:
    """Add a GCS bucket ``<name>-<hash>-<suffix>``; names of buckets are global, so the hash keeps claims apart."""
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
                "lifecycleRule": [{"action": {"type": "Delete"}, "condition": {"age": delete_after_days}}],
            },
        ),
    ).named(f"%s-%s-{suffix}")
    bucket.patch(region, "spec.forProvider.location")
    return owned(bucket, "spec.forProvider.labels")


def aws(composition: Composition, *, region: Ref, keep_old_versions_days: int = 90) -> Template:
    """Add a private, versioned and encrypted S3 bucket; callers name it.

    What used to be fields of Bucket are resources of their own: versioning, encryption, ownership (which switches ACLs off), the block of
    public access and the end of old versions. ``aws_policy`` adds a policy.
    """
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
                    }
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
