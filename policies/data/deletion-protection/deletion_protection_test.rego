package crossgate.data.deletion_protection_test

import rego.v1

import data.crossgate.data.deletion_protection

paths(documents) := {array.slice(finding.path, 4, 9) | some finding in deletion_protection.deny with input as [{"path": "a.yaml", "contents": document} | some document in documents]}

managed(version, kind, spec) := {
	"apiVersion": version,
	"kind": kind,
	"metadata": {"name": "a", "labels": {"crossplane.io/composite": "x"}},
	"spec": spec,
}

database(spec) := managed("sql.gcp.upbound.io/v1beta2", "DatabaseInstance", spec)

xr(own) := object.union({"apiVersion": "ml.hinterbuild.com/v1alpha1", "kind": "XR", "metadata": {"name": "x"}}, own)

production := xr({"spec": {"compositionSelector": {"matchLabels": {"environment": "production"}}}})

test_refuses_in_production if {
	every one in [production, xr({"metadata": {"labels": {"env": "PROD"}}}), xr({"spec": {"crossplane": {"compositionSelector": {"matchLabels": {"environment": "prod"}}}}})] {
		paths([one, database({"forProvider": {"deletionProtection": false}})]) == {["deletionProtection"]}
	}
	every version in ["container.gcp.upbound.io/v1beta2", "eks.aws.upbound.io/v1beta2", "rds.aws.m.upbound.io/v1beta1"] {
		count(paths([production, managed(version, "Cluster", {"forProvider": {}})])) == 1
	}
	paths([production, managed("storage.gcp.upbound.io/v1beta2", "Bucket", {"forProvider": {"forceDestroy": true}})]) == {["forceDestroy"]}
	paths([database({"forProvider": {"settings": {"userLabels": {"environment": "production"}}}})]) == {["deletionProtection"]}
}

test_lets_protected_pass if {
	every spec in [
		{"forProvider": {"deletionProtection": true}}, {"forProvider": {"settings": [{"deletionProtectionEnabled": true}]}},
		{"deletionPolicy": "Orphan"}, {"managementPolicies": ["Create", "Update", "Observe", "LateInitialize"]},
	] {
		paths([production, database(spec)]) == set()
	}
	paths([production, managed("storage.gcp.upbound.io/v1beta2", "Bucket", {"forProvider": {}})]) == set()
}

test_bypass_by_management_that_deletes if {
	every policies in [[], ["*"], ["Observe", "Delete"]] {
		count(paths([production, database({"forProvider": {}, "managementPolicies": policies})])) == 1
	}
}

test_bypass_by_what_is_given_at_first if {
	bucket := managed("storage.gcp.upbound.io/v1beta2", "Bucket", {"forProvider": {}, "initProvider": {"forceDestroy": true}})
	paths([production, bucket]) == {["forceDestroy"]}
}

test_lets_other_environments_pass if {
	every one in [xr({}), xr({"metadata": {"labels": {"environment": "dev"}}}), object.union(production, {"metadata": {"name": "y"}})] {
		paths([one, database({"forProvider": {}})]) == set()
	}
}

test_silent_about_documents if count(deletion_protection.deny) == 0 with input as database({"forProvider": {"labels": {"environment": "production"}}})
