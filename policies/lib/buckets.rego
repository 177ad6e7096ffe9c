# Buckets of the three clouds, and the resources that AWS keeps beside them.
package crossgate.lib.buckets

import rego.v1

import data.crossgate.lib.estate

# [place, the bucket, what others may call it]
aws := [[place, bucket, estate.names(bucket)] | some place, bucket in estate.of_api("Bucket", "s3.aws.")]

# [place, the bucket]
gcp := [[place, bucket] | some place, bucket in estate.of_api("Bucket", "storage.gcp.")]

# [place, the account, what others may call it]
azure := [[place, account, estate.names(account)] | some place, account in estate.of_api("Account", "storage.azure.")]

# Whether a bucket with these names is one that is pointed at.
has(names, pointed) if count(names & pointed.by_name) > 0

has(names, pointed) if {
	some target in pointed.by_names
	count(target - names) == 0
}

# Crossplane only looks at what it may neither make nor change, and at nothing that is paused.
only_looked_at(companion) if companion.metadata.annotations["crossplane.io/paused"] == "true"

only_looked_at(companion) if {
	is_array(companion.spec.managementPolicies)
	policies := {policy | some policy in companion.spec.managementPolicies}
	count(policies) > 0
	count(policies & {"*", "Create", "Update"}) == 0
}

# What companions point at by a field, that which has one name apart: it is found at once.
pointed_at(companions, field) := {
	"by_name": {name | some target in targets; count(target) == 1; some name in target},
	"by_names": [target | some target in targets; count(target) > 1],
} if {
	targets := {target |
		some companion in companions
		not only_looked_at(companion)
		some target in estate.targets(companion, field)
	}
}
