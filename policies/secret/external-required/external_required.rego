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

# [place, object, path of the Pod in it, Pod]
pods := [[found[0], found[1], where, pod] |
	some found in estate.of(kinds)
	where := workloads.places[found[1].kind]
	pod := types.map(object.get(found[1], where, null))
]

makers := {"ExternalSecret", "SealedSecret", "Certificate", "Secret", "ClusterExternalSecret"}

made := ({[namespace, name] |
	some kind in (makers - {"ClusterExternalSecret"})
	some found in estate.by_kind[kind]
	namespace := found.metadata.namespace
	some place in [["metadata", "name"], ["spec", "target", "name"], ["spec", "secretName"]]
	name := object.get(found, place, null)
} | {[namespace, name] |
	is_array(input)
	some document in input
	some field in fields_of_any_kind
	reference := types.map(object.get(types.map(document.contents), field, null))
	name := reference.name
	namespace := object.get(reference, "namespace", object.get(document.contents, ["metadata", "namespace"], "*"))
}) | {["*", name] |
	some found in estate.by_kind.ClusterExternalSecret
	name := object.get(found, ["spec", "externalSecretName"], found.metadata.name)
}
