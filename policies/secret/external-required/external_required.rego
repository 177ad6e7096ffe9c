# METADATA
# title: A Secret that is used is made by something
# description: >-
#   Every Secret that a Pod or a Helm release asks for is made by something among what is checked: an ExternalSecret, a
#   connection Secret, a certificate, a sealed Secret.
# related_resources:
# - https://external-secrets.io/latest/introduction/overview/
# custom:
#   severity: warning
#   reason: SECRET_WITHOUT_SOURCE
#   input: estate
#   remediation: Add an ExternalSecret that makes the Secret in this namespace.
package crossgate.secret.external_required

import rego.v1

import data.crossgate.lib.estate
import data.crossgate.lib.pods as workloads
import data.crossgate.lib.types

kinds := workloads.kinds | makers

# Objects of any kind that make a connection Secret.
fields_of_any_kind := {["spec", "writeConnectionSecretToRef"]}

containers := {"containers", "initContainers", "ephemeralContainers"}

looks_at := ({["spec", field] | some field in (containers | {"volumes", "template", "jobTemplate", "target", "secretName", "externalSecretName"})} | {["template"]}) | fields_of_any_kind

# What asks for a Secret, and what makes one. Most Pods do neither.
first_look := sprintf(`"secret|"kind":"(?:%v)"|"writeConnectionSecretToRef"`, [concat("|", makers)])

warn contains {"msg": sprintf("nothing makes Secret %v in namespace %v", [use[1], use[0]]), "path": use[2]} if {
	some use in uses
	here := [use[0], use[1]]
	everywhere := ["*", use[1]]
	not here in made
	not everywhere in made
}

# [namespace, name, path]: what Pods ask for, in their environment and their volumes.
uses := [[namespace, name, estate.path(pod[0], array.concat(pod[2], reference[0]))] |
	some pod in pods
	namespace := types.text(pod[1].metadata.namespace)
	some reference in array.concat(of_containers(pod[3]), of_volumes(pod[3]))
	not optional(reference[1])
	name := types.text(object.get(types.map(reference[1]), "name", object.get(types.map(reference[1]), "secretName", null)))
]

# [path in the Pod, reference]. These are the only places for one in a container: no walk, which costs most in a large estate.
of_containers(pod) := array.concat(
	[[[field, index, "env", number, "valueFrom", "secretKeyRef"], variable.valueFrom.secretKeyRef] |
		some field in containers
		some index, container in types.list(pod[field])
		some number, variable in types.list(container.env)
		variable.valueFrom.secretKeyRef
	],
	[[[field, index, "envFrom", number, "secretRef"], source.secretRef] |
		some field in containers
		some index, container in types.list(pod[field])
		some number, source in types.list(container.envFrom)
		source.secretRef
	],
)

of_volumes(pod) := [[array.concat(["volumes"], path), reference] |
	walk(pod.volumes, [path, reference])
	path[count(path) - 1] in {"secretRef", "secret"}
]

optional(reference) if reference.optional == true

# Everything, as it is: to sort tens of thousands of objects by kind takes longer than to go through them four times.
all := input if is_array(input)

# [place, object, path of the Pod in it, Pod]
pods := [[place, found, where, pod] |
	some place, document in all
	found := document.contents
	found.kind in pod_kinds
	where := places[found.kind]
	pod := types.map(object.get(found, where, null))
]

pod_kinds := workloads.kinds

places := workloads.places

makers := {"ExternalSecret", "SealedSecret", "Certificate", "Secret", "ClusterExternalSecret"}

# [namespace, name]; "*" is every namespace.
made := (by_name | by_connection) | by_cluster

by_name := union({
	{[found.metadata.namespace, found.metadata.name] | some found in namespaced},
	{[found.metadata.namespace, found.spec.target.name] | some found in namespaced},
	{[found.metadata.namespace, found.spec.secretName] | some found in namespaced},
})

namespaced := [document.contents | some document in all; document.contents.kind in in_namespaces]

in_namespaces := makers - {"ClusterExternalSecret"}

by_connection := {[namespace, name] |
	some document in all
	reference := document.contents.spec.writeConnectionSecretToRef
	name := reference.name
	namespace := object.get(reference, "namespace", object.get(document.contents, ["metadata", "namespace"], "*"))
}

by_cluster := {["*", name] |
	some document in all
	found := document.contents
	found.kind == "ClusterExternalSecret"
	name := object.get(found, ["spec", "externalSecretName"], found.metadata.name)
}
