# METADATA
# title: Claims and namespaces say whose they are and who pays
# description: >-
#   Every claim and every namespace of a team carries the labels owner and cost-center.
# related_resources:
# - https://kubernetes.io/docs/concepts/overview/working-with-objects/common-labels/
# custom:
#   severity: warning
#   reason: LABEL_MISSING
#   input: written
#   remediation: Add the labels owner and cost-center; Crossplane and the clouds carry them on.
package crossgate.tenancy.labels

import rego.v1

import data.crossgate.lib.objects
import data.crossgate.lib.types
import data.crossgate.lists.platform

kinds := platform.claims | {"Namespace"}

first_look := sprintf(`"kind":"(?:%v)"`, [concat("|", kinds)])

# Both labels, and before them no more than annotations.
known_good := concat("", [
	first_look, `,"metadata":\{(?:"annotations":\{[^{}]*\},)?`,
	`"labels":\{(?:[^{}\\]*,)?"cost-center":"[^"\\]*[A-Za-z0-9][^{}\\]*,"owner":"[^"\\]*[A-Za-z0-9]`,
])

warn contains {"msg": sprintf("%v %v has no label %v", [found[1].kind, object.get(found[1], ["metadata", "name"], ""), label]), "path": array.concat(found[0], ["metadata", "labels"])} if {
	some found in objects.all
	found[1].kind in kinds
	of_a_team(found[1])
	some label in ["owner", "cost-center"]
	not labelled(found[1], label)
}

of_a_team(found) if found.kind in platform.claims

of_a_team(found) if regex.match(platform.team_namespace, types.text(found.metadata.name))

labelled(found, label) if regex.match(`[A-Za-z0-9]`, sprintf("%v", [found.metadata.labels[label]]))
