# METADATA
# title: Replicas do not share one place
# description: >-
#   A workload with two or more replicas says how they are spread over zones or nodes.
# related_resources:
# - https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/
# custom:
#   severity: warning
#   reason: REPLICAS_NOT_SPREAD
#   remediation: Add topologySpreadConstraints over topology.kubernetes.io/zone, or a podAntiAffinity.
package crossgate.workload.spread

import rego.v1

import data.crossgate.lib.objects
import data.crossgate.lib.types

kinds := {"Deployment", "StatefulSet", "ReplicaSet", "ReplicationController", "Rollout"}

# More replicas than one, as numbers are written in JSON.
first_look := `"replicas":(?:[2-9]|[01][0-9.eE])`

warn contains {"msg": sprintf("%v replicas are not spread over zones or nodes", [replicas]), "path": array.concat(found[0], ["spec", "replicas"])} if {
	some found in objects.of(kinds)
	replicas := types.number(found[1].spec.replicas)
	replicas > 1
	workload := found[1]
	not spread(workload)
}

spread(workload) if count(types.list(workload.spec.template.spec.topologySpreadConstraints)) > 0

# The API server drops an empty list.
spread(workload) if {
	some _, terms in types.map(workload.spec.template.spec.affinity.podAntiAffinity)
	count(types.list(terms)) > 0
}
