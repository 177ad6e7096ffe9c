# METADATA
# title: Only the GPU types that the platform offers
# description: >-
#   A GPU type is chosen by a claim's field, an accelerator, a machine type, a node selector or affinity, or the name
#   of a resource. Each of them must be one that the platform offers (`policies/data/gpu.rego`).
# related_resources:
# - https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/
# custom:
#   severity: error
#   reason: GPU_TYPE_NOT_ALLOWED
#   remediation: Choose one of the allowed types (t4, v100, a100), or ask the platform team to offer another.
package crossgate.gpu.allowed_type

import rego.v1

import data.crossgate.lib.values
import data.crossgate.lists.gpu

# A rule need not be asked where the text of a document holds none of what it looks for first.
first_look := concat("", ["(?i)", concat("|", [
	gpu.type_in_text, gpu.selector_in_text, concat("", [gpu.accelerators_in_text, `"type"`]), gpu.model_in_text, gpu.machine_forms,
	family, gpu.resource_in_text,
])])

# A field with an allowed type, a value that is nothing but an allowed name or machine, a number of allowed resources.
known_good := concat("", ["(?i)", concat("|", [
	concat("", [`"(?:(?:cloud\.google|nvidia)\.com/)?(?:gpu[._-]?(?:type|model|product|name|family)|gke-accelerator|accelerator[_-]?(?:type|name)|type)":"(?:`, names, `)"`]),
	concat("", [`"(?:`, names, `)"`]),
	concat("", [`"(?:`, machines, `)"`]),
	concat("", [`"(?:`, concat("|", [replace(resource, ".", `\.`) | some resource in gpu.resources]), `)":"?[0-9]+"?`]),
])]) if {
	names != ""
	machines != ""
	count(gpu.resources) > 0
}

names := concat("|", [name |
	some name, _ in gpu.names
	regex.match(`^[a-z0-9-]+$`, name)
	not regex.match(gpu.machine_form, name)
])

machines := concat("|", [sprintf("(?:%s)", [whole(form)]) |
	some form, type in gpu.machine_types
	type in gpu.allowed
])

# The form of a name from its beginning, as one of the whole name.
whole(form) := trim_suffix(trim_prefix(form, "^"), "$") if endswith(form, "$")

whole(form) := concat("", [trim_prefix(form, "^"), `[a-z0-9._-]*`]) if not endswith(form, "$")

family := `instance-?family`

deny contains {"msg": sprintf("GPU type %v is not allowed (allowed: %v)", [found[1], allowed]), "path": found[0]} if {
	names_types
	some found in values.scalars
	found[1] != ""
	names_a_type(found[0])
	name := last_part(found[1])
	not gpu.names[name]
	asked_for(found[0])
}

deny contains {"msg": sprintf("accelerator %v is not allowed (allowed: %v)", [found[1], allowed]), "path": found[0]} if {
	names_models
	some found in values.scalars
	name := last_part(found[1])
	regex.match(gpu.model_form, name)
	not gpu.names[name]
	not names_a_type(found[0])
	asked_for(found[0])
}

# What a claim of devices selects by, in CEL.
deny contains {"msg": sprintf("accelerator %v is not allowed (allowed: %v)", [quoted[1], allowed]), "path": leaf[0]} if {
	names_models
	some leaf in values.leaves
	values.key(leaf[0]) == "expression"
	some quoted in regex.find_all_string_submatch_n(`["']([^"']+)["']`, leaf[1], -1)
	name := replace(lower(quoted[1]), " ", "-")
	regex.match(gpu.model_form, name)
	not gpu.names[name]
	values.acts(leaf[0])
}

deny contains {"msg": sprintf("machine type %v has a GPU that is not allowed (allowed: %v)", [found[1], allowed]), "path": found[0]} if {
	has_machines
	some found in values.scalars
	name := machine_name(found)
	regex.match(gpu.machine_form, name)
	not allowed_machine(name)
	asked_for(found[0])
}

deny contains {"msg": sprintf("resource %v is not an allowed GPU", [name]), "path": path} if {
	has_resources
	walk(input, [path, _])
	count(path) > 1
	name := path[count(path) - 1]
	is_string(name)
	regex.match(gpu.resource_form, lower(name))
	path[count(path) - 2] in {"limits", "requests", "capacity", "allocatable", "hard"}
	counted := resource_name(name)
	not counted in gpu.resources
	values.acts(path)
}

# What follows looks at the document as text too, and asks for a walk only where it shows something that may be wrong.
names_types if {
	some match in regex.find_all_string_submatch_n(gpu.type_in_text, values.lowered, -1)
	name := last_part(trim_space(match[1]))
	name != ""
	not gpu.names[name]
}

names_types if {
	regex.match(gpu.selector_in_text, values.lowered)
}

names_types if {
	some accelerators in regex.find_n(gpu.accelerators_in_text, values.lowered, -1)
	some match in regex.find_all_string_submatch_n(`"type"\s*:\s*"([^"]*)"`, accelerators, -1)
	name := last_part(match[1])
	not gpu.names[name]
}

names_models if {
	some model in regex.find_n(gpu.model_in_text, values.lowered, -1)
	not gpu.names[model]
}

has_machines if {
	some name in regex.find_n(gpu.machine_forms, values.lowered, -1)
	not allowed_machine(name)
}

has_machines if {
	regex.match(family, values.lowered)
}

has_resources if {
	some match in regex.find_all_string_submatch_n(gpu.resource_in_text, values.lowered, -1)
	not match[1] in gpu.resources
}

# A quota says what it counts before the name.
resource_name(name) := trim_prefix(trim_prefix(name, "requests."), "limits.")

allowed := concat(", ", sort([type | some type in gpu.allowed]))

allowed_machine(name) if {
	some form, type in gpu.machine_types
	regex.match(form, name)
	type in gpu.allowed
}

# The name of a machine type; a family stands for all its sizes.
machine_name(found) := last_part(found[1]) if not names_a_family(found[0])

machine_name(found) := sprintf("%v.xlarge", [lower(found[1])]) if names_a_family(found[0])

names_a_family(path) if regex.match(`(?i)instance-?family$`, label(path))

# A name is read without the address of the API around it (zones/…/acceleratorTypes/…).
last_part(value) := parts[count(parts) - 1] if parts := split(lower(value), "/")

names_a_type(path) if regex.match(gpu.type_label, label(path))

# The accelerators of a node pool or an instance: {type, count}.
names_a_type(path) if {
	path[count(path) - 1] == "type"
	some step in path
	is_string(step)
	regex.match(`(?i)^(guest_?)?accelerators?$`, step)
	not "openAPIV3Schema" in path
}

# The key of the value, or of the selector's expression whose value it is.
label(path) := expression(path).key

label(path) := values.key(path) if not expression(path)

# The expression {key, operator, values} that the value stands in: node affinities, selectors, requirements.
expression(path) := above if {
	count(path) > 1
	path[count(path) - 2] == "values"
	above := object.get(input, array.slice(path, 0, count(path) - 2), null)
	is_string(above.key)
	is_string(above.operator)
}

# A selector that keeps away from a type does not ask for it.
asked_for(path) if {
	not keeps_away(path)
	values.acts(path)
}

keeps_away(path) if lower(expression(path).operator) in {"notin", "doesnotexist"}
