# METADATA
# title: Labels and annotations are text
# description: >-
#   The values of labels and annotations are strings, in documents, in the templates of Compositions and in wrapped
#   manifests; true and 1 without quotes are not.
# related_resources:
# - https://kubernetes.io/docs/concepts/overview/working-with-objects/annotations/
# custom:
#   severity: error
#   reason: ANNOTATION_NOT_TEXT
#   input: written
#   remediation: Put the value in quotes.
package crossgate.crossplane.string_annotations

import rego.v1

import data.crossgate.lib.types
import data.crossgate.lib.values

# A rule need not be asked where the text of a document holds none of what it looks for first.
first_look := `"(?:labels|annotations|matchLabels)":\{(?:"(?:[^"\\]|\\(?s:.))*":"(?:[^"\\]|\\(?s:.))*",)*"(?:[^"\\]|\\(?s:.))*":[^"]`

deny contains {"msg": sprintf("%v is not text", [value]), "path": array.concat(path, [field, name])} if {
	regex.match(first_look, values.text)
	walk(input, [path, metadata])
	path[count(path) - 1] in {"metadata", "compositionSelector", "selector"}
	not in_a_schema(path)
	some field in ["labels", "annotations", "matchLabels"]
	some name, value in types.map(metadata[field])
	not is_string(value)
}

# A schema says what these are; it has none.
in_a_schema(path) if "properties" in path
