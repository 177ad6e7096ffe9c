# The Applications of a document: Applications, and the templates of ApplicationSets.
package crossgate.lib.applications

import rego.v1

import data.crossgate.lib.objects
import data.crossgate.lib.types

kinds := {"Application", "ApplicationSet"}

# [path of the spec, the spec, the object]
specs := [[array.concat(found[0], place), spec, found[1]] |
	some found in objects.of(kinds)
	objects.in_group(found[1], "argoproj.io")
	some place in places[found[1].kind]
	spec := types.map(object.get(found[1], place, null))
]

places := {
	"Application": [["spec"]],
	"ApplicationSet": [["spec", "template", "spec"]],
}

# [path of the source, the source, the path of its spec]
sources := array.concat(
	[[array.concat(found[0], ["source"]), found[1].source, found[0]] |
		some found in specs
		is_object(found[1].source)
	],
	[[array.concat(found[0], ["sources", index]), source, found[0]] |
		some found in specs
		some index, source in types.list(found[1].sources)
		is_object(source)
	],
)
