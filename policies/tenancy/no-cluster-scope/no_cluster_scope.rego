# METADATA
# title: Teams have no rights over the cluster
# description: >-
#   Projects of teams make no cluster-wide objects and reach no other namespaces, and no group is bound to administer
#   the cluster.
# related_resources:
# - https://argo-cd.readthedocs.io/en/stable/user-guide/projects/
# custom:
#   severity: error
#   reason: CLUSTER_SCOPE
#   remediation: Use a RoleBinding in the team's namespace, and list the namespaces and kinds that the project needs.
package crossgate.tenancy.no_cluster_scope

import rego.v1

import data.crossgate.lib.objects
import data.crossgate.lib.types
import data.crossgate.lists.platform

kinds := {"AppProject", "ClusterRoleBinding", "ClusterRole"}

deny contains {"msg": sprintf("project %v may make %v/%v in the whole cluster", [name(found[1]), object.get(allowed, "group", ""), allowed.kind]), "path": array.concat(found[0], ["spec", "clusterResourceWhitelist", index])} if {
	some found in projects
	some index, allowed in types.list(found[1].spec.clusterResourceWhitelist)
	allowed.kind != "Namespace"
}

deny contains {"msg": sprintf("project %v reaches namespaces of others (%v)", [name(found[1]), destination.namespace]), "path": array.concat(found[0], ["spec", "destinations", index, "namespace"])} if {
	some found in projects
	some index, destination in types.list(found[1].spec.destinations)
	regex.match(platform.many_namespaces, types.text(destination.namespace))
}

deny contains {"msg": sprintf("%v %v administers the whole cluster", [subject.kind, object.get(subject, "name", "")]), "path": array.concat(found[0], ["subjects", index])} if {
	some found in objects.of({"ClusterRoleBinding"})
	found[1].roleRef.name in {"cluster-admin", "admin", "edit"}
	some index, subject in types.list(found[1].subjects)
	not of_the_system(subject)
}

deny contains {"msg": sprintf("role %v allows everything", [name(found[1])]), "path": array.concat(found[0], ["rules", index])} if {
	some found in objects.of({"ClusterRole"})
	some index, rule in types.list(found[1].rules)
	writes_everything({verb | some verb in types.list(rule.verbs)})
	"*" in types.list(rule.resources)
	"*" in types.list(object.get(rule, "apiGroups", []))
}

deny contains {"msg": sprintf("role %v takes the rights of every other role", [name(found[1])]), "path": array.concat(found[0], ["aggregationRule", "clusterRoleSelectors", index])} if {
	some found in objects.of({"ClusterRole"})
	some index, selector in types.list(found[1].aggregationRule.clusterRoleSelectors)
	is_object(selector)
	every field in ["matchLabels", "matchExpressions"] {
		object.get(selector, field, null) in [null, {}, []]
	}
}

deny contains {"msg": sprintf("role %v may take any right (%v)", [name(found[1]), verb]), "path": array.concat(found[0], ["rules", index, "verbs"])} if {
	some found in objects.of({"ClusterRole"})
	some index, rule in types.list(found[1].rules)
	some verb in types.list(rule.verbs)
	verb in {"escalate", "impersonate", "bind"}
	object.get(rule, "resourceNames", null) in [null, []]
}

writes_everything(verbs) if "*" in verbs

writes_everything(verbs) if {
	count({"create", "delete"} - verbs) == 0
	count({"update", "patch"} & verbs) > 0
}

projects := [found |
	some found in objects.of({"AppProject"})
	called := name(found[1])
	not called in platform.projects
]

# What is made with a generated name has none yet.
name(found) := object.get(found, ["metadata", "name"], "without a name")

of_the_system(subject) if {
	subject.kind in {"Group", "User"}
	name := types.text(subject.name)
	startswith(name, "system:")
	not regex.match(`^system:(authenticated|unauthenticated|anonymous|bootstrappers.*|serviceaccounts?(:.*)?)$`, name)
}

# What runs in the platform's own namespaces is the platform.
of_the_system(subject) if {
	subject.kind == "ServiceAccount"
	subject.namespace in {"crossplane-system", "argocd", "kube-system", "external-secrets", "monitoring"}
}

# A service account, or all of a namespace, in the spelling of a user or a group.
of_the_system(subject) if {
	subject.kind in {"Group", "User"}
	regex.match(`^system:serviceaccounts?:(crossplane-system|argocd|kube-system|external-secrets|monitoring)(:|$)`, types.text(subject.name))
}
