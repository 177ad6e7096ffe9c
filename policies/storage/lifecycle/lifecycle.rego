# METADATA
# title: Buckets say when data goes
# description: >-
#   A bucket has rules for what happens to objects and their old versions in time.
# related_resources:
# - https://cloud.google.com/storage/docs/lifecycle
# custom:
#   severity: warning
#   reason: BUCKET_WITHOUT_LIFECYCLE
#   input: related
#   remediation: Add lifecycle rules (AWS - a BucketLifecycleConfiguration; GCP - lifecycleRule; Azure - a ManagementPolicy).
package crossgate.storage.lifecycle

import rego.v1

import data.crossgate.lib.buckets
import data.crossgate.lib.estate
import data.crossgate.lib.types

kinds := {"Bucket", "Account", "BucketLifecycleConfiguration", "ManagementPolicy"}

warn contains {"msg": "the bucket keeps everything for ever", "path": estate.path(found[0], ["spec", "forProvider"])} if {
	some found in buckets.aws
	not buckets.has(found[2], managed)
}

warn contains {"msg": "the bucket keeps everything for ever", "path": estate.path(found[0], ["spec", "forProvider", "lifecycleRule"])} if {
	some found in buckets.gcp
	bucket := found[1]
	not has_rules(bucket)
}

warn contains {"msg": "the account keeps everything for ever", "path": estate.path(found[0], ["spec", "forProvider"])} if {
	some found in buckets.azure
	not buckets.has(found[2], managed_accounts)
}

has_rules(bucket) if count(types.list(bucket.spec.forProvider.lifecycleRule)) > 0

managed := buckets.pointed_at(
	[configuration |
		some configuration in estate.by_kind.BucketLifecycleConfiguration
		not nothing(configuration)
	],
	"bucket",
)

# One without a rule does nothing.
nothing(configuration) if {
	every rule in types.list(configuration.spec.forProvider.rule) {
		rule.status == "Disabled"
	}
}

managed_accounts := buckets.pointed_at([policy | some policy in estate.by_kind.ManagementPolicy], "storageAccountId")
