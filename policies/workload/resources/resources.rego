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

kinds := pods.kinds

deny contains {"msg": sprintf("container %v has no %s", [object.get(found[1], "name", "without a name"), concat(", ", missing)]), "path": found[0]} if {
	some found in pods.containers
	found[2] != "ephemeralContainers"
	resources := object.get(found[1], "resources", {})
	missing := [concat(".", needed) |
		some needed in [["requests", "cpu"], ["requests", "memory"], ["limits", "memory"]]
		not given(resources, needed)
	]
	count(missing) > 0
}

given(resources, needed) if set_to_something(object.get(resources, needed, null))

# A limit stands for the request where there is none.
given(resources, needed) if {
	needed[0] == "requests"
	set_to_something(object.get(resources, ["limits", needed[1]], null))
}

set_to_something(quantity) if {
	is_number(quantity)
	quantity > 0
}

set_to_something(quantity) if {
	is_string(quantity)
	regex.match(`[1-9]`, quantity)
}
