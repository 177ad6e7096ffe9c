# METADATA
# title: Stored and sent data is encrypted
# description: >-
#   Buckets of AWS say how they encrypt; caches, databases and file systems encrypt what they store, and caches and
#   accounts what they send. Clouds that always encrypt are not asked.
# related_resources:
# - https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucket-encryption.html
# custom:
#   severity: error
#   reason: NOT_ENCRYPTED
#   input: related
#   remediation: Turn encryption on (AWS buckets - a BucketServerSideEncryptionConfiguration).
package crossgate.storage.encrypted

import rego.v1

import data.crossgate.lib.buckets
import data.crossgate.lib.estate
import data.crossgate.lib.types

kinds := {"Bucket", "BucketServerSideEncryptionConfiguration"} | ({wanted.kind | some wanted in needed} | {wanted.kind | some wanted in unwanted})

# A bucket of AWS, what must say that it encrypts, and what says that it does not.
first_look := concat("|", (({`"s3.aws.`} | {sprintf(`"%v`, [wanted.api]) | some wanted in needed}) | {sprintf(`"%v":%v`, [field, value]) |
	some wanted in unwanted
	some field, value in wanted.fields
}))

deny contains {"msg": "the bucket does not say how it encrypts", "path": estate.path(found[0], ["spec", "forProvider"])} if {
	some found in buckets.aws
	not buckets.has(found[2], encrypting)
}

deny contains {"msg": sprintf("%v is not true", [field]), "path": estate.path(place, ["spec", "forProvider", field])} if {
	some wanted in needed
	some place, found in estate.of_api(wanted.kind, wanted.api)
	some field in wanted.fields
	not set(found, field)
}

deny contains {"msg": sprintf("%v lets data pass in plain", [field]), "path": estate.path(place, ["spec", part, field])} if {
	some wanted in unwanted
	some place, found in estate.of_api(wanted.kind, wanted.api)
	some field, value in wanted.fields

	# What is given only when it is made stays so.
	some part in ["forProvider", "initProvider"]
	found.spec[part][field] == value
}

# AWS writes some switches as text.
set(found, field) if found.spec.forProvider[field] in [true, "true"]

encrypting := buckets.pointed_at(
	[found |
		some found in estate.by_kind.BucketServerSideEncryptionConfiguration
		count(types.list(found.spec.forProvider.rule)) > 0
	],
	"bucket",
)

needed := [
	{"kind": "ReplicationGroup", "api": "elasticache.aws.", "fields": ["atRestEncryptionEnabled", "transitEncryptionEnabled"]},
	{"kind": "Instance", "api": "rds.aws.", "fields": ["storageEncrypted"]},
	{"kind": "Cluster", "api": "rds.aws.", "fields": ["storageEncrypted"]},
	{"kind": "FileSystem", "api": "efs.aws.", "fields": ["encrypted"]},
	{"kind": "EBSVolume", "api": "ec2.aws.", "fields": ["encrypted"]},
]

unwanted := [
	{"kind": "Account", "api": "storage.azure.", "fields": {"httpsTrafficOnlyEnabled": false, "enableHttpsTrafficOnly": false}},
	{"kind": "RedisCache", "api": "cache.azure.", "fields": {"nonSslPortEnabled": true, "enableNonSslPort": true}},
	{"kind": "DatabaseInstance", "api": "sql.gcp.", "fields": {"requireSsl": false}},
]
