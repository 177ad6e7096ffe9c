# What stands in a document, wherever it stands: rules ask here instead of walking themselves, so that no
# nesting, list or text hides a value. Each answer is worked out once for a document.
package crossgate.lib.values

import rego.v1

import data.crossgate.lib.types

# The document as text, for a cheap first look: rules walk only where it shows something that may be wrong. Look for
# plain words first (`a|b|c`): the embedded engine finds these without building an automaton, ten times as fast.
text := replace(replace(json.marshal(input), `\n`, "\n"), `\t`, "\t") if is_object(input)

lowered := lower(text)

# Every string with its path.
leaves := [[path, value] |
	is_object(input)
	walk(input, [path, value])
	is_string(value)
]

explains := {"description", "example", "examples"}

# Whether what stands at the path acts: descriptions and examples only explain, a template's field that a patch
# writes has another value in the end, and a policy only names what it refuses.
acts(path) if {
	not is_a_policy
	name := key(path)
	not name in explains
	not overwritten(path)
}

is_a_policy if {
	input.kind == "ConstraintTemplate"
	startswith(types.text(input.apiVersion), "templates.gatekeeper.sh/")
}

is_a_policy if {
	input.kind == "ValidatingAdmissionPolicy"
	startswith(types.text(input.apiVersion), "admissionregistration.k8s.io/")
}

# The strings, trimmed, and the scalars inside the texts among them: YAML, JSON, HCL, lists and options
# (`--allow=…`). A line of prose holds no scalar.
scalars := [found |
	some leaf in leaves
	some found in scalars_of(leaf)
]

scalars_of(leaf) := array.concat([[leaf[0], trim_space(leaf[1])]], [[leaf[0], match[1]] |
	regex.match(`[\n,;=\[{"]`, leaf[1])
	lines := in_lines(leaf[1])
	some match in regex.find_all_string_submatch_n(
		`(?m)^[ \t]*(?:-[ \t]+)*(?:--?)?(?:[^\s#=]+[ \t]*(?::[ \t]+|=[ \t]*))?([^\s#]+)[ \t]*(?:#.*)?$`,
		lines, -1,
	)
	match[1] != leaf[1]
])

# Brackets, commas and quotes of YAML, JSON and HCL become line ends, so that a line holds one scalar at most.
in_lines(value) := strings.replace_n(
	{",": "\n", ";": "\n", "[": "\n", "]": "\n", "{": "\n", "}": "\n", "\"": "", "'": ""},
	replace(value, "\":", "\": "),
)

# The last key of a path; an item of a list has the key of its list.
key(path) := last if {
	last := path[count(path) - 1]
	is_string(last)
} else := keys[count(keys) - 1] if {
	is_number(path[count(path) - 1])
	keys := array.concat([""], [step | some step in path; is_string(step)])
}

# Whether a patch of the Composition writes the field of a template. What a claim really gets there is judged when
# the claim is rendered.
overwritten(path) if {
	input.kind == "Composition"
	array.slice(path, 0, 2) == ["spec", "pipeline"]
	path[6] == "base"
	step := input.spec.pipeline[path[2]]
	rest := [sprintf("%v", [part]) | some part in array.slice(path, 7, count(path))]
	some patch in patches(types.map(step.input), types.map(step.input.resources[path[5]]))
	target := types.text(written(patch))
	target != ""
	steps := [trim(part, `[]"'`) | some part in regex.find_n(`[^.\[\]]+|\[[^\]]*\]`, target, -1)]
	array.slice(rest, 0, count(steps)) == steps
}

patches(given, template) := array.concat(
	[patch | some patch in types.list(object.get(template, "patches", [])); is_object(patch)],
	[patch |
		some use in types.list(object.get(template, "patches", []))
		some patch_set in types.list(object.get(given, "patchSets", []))
		patch_set.name == use.patchSetName
		some patch in types.list(patch_set.patches)
		is_object(patch)
	],
)

written(patch) := object.get(patch, "toFieldPath", object.get(patch, "fromFieldPath", "")) if {
	type := object.get(patch, "type", "FromCompositeFieldPath")
	not type in {"ToCompositeFieldPath", "CombineToComposite", "ToEnvironmentFieldPath", "CombineToEnvironment", "PatchSet"}
}
