# METADATA
# title: Production gets what development had
# description: >-
#   What an object of production newly pins (images, charts, models, revisions of Compositions) was pinned in development before
#   this change.
# related_resources:
# - https://cloud.google.com/architecture/devops/devops-tech-deployment-automation
# custom:
#   severity: error
#   reason: NOT_PROMOTED
#   input: estate
#   remediation: Merge the same version into development first, see it run, and bring it to production in a change of its own.
package crossgate.release.promotion

import rego.v1

import data.crossgate.lib.changes
import data.crossgate.lib.estate
import data.crossgate.lib.types
import data.crossgate.lists.environments
import data.crossgate.lists.promotion

kinds := {"Change"}

deny contains {"msg": sprintf("%v in production takes %v %v, which development did not have before this change", [name, pin.what, pin.value]), "path": estate.path(change[0], ["spec", "objects", name, "pins", index])} if {
	some change in estate.of({"Change"})
	some name, changed in types.map(change[1].spec.objects)
	changes.belongs(changed, environments.production)
	some index, pin in types.list(changed.pins)
	pin.what in promotion.pins
	not changes.held(change[1], pin, environments.development)
}
