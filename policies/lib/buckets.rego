# Buckets of the three clouds, and the resources that AWS keeps beside them.
package crossgate.lib.buckets

import rego.v1

import data.crossgate.lib.estate
import data.crossgate.lib.types

aws := [found | some found in estate.of({"Bucket"}); regex.match(`^s3\.aws\.`, types.text(found[1].apiVersion))]

gcp := [found | some found in estate.of({"Bucket"}); regex.match(`^storage\.gcp\.`, types.text(found[1].apiVersion))]

azure := [found | some found in estate.of({"Account"}); regex.match(`^storage\.azure\.`, types.text(found[1].apiVersion))]

# Whether the bucket is one that is pointed at.
has(bucket, pointed) if {
	some name in estate.names(bucket)
	name in pointed.by_name
}

has(bucket, pointed) if {
	some target in pointed.by_names
	lacking := target - estate.names(bucket)
	count(lacking) == 0
}

# Crossplane only looks at what it may neither make nor change, and at nothing that is paused.
only_looked_at(companion) if types.text(companion.metadata.annotations["crossplane.io/paused"]) == "true"

only_looked_at(companion) if {
	policies := {policy | some policy in types.list(companion.spec.managementPolicies)}
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
