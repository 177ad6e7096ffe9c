# METADATA
# title: Buckets keep versions
# description: >-
#   A bucket for models and artifacts keeps the versions that are written over or deleted. A bucket that deletes
#   everything after at most 90 days is for what can be made again.
# related_resources:
# - https://docs.aws.amazon.com/AmazonS3/latest/userguide/Versioning.html
# custom:
#   severity: error
#   reason: BUCKET_NOT_VERSIONED
#   input: related
#   remediation: Turn versioning on (AWS - a BucketVersioning with status Enabled; GCP - versioning.enabled; Azure - blobProperties.versioningEnabled).
package crossgate.storage.versioned

import rego.v1

import data.crossgate.lib.buckets
import data.crossgate.lib.estate
import data.crossgate.lib.objects
import data.crossgate.lib.types
import data.crossgate.lists.storage

kinds := {"Bucket", "Account", "BucketVersioning", "BucketLifecycleConfiguration"}

deny contains {"msg": "the bucket keeps no versions", "path": estate.path(found[0], ["spec", "forProvider"])} if {
	some found in buckets.aws
	not buckets.has(found[2], versioned)
	not buckets.has(found[2], temporary)
}

deny contains {"msg": "the bucket keeps no versions", "path": estate.path(found[0], ["spec", "forProvider", "versioning"])} if {
	some found in buckets.gcp
	settings := found[1].spec.forProvider
	not versions(settings)
	not deletes_soon(settings)
}

deny contains {"msg": "the account's blobs keep no versions", "path": estate.path(found[0], ["spec", "forProvider", "blobProperties"])} if {
	some found in buckets.azure
	account := found[1]
	not blobs_keep_versions(account)
}

versioned := buckets.pointed_at(
	[found |
		some found in estate.by_kind.BucketVersioning
		objects.one(found.spec.forProvider.versioningConfiguration).status == "Enabled"
	],
	"bucket",
)

temporary := buckets.pointed_at(
	[found |
		some found in estate.by_kind.BucketLifecycleConfiguration
		some rule in types.list(found.spec.forProvider.rule)
		object.get(rule, "status", "Enabled") == "Enabled"
		types.number(objects.one(rule.expiration).days) <= storage.temporary_days
		everything(rule)
	],
	"bucket",
)

everything(rule) if {
	object.get(rule, "prefix", "") == ""
	filters := {name | some name, value in types.map(objects.one(object.get(rule, "filter", {}))); not value in ["", {}, []]}
	count(filters) == 0
}

versions(settings) if objects.at(settings, ["versioning", "enabled"]) == true

deletes_soon(settings) if {
	some rule in types.list(settings.lifecycleRule)
	objects.one(rule.action).type == "Delete"
	condition := types.map(objects.one(rule.condition))
	types.number(condition.age) <= storage.temporary_days
	count([name | some name, value in condition; not name in {"age", "withState", "sendAgeIfZero"}; not value in ["", [], 0, false]]) == 0
}

blobs_keep_versions(account) if objects.at(account.spec.forProvider, ["blobProperties", "versioningEnabled"]) == true
