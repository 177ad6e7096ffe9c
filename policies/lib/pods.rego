# The Pods of a document, however they come about: Pods, the templates of workloads and Jobs, also in Lists and
# wrapped manifests. A rule about Pods names `kinds` so that it is asked only where there are some.
package crossgate.lib.pods

import rego.v1

import data.crossgate.lib.objects

kinds := {kind | some kind, _ in places}

# [path of the Pod's spec, the spec, the object that makes it]
specs := [[array.concat(found[0], inside), spec, found[1]] |
	some found in objects.all
	inside := places[found[1].kind]
	spec := object.get(found[1], inside, null)
	is_object(spec)
]

places := {
	"Pod": ["spec"],
	"PodTemplate": ["template", "spec"],
	"Deployment": ["spec", "template", "spec"],
	"StatefulSet": ["spec", "template", "spec"],
	"DaemonSet": ["spec", "template", "spec"],
	"ReplicaSet": ["spec", "template", "spec"],
	"ReplicationController": ["spec", "template", "spec"],
	"Job": ["spec", "template", "spec"],
	"CronJob": ["spec", "jobTemplate", "spec", "template", "spec"],
	"Rollout": ["spec", "template", "spec"],
}

# The same of what Crossplane makes a provider's Pod of: it adds the package's container to it.
runtimes := [[array.concat(found[0], runtime), spec, found[1]] |
	some found in objects.all
	found[1].kind == "DeploymentRuntimeConfig"
	spec := object.get(found[1], runtime, null)
	is_object(spec)
]

runtime := ["spec", "deploymentTemplate", "spec", "template", "spec"]

# [path, container, its list, the Pod's spec, the object that makes it]: containers of every kind.
containers := containers_of(specs)

runtime_containers := containers_of(runtimes)

containers_of(pods) := [[array.concat(pod[0], [list, index]), container, list, pod[1], pod[2]] |
	some pod in pods
	some list in ["containers", "initContainers", "ephemeralContainers"]
	is_array(pod[1][list])
	some index, container in pod[1][list]
	is_object(container)
]
