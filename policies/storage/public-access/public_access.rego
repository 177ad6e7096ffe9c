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

# Whether one of these stands anywhere: a look at the text spares a look at every member and access list.
shows(words) if {
	some word in words
	contains(estate.text, word)
}

deny contains {"msg": "public access to the bucket is not blocked", "path": estate.path(found[0], ["spec", "forProvider"])} if {
	some found in buckets.aws
	not buckets.has(found[2], blocked)
}

deny contains {"msg": sprintf("the block leaves %v open", [setting]), "path": estate.path(place, ["spec", "forProvider", setting])} if {
	some place, block in estate.by_kind.BucketPublicAccessBlock
	some setting in settings
	not block.spec.forProvider[setting] == true
}

deny contains {"msg": "public access to the bucket is not prevented", "path": estate.path(found[0], ["spec", "forProvider", "publicAccessPrevention"])} if {
	some found in buckets.gcp
	not found[1].spec.forProvider.publicAccessPrevention == "enforced"
}

deny contains {"msg": "containers of the account may be public", "path": estate.path(found[0], ["spec", "forProvider", "allowNestedItemsToBePublic"])} if {
	some found in buckets.azure
	not found[1].spec.forProvider.allowNestedItemsToBePublic == false
}

deny contains {"msg": sprintf("the container is public (%v)", [type]), "path": estate.path(place, ["spec", "forProvider", "containerAccessType"])} if {
	some place, container in estate.of_api("Container", "storage.azure.")
	type := container.spec.forProvider.containerAccessType
	type != "private"
}

deny contains {"msg": sprintf("%v is everybody", [member]), "path": estate.path(found[0], array.concat(["spec", part], path))} if {
	shows({"allUsers", "allAuthenticatedUsers"})
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
	shows({`":"public`, `":"authenticated`})
	some found in estate.of(kinds)
	some part in given
	some field in ["acl", "predefinedAcl", "defaultAcl"]
	acl := types.text(found[1].spec[part][field])
	regex.match(`^public|^authenticated`, acl)
}

# An access list of AWS names everybody by an address.
deny contains {"msg": sprintf("the access list lets %v in", [group]), "path": estate.path(place, array.concat(["spec", part, "accessControlPolicy"], path))} if {
	some place, list in estate.by_kind.BucketACL
	some part in given
	walk(list.spec[part].accessControlPolicy, [path, address])
	path[count(path) - 1] == "uri"
	some match in regex.find_all_string_submatch_n(`/groups/global/(AllUsers|AuthenticatedUsers)$`, types.text(address), 1)
	group := match[1]
}

deny contains {"msg": "the policy lets everybody in", "path": estate.path(place, ["spec", "forProvider", "policy"])} if {
	some place, bucket_policy in estate.by_kind.BucketPolicy
	text := types.text(bucket_policy.spec.forProvider.policy)
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

blocked := buckets.pointed_at([block | some block in estate.by_kind.BucketPublicAccessBlock], "bucket")
