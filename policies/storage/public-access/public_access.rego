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
	"BucketIAMMember", "BucketIAMBinding", "ProjectIAMMember", "ProjectIAMBinding", "FolderIAMMember", "OrganizationIAMMember",
	"BucketAccessControl", "DefaultObjectAccessControl", "ObjectAccessControl", "BucketACL", "DefaultObjectACL", "ObjectACL",
	"BucketObject", "BucketPolicy",
}

# What is given only when it is made stays so.
given := ["forProvider", "initProvider"]

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

deny contains {"msg": sprintf("%v is everybody", [member]), "path": estate.path(found[0], array.concat(["spec", part], path))} if {
	some found in estate.of(kinds)
	some part in given
	some [path, member] in members(found[1].spec[part])
	regex.match(`^([A-Z]+:)?(allUsers|allAuthenticatedUsers)$`, types.text(member))
}

# Whom a member, a binding, an access control and a list of them (ROLE:entity) let in.
members(settings) := {[[field], member] | some field in ["member", "entity"]; member := settings[field]} | {[[field, index], member] |
	some field in ["members", "roleEntity"]
	some index, member in types.list(settings[field])
}

# Ready-made access lists of AWS (public-read, authenticated-read) and GCP (publicRead, authenticatedRead).
deny contains {"msg": sprintf("the access list is %v", [acl]), "path": estate.path(found[0], ["spec", part, field])} if {
	some found in estate.of(kinds)
	some part in given
	some field in ["acl", "predefinedAcl", "defaultAcl"]
	acl := types.text(found[1].spec[part][field])
	regex.match(`^public|^authenticated`, acl)
}

# An access list of AWS names everybody by an address.
deny contains {"msg": sprintf("the access list lets %v in", [group]), "path": estate.path(found[0], array.concat(["spec", part, "accessControlPolicy"], path))} if {
	some found in estate.of({"BucketACL"})
	some part in given
	walk(found[1].spec[part].accessControlPolicy, [path, address])
	path[count(path) - 1] == "uri"
	some match in regex.find_all_string_submatch_n(`/groups/global/(AllUsers|AuthenticatedUsers)$`, types.text(address), 1)
	group := match[1]
}

deny contains {"msg": "the policy lets everybody in", "path": estate.path(found[0], ["spec", "forProvider", "policy"])} if {
	some found in estate.of({"BucketPolicy"})
	text := types.text(found[1].spec.forProvider.policy)
	json.is_valid(text)
	some statement in statements(json.unmarshal(text))
	statement.Effect == "Allow"
	lets_everybody_in(statement)
	not names_somebody(statement)
}

# A condition that names who or whence. Encryption on the way, a date or a browser do not, nor does any of everything.
names_somebody(statement) if {
	some operator, asked in types.map(statement.Condition)
	regex.match(`^(StringEquals|StringEqualsIgnoreCase|StringLike|ArnEquals|ArnLike|IpAddress)$`, operator)
	some key, values in types.map(asked)
	lower(key) in who
	names := {value | some value in types.list(values)} | {value | value := types.text(values)}
	count(names) > 0
	every name in names {
		regex.match(`^[^*?]+$|^arn:[^:*?]+:[^:*?]+:[^:*?]*:[0-9]+:`, types.text(name))
		not name in {"0.0.0.0/0", "::/0"}
	}
}

who := {
	"aws:sourceip", "aws:vpcsourceip", "aws:sourcevpc", "aws:sourcevpce", "aws:sourcevpcarn", "aws:sourcearn", "aws:sourceaccount",
	"aws:sourceowner", "aws:sourceorgid", "aws:sourceorgpaths", "aws:principalarn", "aws:principalaccount", "aws:principalorgid",
	"aws:principalorgpaths", "aws:userid", "aws:username", "s3:dataaccesspointarn", "s3:dataaccesspointaccount",
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
