package crossgate.storage.public_access_test

import rego.v1

import data.crossgate.storage.public_access

paths(documents) := {array.slice(finding.path, 4, 9) | some finding in public_access.deny with input as [{"path": "a.yaml", "contents": document} | some document in documents]}

managed(version, kind, settings) := {
	"apiVersion": version,
	"kind": kind,
	"metadata": {"name": "a", "labels": {"crossplane.io/composite": "x"}},
	"spec": {"forProvider": settings},
}

aws := managed("s3.aws.upbound.io/v1beta2", "Bucket", {})

block(settings) := managed("s3.aws.upbound.io/v1beta1", "BucketPublicAccessBlock", object.union(
	{
		"bucketSelector": {"matchControllerRef": true}, "blockPublicAcls": true, "blockPublicPolicy": true, "ignorePublicAcls": true,
		"restrictPublicBuckets": true,
	},
	settings,
))

policy(text) := managed("s3.aws.upbound.io/v1beta1", "BucketPolicy", {"policy": text})

test_refuses_aws if {
	paths([aws]) == {[]}
	paths([aws, block({"blockPublicAcls": false})]) == {["blockPublicAcls"]}
	paths([aws, block({"bucketSelector": {"matchLabels": {"other": "x"}}})]) == {[]}
}

test_lets_aws_pass if paths([aws, block({})]) == set()

test_refuses_gcp_and_azure if {
	paths([managed("storage.gcp.upbound.io/v1beta2", "Bucket", {})]) == {["publicAccessPrevention"]}
	paths([managed("storage.gcp.m.upbound.io/v1beta1", "Bucket", {"publicAccessPrevention": "inherited"})]) == {["publicAccessPrevention"]}
	paths([managed("storage.azure.upbound.io/v1beta2", "Account", {})]) == {["allowNestedItemsToBePublic"]}
	paths([managed("storage.azure.upbound.io/v1beta1", "Container", {"containerAccessType": "blob"})]) == {["containerAccessType"]}
}

test_lets_gcp_and_azure_pass if {
	paths([
		managed("storage.gcp.upbound.io/v1beta2", "Bucket", {"publicAccessPrevention": "enforced"}),
		managed("storage.azure.upbound.io/v1beta2", "Account", {"allowNestedItemsToBePublic": false}),
		managed("storage.azure.upbound.io/v1beta1", "Container", {"containerAccessType": "private"}),
		managed("storage.azure.upbound.io/v1beta1", "Container", {}),
	]) == set()
}

# A block can be there and a grant beside it.
test_refuses_grants_to_everybody if {
	every document in [
		managed("storage.gcp.upbound.io/v1beta1", "BucketIAMMember", {"member": "allUsers"}),
		managed("storage.gcp.upbound.io/v1beta1", "BucketIAMMember", {"member": "allAuthenticatedUsers"}),
		managed("s3.aws.upbound.io/v1beta1", "BucketACL", {"acl": "public-read"}),
		policy(`{"Statement": [{"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject"}]}`),
		policy(`{"Statement": {"Effect": "Allow", "Principal": {"AWS": ["*"]}}}`),
		policy(`{"Statement": [{"Effect": "Deny", "Principal": "*"}, {"Effect": "Allow", "Principal": {"AWS": "*"}}]}`),
	] {
		count(paths([document])) == 1
	}
}

test_lets_grants_to_somebody_pass if {
	every document in [
		managed("storage.gcp.upbound.io/v1beta1", "BucketIAMMember", {"member": "serviceAccount:a@b"}),
		managed("s3.aws.upbound.io/v1beta1", "BucketACL", {"acl": "private"}),
		policy(`{"Statement": [{"Effect": "Deny", "Principal": "*"}]}`),
		policy(7),
		policy(`{"Statement": [{"Effect": "Allow", "Principal": {"AWS": "arn:aws:iam::1:role/a"}}]}`),
		policy(`{"Statement": [{"Effect": "Allow", "Principal": "*", "Condition": {"StringEquals": {"aws:SourceVpc": "v"}}}]}`),
	] {
		paths([document]) == set()
	}
}

