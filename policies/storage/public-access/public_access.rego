# METADATA
# title: Nobody reads buckets without signing in
# description: >-
#   Access by everybody is blocked for the bucket as a whole, and no policy, member or container grants it.
# related_resources:
# - https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html
# custom:
#   severity: error
#   reason: BUCKET_PUBLIC
#   input: related
#   remediation: Block public access (AWS - a BucketPublicAccessBlock with all four settings; GCP - publicAccessPrevention enforced; Azure - allowNestedItemsToBePublic false).
package crossgate.storage.public_access

import rego.v1

import data.crossgate.lib.buckets
import data.crossgate.lib.estate
import data.crossgate.lib.types

kinds := {
	"Bucket", "BucketPublicAccessBlock", "Account", "Container",
	"BucketIAMMember", "BucketIAMBinding", "ProjectIAMMember", "BucketAccessControl", "DefaultObjectAccessControl", "BucketACL", "BucketPolicy",
}

deny contains {"msg": "public access to the bucket is not blocked", "path": estate.path(found[0], ["spec", "forProvider"])} if {
	some found in buckets.aws
	not buckets.has(found[1], blocked)
}

deny contains {"msg": sprintf("the block leaves %v open", [setting]), "path": estate.path(found[0], ["spec", "forProvider", setting])} if {
	some found in estate.of({"BucketPublicAccessBlock"})
	some setting in settings
	not found[1].spec.forProvider[setting] == true
}

deny contains {"msg": "public access to the bucket is not prevented", "path": estate.path(found[0], ["spec", "forProvider", "publicAccessPrevention"])} if {
	some found in buckets.gcp
	not found[1].spec.forProvider.publicAccessPrevention == "enforced"
}

deny contains {"msg": "containers of the account may be public", "path": estate.path(found[0], ["spec", "forProvider", "allowNestedItemsToBePublic"])} if {
	some found in buckets.azure
	not found[1].spec.forProvider.allowNestedItemsToBePublic == false
}

deny contains {"msg": sprintf("the container is public (%v)", [type]), "path": estate.path(found[0], ["spec", "forProvider", "containerAccessType"])} if {
	some found in estate.of({"Container"})
	regex.match(`^storage\.azure\.`, types.text(found[1].apiVersion))
	type := found[1].spec.forProvider.containerAccessType
	type != "private"
}

deny contains {"msg": sprintf("%v is everybody", [member]), "path": estate.path(found[0], array.concat(["spec", "forProvider"], path))} if {
	some found in estate.of(kinds)
	some [path, member] in members(found[1].spec.forProvider)
	member in {"allUsers", "allAuthenticatedUsers"}
}

# Whom a member, a binding and an access control let in.
members(settings) := {[[field], member] | some field in ["member", "entity"]; member := settings[field]} | {[["members", index], member] |
	some index, member in types.list(settings.members)
}

deny contains {"msg": sprintf("the access list is %v", [acl]), "path": estate.path(found[0], ["spec", "forProvider", "acl"])} if {
	some found in estate.of(kinds)
	acl := found[1].spec.forProvider.acl
	startswith(acl, "public-")
}

deny contains {"msg": "the policy lets everybody in", "path": estate.path(found[0], ["spec", "forProvider", "policy"])} if {
	some found in estate.of({"BucketPolicy"})
	text := types.text(found[1].spec.forProvider.policy)
	json.is_valid(text)
	some statement in statements(json.unmarshal(text))
	statement.Effect == "Allow"
	lets_everybody_in(statement)
	object.get(statement, "Condition", {}) == {}
}

statements(policy) := policy.Statement if is_array(policy.Statement)

statements(policy) := [policy.Statement] if is_object(policy.Statement)

lets_everybody_in(statement) if everybody(statement.Principal)

# All but some.
lets_everybody_in(statement) if statement.NotPrincipal

everybody(principal) if principal == "*"

everybody(principal) if principal.AWS == "*"

everybody(principal) if "*" in principal.AWS

settings := ["blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets"]

blocked := buckets.pointed_at([found[1] | some found in estate.of({"BucketPublicAccessBlock"})], "bucket")
