# METADATA
# title: An Autopilot cluster is given no machines
# description: >-
#   A GKE cluster in Autopilot mode chooses its nodes itself, by what Pods ask for. Machine types and node pools beside it are
#   refused by Google, when the cluster should have been there.
# related_resources:
# - https://cloud.google.com/kubernetes-engine/docs/concepts/autopilot-overview
# custom:
#   severity: error
#   reason: AUTOPILOT_WITH_MACHINES
#   input: related
#   remediation: Remove enableAutopilot where node pools say which machines there are, or remove the node pools and let Pods ask for GPUs.
package crossgate.gpu.autopilot_machines

import rego.v1

import data.crossgate.lib.estate
import data.crossgate.lib.objects
import data.crossgate.lib.types

kinds := {"Cluster", "NodePool"}

# Without a cluster that says so there is nothing to say.
first_look := `"enableAutopilot":true`

deny contains {"msg": sprintf("Autopilot chooses the nodes of cluster %v itself, and %v is given", [name(cluster[1]), field]), "path": estate.path(cluster[0], ["spec", "forProvider", field])} if {
	some cluster in autopilots
	settings := cluster[1].spec.forProvider
	some field in ["nodeConfig", "nodePool", "removeDefaultNodePool"]
	value := object.get(settings, field, null)
	not value in [null, false, [], {}]
}

deny contains {"msg": sprintf("node pool %v belongs to a cluster in Autopilot mode", [name(pool[1])]), "path": estate.path(pool[0], array.concat(["spec", "forProvider"], machine(pool[1])))} if {
	some pool in estate.of(kinds)
	pool[1].kind == "NodePool"
	of_google(pool[1])
	of_autopilot(pool[1])
}

of_autopilot(pool) if {
	some target in estate.targets(pool, "cluster")
	count(target) == 1
	some known in target
	known in all_names
}

of_autopilot(pool) if {
	some target in estate.targets(pool, "cluster")
	count(target) > 1
	some cluster in autopilots
	lacking := target - estate.names(cluster[1])
	count(lacking) == 0
}

# Managed resources of Google's containers, of all providers that there have been.
of_google(found) if regex.match(`^container\.gcp\.`, types.text(found.apiVersion))

autopilots := [cluster |
	some cluster in estate.of(kinds)
	cluster[1].kind == "Cluster"
	cluster[1].spec.forProvider.enableAutopilot == true
	of_google(cluster[1])
]

all_names := union({estate.names(cluster[1]) | some cluster in autopilots})

# Where a pool says which machines it has.
machine(pool) := ["nodeConfig", "machineType"] if {
	types.text(objects.at(pool.spec.forProvider, ["nodeConfig", "machineType"]))
} else := []

name(found) := object.get(found, ["metadata", "name"], "without a name")
