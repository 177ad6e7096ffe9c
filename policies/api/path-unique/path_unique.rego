# METADATA
# title: Every path has one service
# description: >-
#   No two ModelServices, and no two Ingresses on one host, answer for the same path.
# related_resources:
# - https://kubernetes.io/docs/concepts/services-networking/ingress/
# custom:
#   severity: error
#   reason: PATH_TAKEN
#   input: estate
#   remediation: Give each service a path of its own, for example with the team's name in it.
package crossgate.api.path_unique

import rego.v1

import data.crossgate.lib.estate
import data.crossgate.lib.types

kinds := {"ModelService", "Ingress"}

looks_at := {["spec", "api", "path"], ["spec", "rules"], ["metadata", "labels", "crossplane.io/composite"]}

deny contains {"msg": sprintf("path %v is also that of %v%v", [one[2], concat(", ", named), more]), "path": one[4]} if {
	some one in addresses
	holders := holding[[one[1], one[2]]]
	named := array.slice([holder[0] | some holder in array.slice(holders, 0, few + 1); holder[1] != one[0]], 0, few)
	more := and_more((count(holders) - 1) - count(named))
}

# To name all of many to each of them takes more than there is memory for.
few := 3

and_more(0) := ""

and_more(number) := sprintf(" and %v more", [number]) if number > 0

# Who holds an address that several do, in order.
holding[address] := sort(holders) if {
	some address, holders in by_address
	count(holders) > 1
}

by_address[address] contains [one[3], one[0]] if {
	some one in addresses
	address := [one[1], one[2]]
}

# [place, host, path, who, where]
addresses := array.concat(of_claims, of_ingresses)

of_claims := [[place, "*", plain(claim.spec.api.path), who(claim), estate.path(place, ["spec", "api", "path"])] |
	some place, claim in estate.by_kind.ModelService
]

of_ingresses := [[place, object.get(rule, "host", "*"), plain(object.get(types.map(entry), "path", "/")), who(ingress), estate.path(place, ["spec", "rules", number, "http", "paths", index, "path"])] |
	some place, ingress in estate.by_kind.Ingress
	not estate.composite(ingress)
	some number, rule in types.list(ingress.spec.rules)
	some index, entry in types.list(rule.http.paths)
	is_object(entry)
]

# A slash at the end, and two in a row, lead to the same place.
plain(path) := trimmed if {
	trimmed := trim_right(regex.replace(types.text(path), `/+`, "/"), "/")
	trimmed != ""
}

plain(path) := "/" if regex.match(`^/*$`, types.text(path))

# What says none answers for all.
plain(null) := "/"

who(found) := sprintf("%v %v/%v", [found.kind, object.get(found, ["metadata", "namespace"], ""), object.get(found, ["metadata", "name"], "")])
