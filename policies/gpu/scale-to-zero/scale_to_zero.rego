# METADATA
# title: GPUs of development go when nobody uses them
# description: >-
#   A cluster for development keeps no GPU node running without work.
# related_resources:
# - https://kubernetes.io/docs/concepts/cluster-administration/node-autoscaling/
# custom:
#   severity: error
#   reason: GPU_NEVER_ZERO
#   input: related
#   remediation: Set minNodes to 0 (it is the default), or say that this is no development environment.
package crossgate.gpu.scale_to_zero

import rego.v1

import data.crossgate.lib.estate
import data.crossgate.lib.objects
import data.crossgate.lib.types
import data.crossgate.lists.gpu

kinds := claims | {"NodePool", "NodeGroup", "KubernetesClusterNodePool"}

# A development environment.
first_look := estate.development_in_text

claims := {"GPUClusterClaim", "MLPlatformClaim", "GPUCluster", "MLPlatform"}

deny contains {"msg": sprintf("%v GPU nodes of a development environment never go", [nodes]), "path": estate.path(claim[0], ["spec", "parameters", "minNodes"])} if {
	some claim in estate.of(claims)
	nodes := types.number(claim[1].spec.parameters.minNodes)
	nodes > 0
	estate.development(claim[1])
}

deny contains {"msg": sprintf("%v GPU nodes of a development environment never go", [nodes]), "path": estate.path(pool[0], array.concat(["spec", "forProvider"], field))} if {
	some pool in estate.of(kinds - claims)
	settings := pool[1].spec.forProvider
	some field in sizes(settings)
	nodes := types.number(objects.at(settings, field))
	nodes > 0
	has_gpus(settings)
	estate.development(pool[1])
}

# By an accelerator, or by the machines that come with one.
has_gpus(settings) if count(types.list(objects.at(settings, ["nodeConfig", "guestAccelerator"]))) > 0

has_gpus(settings) if {
	some name in machines(settings)
	regex.match(gpu.machine_form, lower(types.text(name)))
}

machines(settings) := ({name | name := objects.at(settings, ["nodeConfig", "machineType"])} | {name | name := settings.vmSize}) | {name |
	some name in types.list(settings.instanceTypes)
}

# Where a pool says how many nodes it has at least: of a size that nothing scales, all of it.
sizes(settings) := {["autoscaling", "minNodeCount"], ["autoscaling", "totalMinNodeCount"], ["scalingConfig", "minSize"], ["minCount"]} | {[field] |
	some field in ["nodeCount", "initialNodeCount"]
	not scales(settings)
}

scales(settings) if is_object(objects.one(settings.autoscaling))

scales(settings) if {
	some field in ["autoScalingEnabled", "enableAutoScaling"]
	settings[field] == true
}
