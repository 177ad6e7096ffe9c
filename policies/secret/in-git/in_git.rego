# METADATA
# title: Secrets do not stand in Git
# description: >-
#   No Secret with data is committed, neither by itself nor inside a List, an Object or a Composition's template.
#   Base64 hides nothing.
# related_resources:
# - https://argo-cd.readthedocs.io/en/stable/operator-manual/secret-management/
# custom:
#   severity: error
#   reason: SECRET_IN_GIT
#   input: written
#   git_only: in a cluster every Secret holds data; it is Git that must not have it
#   remediation: Replace the Secret by an ExternalSecret that reads it from the secret store, and replace the secret itself.
package crossgate.secret.in_git

import rego.v1

import data.crossgate.lib.types
import data.crossgate.lib.values

# Data that is not empty, of a Secret.
first_look := `"(?:data|stringData)":\{"(?s:.*)"kind":"Secret"|"kind":"Secret"(?s:.*)"(?:data|stringData)":\{"`

# At any depth: in a List, in an Object, in the manifests that Helm values bring along.
deny contains {"msg": "a Secret with data stands in Git", "path": array.concat(path, [field])} if {
	regex.match(`"kind":"Secret"`, values.text)
	kind := object.get(input, "kind", "")
	not kind in {"Composition", "ConstraintTemplate"}
	walk(input, [path, found])
	found.kind == "Secret"
	found.apiVersion == "v1"
	some field in ["data", "stringData"]
	count(types.map(found[field])) > 0
	not "openAPIV3Schema" in path
}

deny contains {"msg": "a template holds a Secret with data", "path": array.concat(array.concat(base, inside), [field])} if {
	input.kind == "Composition"
	some number, step in types.list(input.spec.pipeline)
	some index, template in types.list(step.input.resources)
	base := ["spec", "pipeline", number, "input", "resources", index, "base"]
	some inside in [[], ["spec", "forProvider", "manifest"]]
	secret := object.get(types.map(template.base), inside, {})
	secret.kind == "Secret"
	secret.apiVersion == "v1"
	some field in ["data", "stringData"]
	some _, value in types.map(secret[field])
	value != ""
}
