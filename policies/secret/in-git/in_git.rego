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

import data.crossgate.lib.objects
import data.crossgate.lib.types

kinds := {"Secret", "Composition"}

# Data that is not empty.
first_look := `"(?:data|stringData)":\{"`

deny contains {"msg": "a Secret with data stands in Git", "path": array.concat(found[0], [field])} if {
	some found in objects.of({"Secret"})
	objects.in_group(found[1], "v1")
	some field in ["data", "stringData"]
	count(types.map(found[1][field])) > 0
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
