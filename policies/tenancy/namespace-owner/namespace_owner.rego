# METADATA
# title: Claims stand in the namespace of their team
# description: >-
#   A claim stands in a namespace of a team, which is that of its team label, and which is made with an owner where
#   namespaces are checked too.
# related_resources:
# - https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/
# custom:
#   severity: warning
#   reason: NAMESPACE_WITHOUT_OWNER
#   input: estate
#   remediation: Put the claim into the namespace of its team (ml-team-<team>), or let the platform team make the team's namespace.
package crossgate.tenancy.namespace_owner

import rego.v1

import data.crossgate.lib.estate
import data.crossgate.lib.types
import data.crossgate.lists.platform

kinds := platform.claims | {"Namespace"}

looks_at := {["metadata", "namespace"], ["metadata", "labels", "team"], ["metadata", "labels", "owner"]}

alike_once := platform.claims

warn contains {"msg": sprintf("namespace %v is not that of a team", [namespace]), "path": estate.path(claim[0], ["metadata", "namespace"])} if {
	some claim in claims
	namespace := object.get(claim[1], ["metadata", "namespace"], "")
	namespace in strangers
}

warn contains {"msg": "the claim names no namespace: that of its team is missing", "path": estate.path(claim[0], ["metadata", "namespace"])} if {
	some claim in claims
	object.get(claim[1], ["metadata", "namespace"], "") == ""
}

warn contains {"msg": sprintf("the claim is of team %v and stands in namespace %v", [team, namespace]), "path": estate.path(claim[0], ["metadata", "namespace"])} if {
	some claim in claims
	namespace := object.get(claim[1], ["metadata", "namespace"], "")
	of_a_team(namespace)
	team := claim[1].metadata.labels.team
	namespace != sprintf("ml-team-%v", [team])
}

warn contains {"msg": sprintf("namespace %v %v", [namespace, lack]), "path": estate.path(claim[0], ["metadata", "namespace"])} if {
	count(estate.by_kind.Namespace) > 0
	some claim in claims
	namespace := object.get(claim[1], ["metadata", "namespace"], "")
	some lack in lacking[namespace]
}

claims := estate.of(platform.claims)

# Each namespace is looked at once: there are few of them, and many claims.
namespaces := {object.get(claim[1], ["metadata", "namespace"], "") | some claim in claims}

strangers := {namespace | some namespace in namespaces; namespace != ""; not of_a_team(namespace)}

lacking := {namespace: lacks(namespace) | some namespace in namespaces; of_a_team(namespace)}

of_a_team(namespace) if regex.match(platform.team_namespace, types.text(namespace))

lacks(namespace) := {"has no owner"} if {
	some found in estate.by_kind.Namespace
	found.metadata.name == namespace
	not owned(found)
} else := {"is made by nobody"} if {
	not namespace in made
} else := set()

made := {found.metadata.name | some found in estate.by_kind.Namespace}

# A label of nothing names nobody.
owned(namespace) if regex.match(`[A-Za-z0-9]`, types.text(namespace.metadata.labels.owner))