test_bypass_by_lists_that_let_everybody_in if {
	gcp := "storage.gcp.upbound.io/v1beta1"
	s3 := "s3.aws.upbound.io/v1beta1"
	paths([managed(gcp, "BucketACL", {"roleEntity": ["OWNER:user-a@b", "READER:allUsers"]})]) == {["roleEntity", 1]}
	paths([managed(gcp, "DefaultObjectACL", {"roleEntity": ["READER:allAuthenticatedUsers"]})]) == {["roleEntity", 0]}
	paths([managed(gcp, "BucketACL", {"predefinedAcl": "publicReadWrite"})]) == {["predefinedAcl"]}
	paths([managed(s3, "BucketACL", {"acl": "authenticated-read"})]) == {["acl"]}
	every group in ["AllUsers", "AuthenticatedUsers"] {
		grantee := {"type": "Group", "uri": sprintf("http://acs.amazonaws.com/groups/global/%v", [group])}
		count(paths([managed(s3, "BucketACL", {"accessControlPolicy": [{"grant": [{"permission": "READ", "grantee": [grantee]}]}]})])) == 1
	}
	paths([managed(s3, "BucketACL", {"accessControlPolicy": {"grant": [{"grantee": {"uri": "http://acs.amazonaws.com/groups/s3/LogDelivery"}}]}})]) == set()
	paths([managed(gcp, "BucketACL", {"roleEntity": ["OWNER:project-owners-1"], "predefinedAcl": "projectPrivate"})]) == set()
}

# Crossplane makes it so and never looks at it again.
test_bypass_by_what_is_given_at_first if {
	member := managed("storage.gcp.upbound.io/v1beta1", "BucketIAMMember", {})
	count(paths([object.union(member, {"spec": {"initProvider": {"member": "allUsers"}}})])) == 1
}

test_bypass_by_conditions_that_name_nobody if {
	every condition in [
		`{"Bool": {"aws:SecureTransport": "true"}}`, `{"StringLike": {"aws:Referer": "https://a.example.org/x"}}`,
		`{"StringLike": {"aws:PrincipalArn": "*"}}`, `{"ArnLike": {"aws:PrincipalArn": "arn:aws:iam::*:role/a"}}`, `{"StringLike": {"aws:PrincipalOrgID": ["o-1", "*"]}}`,
		`{"IpAddress": {"aws:SourceIp": "0.0.0.0/0"}}`, `{"StringNotEquals": {"aws:SourceVpc": "v"}}`,
		`{"StringEqualsIfExists": {"aws:SourceVpc": "v"}}`, `{"StringEquals": {"aws:SourceVpc": []}}`, `{}`, `7`,
	] {
		text := sprintf(`{"Statement": [{"Effect": "Allow", "Principal": "*", "Condition": %v}]}`, [condition])
		paths([policy(text)]) == {["policy"]}
	}
	every condition in [
		`{"StringEquals": {"aws:PrincipalOrgID": ["o-1"]}, "Bool": {"aws:SecureTransport": "true"}}`,
		`{"IpAddress": {"AWS:SourceIp": ["10.0.0.0/8"]}}`, `{"ArnLike": {"aws:PrincipalArn": "arn:aws:iam::1:role/*"}}`,
	] {
		text := sprintf(`{"Statement": [{"Effect": "Allow", "Principal": "*", "Condition": %v}]}`, [condition])
		paths([policy(text)]) == set()
	}
}

# Crossplane only looks at it.
test_bypass_by_a_block_that_is_not_applied if {
	paths([aws, object.union(block({}), {"spec": {"managementPolicies": ["Observe"]}})]) == {[]}
	paths([aws, object.union(block({}), {"spec": {"managementPolicies": ["Observe", "Delete"]}})]) == {[]}
	paths([aws, object.union(block({}), {"metadata": {"annotations": {"crossplane.io/paused": "true"}}})]) == {[]}
	paths([aws, object.union(block({}), {"spec": {"managementPolicies": ["Observe", "Create"]}})]) == set()
	paths([aws, object.union(block({}), {"metadata": {"annotations": {"crossplane.io/paused": "false"}}})]) == set()
}

test_silent_about_documents if count(public_access.deny) == 0 with input as aws

test_bypass_by_other_grants if {
	paths([managed("storage.gcp.upbound.io/v1beta1", "BucketIAMBinding", {"members": ["user:a", "allUsers"]})]) == {["members", 1]}
	paths([managed("storage.gcp.upbound.io/v1beta1", "DefaultObjectAccessControl", {"entity": "allUsers"})]) == {["entity"]}
	every principal in ["{\"Principal\": {\"AWS\": [\"arn:x\", \"*\"]}, ", "{\"NotPrincipal\": {\"AWS\": \"arn:x\"}, "] {
		text := concat("", ["{\"Statement\": ", principal, "\"Effect\": \"Allow\"}}"])
		paths([policy(text)]) == {["policy"]}
	}
}
