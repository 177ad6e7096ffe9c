# METADATA
# title: What is frozen stays as it is
# description: >-
#   While a team (or everything) is frozen, none of its objects are added, changed or deleted, nor what they become.
# related_resources:
# - https://sre.google/workbook/error-budget-policy/
# custom:
#   severity: error
#   reason: FROZEN
#   input: estate
#   remediation: Wait until the freeze ends, or ask its owner; in an emergency the owner merges a waiver first.
package crossgate.release.freeze

import rego.v1

import data.crossgate.lib.estate
import data.crossgate.lib.types

kinds := {"Change"}

deny contains {"msg": sprintf("%v is frozen until %v: %v; this change would %v %v%v; ask %v", [whose(freeze), freeze.ends, freeze.reason, changed.action, name, through(changed), freeze.owner]), "path": estate.path(change[0], ["spec", "objects", name])} if {
	some change in estate.of({"Change"})
	some freeze in types.list(change[1].spec.freezes)
	some name, changed in types.map(change[1].spec.objects)
	freeze.team in {changed.team, "*"}
}

whose(freeze) := sprintf("team %v", [freeze.team]) if freeze.team != "*"

whose(freeze) := "everything" if freeze.team == "*"

# What of the platform changes an object that its author did not touch.
through(changed) := sprintf(" through %v", [concat(", ", types.list(changed.through))]) if changed.remade

else := ""
