# METADATA
# title: No Composition brings production what development never had
# description: >-
#   What claims of production become through a changed Composition, XRD or EnvironmentConfig pins nothing (images, charts,
#   models) that claims of development did not become before this change.
# related_resources:
# - https://docs.crossplane.io/latest/composition/composition-revisions/
# custom:
#   severity: warning
#   reason: PROMOTED_AT_ONCE
#   input: estate
#   remediation: Give production a Composition of its own (label environment) and change that of development first, or know that production takes this untried.
package crossgate.release.promoted_at_once

import rego.v1

import data.crossgate.lib.changes
import data.crossgate.lib.estate
import data.crossgate.lib.types
import data.crossgate.lists.environments
import data.crossgate.lists.promotion

kinds := {"Change"}

warn contains {"msg": sprintf("%v in production gets %v %v through %v, which development did not have before this change", [name, thing.what, thing.value, concat(", ", types.list(changed.through))]), "path": estate.path(change[0], ["spec", "objects", name])} if {
	some change in estate.of({"Change"})
	some name, changed in types.map(change[1].spec.objects)
	changes.belongs(changed, environments.production)
	some thing in types.list(changed.made)
	thing.what in promotion.pins
	not changes.held(change[1], thing, environments.development)
	not pinned_by_production(change[1], thing)
}

# What an object of production pins itself, release/promotion speaks about.
pinned_by_production(change, thing) if {
	some changed in types.map(change.spec.objects)
	changes.belongs(changed, environments.production)
	some pin in types.list(changed.pins)
	pin.what == thing.what
	pin.value == thing.value
}
