# METADATA
# title: What holds data in production cannot be deleted by accident
# description: >-
#   Databases and clusters of production are protected from deletion, and buckets of production are not emptied to be
#   deleted.
# related_resources:
# - https://cloud.google.com/sql/docs/postgres/deletion-protection
# custom:
#   severity: error
#   reason: DELETION_NOT_PROTECTED
#   input: related
#   remediation: Set deletionProtection true (buckets - remove forceDestroy), or managementPolicies without Delete.
package crossgate.data.deletion_protection

import rego.v1

import data.crossgate.lib.estate
import data.crossgate.lib.objects
import data.crossgate.lib.types

kinds := {"DatabaseInstance", "Cluster", "Instance", "FlexibleServer", "Bucket"}

first_look := estate.production_in_text

deny contains {"msg": sprintf("%v %v of production is not protected from deletion", [found[1].kind, name(found[1])]), "path": estate.path(found[0], ["spec", "forProvider", "deletionProtection"])} if {
	some found in estate.of({"DatabaseInstance", "Cluster", "Instance", "FlexibleServer"})
	regex.match(`^(sql\.gcp|container\.gcp|eks\.aws|rds\.aws)\.`, types.text(found[1].apiVersion))
	not protected(found[1])
	not kept(found[1])
	estate.production(found[1])
}

deny contains {"msg": sprintf("bucket %v of production is emptied to be deleted", [name(found[1])]), "path": estate.path(found[0], ["spec", part, "forceDestroy"])} if {
	some found in estate.of({"Bucket"})

	# What is given only when it is made stays so.
	some part in ["forProvider", "initProvider"]
	found[1].spec[part].forceDestroy == true
	not kept(found[1])
	estate.production(found[1])
}

protected(found) if found.spec.forProvider.deletionProtection == true

protected(found) if objects.at(found.spec.forProvider, ["settings", "deletionProtectionEnabled"]) == true

# Crossplane leaves it alone when its own object goes.
kept(found) if found.spec.deletionPolicy == "Orphan"

kept(found) if {
	policies := types.list(found.spec.managementPolicies)
	count(policies) > 0
	every policy in policies {
		not policy in {"*", "Delete"}
	}
}

name(found) := object.get(found, ["metadata", "name"], "without a name")
