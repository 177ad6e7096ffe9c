# METADATA
# title: Servers say whether they are ready and alive
# description: >-
#   Every container of a workload that serves (Deployment, StatefulSet, DaemonSet, Rollout) has a readiness and a
#   liveness probe.
# related_resources:
# - https://kubernetes.io/docs/concepts/configuration/liveness-readiness-startup-probes/
# custom:
#   severity: error
#   reason: PROBE_MISSING
#   remediation: Add readinessProbe and livenessProbe with an endpoint that answers for the whole server.
package crossgate.workload.probes

import rego.v1

import data.crossgate.lib.pods

kinds := {"Deployment", "StatefulSet", "DaemonSet", "Rollout"}

deny contains {"msg": sprintf("container %v has no %v", [object.get(found[1], "name", "without a name"), probe]), "path": found[0]} if {
	some found in pods.containers
	found[2] == "containers"
	found[4].kind in kinds
	some probe in ["readinessProbe", "livenessProbe"]
	not probes(found[1], probe)
}

probes(container, probe) if {
	is_object(container[probe])
	count(object.keys(container[probe]) & {"httpGet", "tcpSocket", "exec", "grpc"}) > 0
}
