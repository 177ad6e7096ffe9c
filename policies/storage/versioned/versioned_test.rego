package crossgate.storage.versioned_test

import rego.v1

import data.crossgate.storage.versioned

paths(documents) := {finding.path | some finding in versioned.deny with input as [{"path": "a.yaml", "contents": document} | some document in documents]}

managed(version, kind, name, settings) := {
	"apiVersion": version,
	"kind": kind,
	"metadata": {"name": name, "labels": {"crossplane.io/composite": "x", "app": name}},
	"spec": {"forProvider": settings},
}

aws(name) := managed("s3.aws.upbound.io/v1beta2", "Bucket", name, {"region": "us-east-1"})

versioning(settings) := managed("s3.aws.upbound.io/v1beta2", "BucketVersioning", "v", object.union({"versioningConfiguration": {"status": "Enabled"}}, settings))

lifecycle(rule) := managed("s3.aws.upbound.io/v1beta2", "BucketLifecycleConfiguration", "l", {"bucketRef": {"name": "a"}, "rule": [rule]})

gcp(settings) := managed("storage.gcp.upbound.io/v1beta2", "Bucket", "a", settings)

azure(settings) := managed("storage.azure.upbound.io/v1beta2", "Account", "a", settings)

test_refuses_aws if {
	paths([aws("a")]) == {[0, "contents", "spec", "forProvider"]}
	every settings in [
		{"bucketRef": {"name": "b"}}, {"bucket": "b"}, {"bucketSelector": {"matchLabels": {"app": "b"}}}, {},
		{"bucketRef": {"name": "a"}, "versioningConfiguration": {"status": "Suspended"}},
	] {
		count(paths([aws("a"), versioning(settings)])) == 1
	}
}

test_lets_aws_pass if {
	every settings in [
		{"bucketRef": {"name": "a"}}, {"bucket": "a"}, {"bucketSelector": {"matchLabels": {"app": "a"}}}, {"bucketSelector": {"matchControllerRef": true}},
		{"bucketRef": {"name": "a"}, "versioningConfiguration": [{"status": "Enabled"}]},
	] {
		paths([versioning(settings), aws("a")]) == set()
	}
}

# A selector with two labels takes no bucket that has one of them.
test_refuses_aws_with_versioning_for_another_label if {
	count(paths([aws("a"), versioning({"bucketSelector": {"matchLabels": {"app": "a", "tier": "gold"}}})])) == 1
	count(paths([aws("a"), versioning({"bucketSelector": {"matchControllerRef": true, "matchLabels": {"app": "b"}}})])) == 1
	paths([aws("a"), versioning({"bucketSelector": {"matchControllerRef": true, "matchLabels": {"app": "a"}}})]) == set()
}

# Versioning of another composite resource's bucket is not this one's.
test_refuses_aws_with_another_ones_versioning if {
	other := object.union(versioning({"bucketSelector": {"matchControllerRef": true}}), {"metadata": {"labels": {"crossplane.io/composite": "y"}}})
	count(paths([aws("a"), other])) == 1
}

test_lets_temporary_buckets_pass if {
	paths([aws("a"), lifecycle({"expiration": {"days": 30}})]) == set()
	paths([aws("a"), lifecycle({"expiration": [{"days": 90}], "filter": [{"prefix": ""}]})]) == set()
	paths([gcp({"lifecycleRule": [{"action": {"type": "Delete"}, "condition": {"age": 90}}]})]) == set()
	paths([gcp({"lifecycleRule": [{"action": [{"type": "Delete"}], "condition": [{"age": 30, "withState": "ANY"}]}]})]) == set()
}

test_bypass_by_versioning_that_is_not_applied if {
	on := versioning({"bucketRef": {"name": "a"}})
	count(paths([aws("a"), object.union(on, {"metadata": {"annotations": {"crossplane.io/paused": "true"}}})])) == 1
	count(paths([aws("a"), object.union(on, {"spec": {"managementPolicies": ["Observe"]}})])) == 1
}

test_bypass_by_what_is_temporary_in_part if {
	count(paths([aws("a"), lifecycle({"expiration": {"days": 30}, "filter": {"prefix": "tmp/"}})])) == 1
	count(paths([aws("a"), lifecycle({"expiration": {"days": 30}, "status": "Disabled"})])) == 1
	count(paths([aws("a"), lifecycle({"expiration": {"days": 365}})])) == 1
	every condition in [{"age": 30, "matchesPrefix": ["tmp/"]}, {"age": 365}, {"age": 30, "numNewerVersions": 3}] {
		count(paths([gcp({"lifecycleRule": [{"action": {"type": "Delete"}, "condition": condition}]})])) == 1
	}
}

test_refuses_gcp_and_azure if {
	paths([gcp({}), azure({})]) == {[0, "contents", "spec", "forProvider", "versioning"], [1, "contents", "spec", "forProvider", "blobProperties"]}
	count(paths([gcp({"versioning": [{"enabled": false}]})])) == 1
}

test_lets_gcp_and_azure_pass if {
	paths([
		gcp({"versioning": {"enabled": true}}), gcp({"versioning": [{"enabled": true}]}),
		azure({"blobProperties": {"versioningEnabled": true}}), azure({"blobProperties": [{"versioningEnabled": true}]}),
	]) == set()
}

test_silent_about_documents if count(versioned.deny) == 0 with input as gcp({})
