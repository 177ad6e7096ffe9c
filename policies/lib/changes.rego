# What a document of kind Change says: where its objects belong, and what the base held there.
package crossgate.lib.changes

import rego.v1

import data.crossgate.lib.types
import data.crossgate.lists.environments

# Whether the base pins a thing in an environment of these names.
held(change, thing, words) if {
	some each in types.list(change.spec.held)
	each.what == thing.what
	each.value == thing.value
	belongs(each, words)
}

# Labels say the environment; where they do not, the folder does.
belongs(found, words) if {
	some word in labelled(found)
	word in words
}

belongs(found, words) if {
	count(labelled(found)) == 0
	some folder in types.list(found.folders)
	lower(folder) in words
}

labelled(found) := {lower(word) |
	some label in environments.labels
	word := types.text(found.labels[label])
}
