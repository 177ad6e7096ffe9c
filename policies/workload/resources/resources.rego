# METADATA
# title: Containers say what they need
# description: >-
#   Every container and init container requests processor time and memory and has a limit for memory.
# related_resources:
# - https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/
# custom:
#   severity: error
#   reason: RESOURCES_MISSING
#   remediation: Set resources.requests.cpu, resources.requests.memory and resources.limits.memory.
package crossgate.workload.resources

import rego.v1

import data.crossgate.lib.pods
import data.crossgate.lib.types

kinds := pods.kinds

deny contains {"msg": sprintf("container %v has no %v", [object.get(found[1], "name", "without a name"), concat(", ", missing)]), "path": found[0]} if {
	some found in pods.containers
	found[2] != "ephemeralContainers"
	resources := types.map(object.get(found[1], "resources", {}))
	missing := [concat(".", needed) |
		some needed in [["requests", "cpu"], ["requests", "memory"], ["limits", "memory"]]
		quantity := asked(resources, needed)
		not something(quantity)
	]
	count(missing) > 0
}

# A limit stands for the request where there is none.
asked(resources, needed) := quantity if {
	quantity := resources[needed[0]][needed[1]]
} else := object.get(resources, ["limits", needed[1]], 0)

# A power of ten makes nothing more than it is ("0e5").
something(quantity) if regex.match(`^[+]?[0-9.]*[1-9]`, sprintf("%v", [quantity]))
