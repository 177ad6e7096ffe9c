package crossgate.storage.encrypted_test

import rego.v1

import data.crossgate.storage.encrypted

paths(documents) := {array.slice(finding.path, 4, 9) | some finding in encrypted.deny with input as [{"path": "a.yaml", "contents": document} | some document in documents]}

managed(version, kind, settings) := {
	"apiVersion": version,
	"kind": kind,
	"metadata": {"name": "a", "annotations": {"crossplane.io/external-name": "a-in-aws"}},
	"spec": {"forProvider": settings},
}

bucket := managed("s3.aws.upbound.io/v1beta2", "Bucket", {})

encryption(settings) := managed("s3.aws.upbound.io/v1beta2", "BucketServerSideEncryptionConfiguration", object.union({"rule": [{}]}, settings))

test_refuses_buckets if {
	paths([bucket]) == {[]}
	paths([bucket, encryption({"bucketRef": {"name": "b"}})]) == {[]}
	paths([bucket, encryption({"bucketRef": {"name": "a"}, "rule": []})]) == {[]}
}

test_lets_buckets_pass if {
	paths([bucket, encryption({"bucketRef": {"name": "a"}})]) == set()
	paths([bucket, encryption({"bucket": "a-in-aws"})]) == set()
	paths([managed("storage.gcp.upbound.io/v1beta2", "Bucket", {})]) == set()
}

test_refuses_others if {
	paths([managed("elasticache.aws.upbound.io/v1beta2", "ReplicationGroup", {"atRestEncryptionEnabled": "false"})]) == {["atRestEncryptionEnabled"], ["transitEncryptionEnabled"]}
	paths([managed("rds.aws.upbound.io/v1beta1", "Instance", {})]) == {["storageEncrypted"]}
	paths([managed("storage.azure.upbound.io/v1beta2", "Account", {"httpsTrafficOnlyEnabled": false})]) == {["httpsTrafficOnlyEnabled"]}
	paths([managed("cache.azure.upbound.io/v1beta1", "RedisCache", {"nonSslPortEnabled": true})]) == {["nonSslPortEnabled"]}
}

test_lets_others_pass if {
	paths([
		managed("elasticache.aws.upbound.io/v1beta2", "ReplicationGroup", {"atRestEncryptionEnabled": "true", "transitEncryptionEnabled": true}),
		managed("rds.aws.upbound.io/v1beta1", "Instance", {"storageEncrypted": true}),
		managed("compute.example.org/v1", "Instance", {}),
		managed("storage.azure.upbound.io/v1beta2", "Account", {}),
	]) == set()
}

test_silent_about_documents if count(encrypted.deny) == 0 with input as bucket

test_bypass_by_what_is_given_at_first if {
	cache := {"apiVersion": "cache.azure.upbound.io/v1beta1", "kind": "RedisCache", "spec": {"forProvider": {}, "initProvider": {"nonSslPortEnabled": true}}}
	paths([cache]) == {["nonSslPortEnabled"]}
}

test_bypass_by_values_that_are_none if {
	every value in ["True", "yes", 1, null, ["true"]] {
		paths([managed("rds.aws.upbound.io/v1beta1", "Cluster", {"storageEncrypted": value})]) == {["storageEncrypted"]}
	}
	paths([bucket, encryption({"bucketSelector": {"matchLabels": {}}})]) == {[]}
	paths([bucket, object.union(encryption({"bucketRef": {"name": "a"}}), {"spec": {"forProvider": {"rule": {}}}})]) == {[]}
}
