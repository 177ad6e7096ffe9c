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

kinds := claims | {"NodePool"}

# Nodes that never go, as numbers are written in JSON.
first_look := `"(?:minNodes|minNodeCount)":(?:[1-9]|0[.eE])`

claims := {"GPUClusterClaim", "MLPlatformClaim", "GPUCluster", "MLPlatform"}

deny contains {"msg": sprintf("%v GPU nodes of a development environment never go", [nodes]), "path": estate.path(claim[0], ["spec", "parameters", "minNodes"])} if {
	some claim in estate.of(claims)
	nodes := types.number(claim[1].spec.parameters.minNodes)
	nodes > 0
	estate.development(claim[1])
}

deny contains {"msg": sprintf("%v GPU nodes of a development environment never go", [nodes]), "path": estate.path(pool[0], ["spec", "forProvider", "autoscaling", "minNodeCount"])} if {
	some pool in estate.of(kinds - claims)
	count(types.list(objects.at(pool[1].spec.forProvider, ["nodeConfig", "guestAccelerator"]))) > 0
	nodes := types.number(objects.at(pool[1].spec.forProvider, ["autoscaling", "minNodeCount"]))
	nodes > 0
	estate.development(pool[1])
}
