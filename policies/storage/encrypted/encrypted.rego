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

deny contains {"msg": "the bucket does not say how it encrypts", "path": estate.path(found[0], ["spec", "forProvider"])} if {
	some found in buckets.aws
	not buckets.has(found[1], encrypting)
}

deny contains {"msg": sprintf("%v is not true", [field]), "path": estate.path(found[0], ["spec", "forProvider", field])} if {
	some wanted in needed
	some found in estate.of({wanted.kind})
	regex.match(wanted.api, types.text(found[1].apiVersion))
	some field in wanted.fields
	not set(found[1], field)
}

deny contains {"msg": sprintf("%v lets data pass in plain", [field]), "path": estate.path(found[0], ["spec", part, field])} if {
	some wanted in unwanted
	some found in estate.of({wanted.kind})
	regex.match(wanted.api, types.text(found[1].apiVersion))
	some field, value in wanted.fields

	# What is given only when it is made stays so.
	some part in ["forProvider", "initProvider"]
	found[1].spec[part][field] == value
}

# AWS writes some switches as text.
set(found, field) if found.spec.forProvider[field] in [true, "true"]

encrypting := buckets.pointed_at(
	[found[1] |
		some found in estate.of({"BucketServerSideEncryptionConfiguration"})
		count(types.list(found[1].spec.forProvider.rule)) > 0
	],
	"bucket",
)

needed := [
	{"kind": "ReplicationGroup", "api": `^elasticache\.aws\.`, "fields": ["atRestEncryptionEnabled", "transitEncryptionEnabled"]},
	{"kind": "Instance", "api": `^rds\.aws\.`, "fields": ["storageEncrypted"]},
	{"kind": "Cluster", "api": `^rds\.aws\.`, "fields": ["storageEncrypted"]},
	{"kind": "FileSystem", "api": `^efs\.aws\.`, "fields": ["encrypted"]},
	{"kind": "EBSVolume", "api": `^ec2\.aws\.`, "fields": ["encrypted"]},
]

unwanted := [
	{"kind": "Account", "api": `^storage\.azure\.`, "fields": {"httpsTrafficOnlyEnabled": false, "enableHttpsTrafficOnly": false}},
	{"kind": "RedisCache", "api": `^cache\.azure\.`, "fields": {"nonSslPortEnabled": true, "enableNonSslPort": true}},
	{"kind": "DatabaseInstance", "api": `^sql\.gcp\.`, "fields": {"requireSsl": false}},
]
