# Everything that is checked together, in the form of conftest's --combine: an array of {path, contents}. Rules over the
# estate ask here; each answer is worked out once for the estate.
package crossgate.lib.estate

import rego.v1

import data.crossgate.lib.objects
import data.crossgate.lib.types
import data.crossgate.lists.environments

# The objects of a kind by their place in the array.
by_kind[kind][index] := document.contents if {
	is_array(input)
	some index, document in input
	kind := types.text(document.contents.kind)
}

# The objects of these kinds: [place, object].
of(kinds) := [[index, found] |
	some kind in kinds
	some index, found in by_kind[kind]
]

# The path of a field of the object at a place.
path(index, keys) := array.concat([index, "contents"], keys)

# What others may call an object by: its name, its name in the cloud, the composite resource it is part of, its labels.
names(found) := union({
	{["name", name] | name := types.text(found.metadata.name)},
	{["name", name] | name := types.text(found.metadata.annotations["crossplane.io/external-name"])},
	{["composite", name] | name := composite(found)},
	{["label", key, value] | some key, value in types.map(found.metadata.labels)},
})

# What a field of a managed resource points at: sets of names, of which an object must have all of one.
targets(found, field) := union({
	{{["name", name]} | name := last(types.text(found.spec.forProvider[field]))},
	{{["name", name]} | name := found.spec.forProvider[concat("", [field, "Ref"])].name},
	{selected |
		selector := found.spec.forProvider[concat("", [field, "Selector"])]
		selected := labels(selector) | controller(found, selector)
		count(selected) > 0
	},
})

# What stands in a cloud's full name (projects/…/clusters/NAME) at the end.
last(name) := parts[count(parts) - 1] if parts := split(name, "/")

labels(selector) := {["label", key, value] | some key, value in types.map(selector.matchLabels)}

controller(found, selector) := {["composite", name] |
	selector.matchControllerRef == true
	name := composite(found)
}

composite(found) := types.text(found.metadata.labels["crossplane.io/composite"])

# Whether an object is part of production (or of development): it says so, or its composite resource, its claim's choice
# of a Composition, or its namespace does.
production(found) if in_environment(found, environments.production, "production")

development(found) if in_environment(found, environments.development, "development")

in_environment(found, words, _) if says(found, words)

in_environment(found, _, environment) if composite(found) in composites[environment]

in_environment(found, _, environment) if found.metadata.namespace in namespaces[environment]

# It says so in its labels, or in those that choose its Composition or that it gives to what stands in a cloud.
says(found, words) if said(found.metadata.labels, words)

says(found, words) if said(found.spec.compositionSelector.matchLabels, words)

says(found, words) if said(found.spec.crossplane.compositionSelector.matchLabels, words)

says(found, words) if {
	some field in ["labels", "resourceLabels", "tags"]
	said(found.spec.forProvider[field], words)
}

says(found, words) if said(objects.one(found.spec.forProvider.settings).userLabels, words)

said(labels, words) if {
	some label in environments.labels
	value := types.text(labels[label])
	lower(value) in words
}

composites[environment] contains name if {
	some environment, words in {"production": environments.production, "development": environments.development}
	is_array(input)
	some document in input
	name := types.text(document.contents.metadata.name)
	name in composed_for
	says(document.contents, words)
}

# What objects are composed for: only these are looked at for what they say.
composed_for := {name |
	is_array(input)
	some document in input
	name := composite(document.contents)
}

namespaces[environment] contains name if {
	some environment, words in {"production": environments.production, "development": environments.development}
	some found in by_kind.Namespace
	says(found, words)
	name := types.text(found.metadata.name)
}

# Whether the object's API is of this group, or of one that ends so.
in_group(found, group) if objects.in_group(found, group)
