# The objects of a document: itself, the items of a List and the manifest inside an Object of provider-kubernetes,
# each with its path. A rule about some kinds asks here, so that wrapping hides nothing.
package crossgate.lib.objects

import rego.v1

import data.crossgate.lib.types

# Most documents hold no other object, which their kind says.
all := [[[], input]] if {
	kind := types.text(input.kind)
	kind != "Object"
	not endswith(kind, "List")
} else := array.concat(written, wrapped)

# The objects of these kinds.
of(kinds) := [found | some found in all; found[1].kind in kinds]

written := array.concat([[[], input]], [[["items", index], item] |
	endswith(types.text(input.kind), "List")
	some index, item in types.list(input.items)
	is_object(item)
]) if {
	is_object(input)
	endswith(types.text(input.kind), "List")
} else := [[[], input]] if {
	is_object(input)
} else := []

wrapped := [[array.concat(found[0], ["spec", "forProvider", "manifest"]), manifest] |
	some found in written
	found[1].kind == "Object"
	manifest := found[1].spec.forProvider.manifest
	is_object(manifest)
]

# Whether the object's API is of this group, or (for providers) of one that ends so.
in_group(object, group) if split(types.text(object.apiVersion), "/")[0] == group

in_group(object, group) if endswith(split(types.text(object.apiVersion), "/")[0], concat("", [".", types.text(group)]))

# A field that older API versions hold in a list of one.
one(value) := value if not is_array(value)

one(value) := value[0] if is_array(value)

# What stands at a path of keys, through lists of one on the way; undefined where nothing does.
at(object, keys) := object[keys[0]] if count(keys) == 1

at(object, keys) := one(object[keys[0]])[keys[1]] if count(keys) == 2

at(object, keys) := one(one(object[keys[0]])[keys[1]])[keys[2]] if count(keys) == 3
