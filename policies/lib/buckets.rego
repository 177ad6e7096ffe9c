# Buckets of the three clouds, and the resources that AWS keeps beside them.
package crossgate.lib.buckets

import rego.v1

import data.crossgate.lib.estate

aws := [found | some found in estate.of({"Bucket"}); regex.match(`^s3\.aws\.`, found[1].apiVersion)]

gcp := [found | some found in estate.of({"Bucket"}); regex.match(`^storage\.gcp\.`, found[1].apiVersion)]

azure := [found | some found in estate.of({"Account"}); regex.match(`^storage\.azure\.`, found[1].apiVersion)]

# Whether a companion of this kind, among those at these places in the estate, belongs to the bucket.
has(bucket, pointed_at) if {
	some name in estate.names(bucket)
	name in pointed_at
}

# What companions point at: those of a kind that pass `wanted`.
pointed_at(companions) := {target |
	some companion in companions
	some target in estate.targets(companion, "bucket")
}
