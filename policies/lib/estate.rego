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
	kind := document.contents.kind
	is_string(kind)
}

# The objects of these kinds: [place, object].
of(kinds) := [[index, found] |
	some kind in kinds
	some index, found in by_kind[kind]
]

# The objects of a kind whose API begins so, by their place.
of_api(kind, api) := {place: found |
	some place, found in by_kind[kind]
	is_string(found.apiVersion)
	startswith(found.apiVersion, api)
}

# How many objects the one at a place stands for: those that show a rule the same may be counted (count_alike).
count_at(index) := object.get(input[index], "count", 1)

# The path of a field of the object at a place.
path(index, keys) := array.concat([index, "contents"], keys)

# What others may call an object by: its name, its name in the cloud, the composite resource it is part of, its labels.
names(found) := union({
	{["name", name] | name := found.metadata.name; is_string(name)},
	{["name", name] | name := found.metadata.annotations["crossplane.io/external-name"]; is_string(name)},
	{["composite", name] | name := found.metadata.labels["crossplane.io/composite"]; is_string(name)},
	{["label", key, value] | labels := found.metadata.labels; is_object(labels); some key, value in labels},
})

# What a field of a managed resource points at: sets of names, of which an object must have all of one.
targets(found, field) := union({
	{{["name", last(name)]} | name := settings[field]; is_string(name)},
	{{["name", name]} | name := settings[concat("", [field, "Ref"])].name},
	{selected |
		selector := settings[concat("", [field, "Selector"])]
		selected := labels(selector) | controller(found, selector)
		count(selected) > 0
	},
}) if {
	settings := found.spec.forProvider
}

# What stands in a cloud's full name (projects/…/clusters/NAME) at the end.
last(name) := parts[count(parts) - 1] if parts := split(name, "/")

labels(selector) := {["label", key, value] | given := selector.matchLabels; is_object(given); some key, value in given}

controller(found, selector) := {["composite", name] |
	selector.matchControllerRef == true
	name := composite(found)
}

composite(found) := types.text(found.metadata.labels["crossplane.io/composite"])

# What the text of objects holds where one says that it is part of production (or of development).
production_in_text := sprintf(said_in_text, [concat("|", environments.labels), concat("|", environments.production)])

development_in_text := sprintf(said_in_text, [concat("|", environments.labels), concat("|", environments.development)])

said_in_text := `"(?:%v)":"(?i:%v)"`

# Whether an object is part of production (or of development): it says so, or its composite resource, its claim's choice
# of a Composition, or its namespace does.
production(found) if "production" in environments_of(found)

development(found) if "development" in environments_of(found)

environments_of(found) := union({
	said(found),
	{environment | some environment in composites[found.metadata.labels["crossplane.io/composite"]]},
	{environment | some environment in namespaces[found.metadata.namespace]},
}) if {
	anything_speaks
}

anything_speaks if speaks(text)

# Everything as JSON text, for a cheap first look.
text := json.marshal(input)

# Whether a text may say of what environment something is. Most objects do not, which a look at their text tells at once.
speaks(text_of_it) if {
	some label in environments.labels
	contains(text_of_it, concat("", [json.marshal(label), ":"]))
}

# What it says itself, in its labels, or in those that choose its Composition or that it gives to what stands in a cloud.
said(found) := {environment |
	speaks(json.marshal(found))
	some label in environments.labels
	some word in union({
		{word | word := found.metadata.labels[label]},
		{word | word := found.spec.compositionSelector.matchLabels[label]},
		{word | word := found.spec.crossplane.compositionSelector.matchLabels[label]},
		{word | some field in ["labels", "resourceLabels", "tags"]; word := found.spec.forProvider[field][label]},
		{word | word := objects.one(found.spec.forProvider.settings).userLabels[label]},
	})
	is_string(word)
	some environment, words in {"production": environments.production, "development": environments.development}
	lower(word) in words
}

composites[name] contains environment if {
	is_array(input)
	some document in input
	name := document.contents.metadata.name
	name in composed_for
	some environment in said(document.contents)
}

# What objects are composed for: only these are looked at for what they say.
composed_for := {name |
	is_array(input)
	some document in input
	name := document.contents.metadata.labels["crossplane.io/composite"]
	is_string(name)
}

namespaces[name] contains environment if {
	some found in by_kind.Namespace
	name := found.metadata.name
	is_string(name)
	some environment in said(found)
}

# Whether the object's API is of this group, or of one that ends so.
in_group(found, group) if objects.in_group(found, group)
