# Buckets of the three clouds, and the resources that AWS keeps beside them.
package crossgate.lib.buckets

import rego.v1

import data.crossgate.lib.estate
import data.crossgate.lib.types

aws := [found | some found in estate.of({"Bucket"}); regex.match(`^s3\.aws\.`, types.text(found[1].apiVersion))]

gcp := [found | some found in estate.of({"Bucket"}); regex.match(`^storage\.gcp\.`, types.text(found[1].apiVersion))]

azure := [found | some found in estate.of({"Account"}); regex.match(`^storage\.azure\.`, types.text(found[1].apiVersion))]

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
