# METADATA
# title: What holds data is not pruned without asking
# description: >-
#   Argo CD asks before it removes a claim, a volume or a team's namespace.
# related_resources:
# - https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/#resource-pruning-with-confirmation
# custom:
#   severity: warning
#   reason: PRUNED_WITHOUT_ASKING
#   input: written
#   remediation: "Add Prune=confirm and Delete=confirm (or =false) to argocd.argoproj.io/sync-options."
package crossgate.gitops.prune_stateful

import rego.v1

import data.crossgate.lib.objects
import data.crossgate.lib.types
import data.crossgate.lists.platform

kinds := platform.stateful

# What Argo CD manages carries one of its annotations.
first_look := `"argocd\.argoproj\.io/`

# Options that ask about both, in either order.
known_good := concat("", [
	`"annotations":\{(?:[^{}\\]*,)?"argocd\.argoproj\.io/sync-options":"(?:[^"\\]*,)?`,
	`(?:Prune=(?:confirm|false),(?:[^"\\]*,)?Delete=(?:confirm|false)|Delete=(?:confirm|false),(?:[^"\\]*,)?Prune=(?:confirm|false))`,
	`(?:,[^"\\]*)?"[^{}\\]*\}`,
])

warn contains {"msg": sprintf("%v %v not asked about for %v %v", [concat(" and ", missing), ["is", "are"][count(missing) - 1], found[1].kind, object.get(found[1], ["metadata", "name"], "")]), "path": array.concat(found[0], ["metadata", "annotations", annotation])} if {
	some found in objects.of(kinds)
	managed(found[1])
	missing := [option | some option in ["Prune", "Delete"]; not asks(found[1], option)]
	count(missing) > 0
}

annotation := "argocd.argoproj.io/sync-options"

# Argo CD keeps what carries its annotations or stands beside what does; of namespaces those of teams hold data.
managed(found) if {
	found.kind != "Namespace"
	some name, _ in types.map(found.metadata.annotations)
	startswith(name, "argocd.argoproj.io/")
}

managed(found) if {
	found.kind == "Namespace"
	regex.match(platform.team_namespace, types.text(found.metadata.name))
	some name, _ in types.map(found.metadata.annotations)
	startswith(name, "argocd.argoproj.io/")
}

asks(found, option) if {
	some given in split(types.text(found.metadata.annotations[annotation]), ",")
	trim_space(given) in {sprintf("%v=confirm", [option]), sprintf("%v=false", [option])}
}
