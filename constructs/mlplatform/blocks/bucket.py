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
