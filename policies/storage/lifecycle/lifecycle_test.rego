package crossgate.storage.lifecycle_test

import rego.v1

import data.crossgate.storage.lifecycle

paths(documents) := {array.slice(finding.path, 4, 9) | some finding in lifecycle.warn with input as [{"path": "a.yaml", "contents": document} | some document in documents]}

managed(version, kind, settings) := {"apiVersion": version, "kind": kind, "metadata": {"name": "a"}, "spec": {"forProvider": settings}}

aws := managed("s3.aws.upbound.io/v1beta2", "Bucket", {})

azure := managed("storage.azure.upbound.io/v1beta2", "Account", {})

test_refuses if {
	paths([aws]) == {[]}
	paths([azure]) == {[]}
	paths([managed("storage.gcp.upbound.io/v1beta2", "Bucket", {"lifecycleRule": []})]) == {["lifecycleRule"]}
	paths([aws, managed("s3.aws.upbound.io/v1beta2", "BucketLifecycleConfiguration", {"bucketRef": {"name": "b"}})]) == {[]}
}

test_lets_pass if {
	paths([aws, managed("s3.aws.upbound.io/v1beta2", "BucketLifecycleConfiguration", {"bucketRef": {"name": "a"}})]) == set()
	paths([managed("storage.gcp.upbound.io/v1beta2", "Bucket", {"lifecycleRule": [{}]})]) == set()
	paths([azure, managed("storage.azure.upbound.io/v1beta2", "ManagementPolicy", {"storageAccountIdRef": {"name": "a"}})]) == set()
}

test_silent_about_documents if count(lifecycle.warn) == 0 with input as aws

test_bypass_by_rules_that_do_nothing if {
	every rules in [[], [{"status": "Disabled"}]] {
		paths([aws, managed("s3.aws.upbound.io/v1beta2", "BucketLifecycleConfiguration", {"bucketRef": {"name": "a"}, "rule": rules})]) == {[]}
	}
	paths([aws, managed("s3.aws.upbound.io/v1beta2", "BucketLifecycleConfiguration", {"bucketRef": {"name": "a"}, "rule": [{"status": "Enabled"}]})]) == set()
}

test_bypass_by_rules_of_another if {
	paths([aws, managed("s3.aws.upbound.io/v1beta2", "BucketLifecycleConfiguration", {"bucketSelector": {"matchLabels": {"app": "x"}}})]) == {[]}
	paths([aws, managed("s3.aws.upbound.io/v1beta2", "BucketLifecycleConfiguration", {})]) == {[]}
	paths([managed("storage.gcp.upbound.io/v1beta2", "Bucket", {"lifecycleRule": {}})]) == {["lifecycleRule"]}
}
