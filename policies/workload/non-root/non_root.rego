# METADATA
# title: Containers do not run as root
# description: >-
#   Every container runs as another user than root and cannot become root.
# related_resources:
# - https://kubernetes.io/docs/concepts/security/pod-security-standards/
# custom:
#   severity: error
#   reason: RUNS_AS_ROOT
#   remediation: Set securityContext.runAsNonRoot true and allowPrivilegeEscalation false, and let the image name a user.
package crossgate.workload.non_root

import rego.v1

import data.crossgate.lib.pods

kinds := pods.kinds

deny contains {"msg": sprintf("container %v %v", [object.get(found[1], "name", "without a name"), fault]), "path": found[0]} if {
	some found in pods.containers
	some fault in faults(context(found[3]), context(found[1]))
}

faults(pod, container) := {"may run as root (runAsNonRoot is not true)" | not says_non_root(pod, container)} | ({"runs as root (runAsUser is 0)" | effective(pod, container, "runAsUser") == 0} | {"may become root (allowPrivilegeEscalation is not false)" | not keeps_its_user(container)})

says_non_root(pod, container) if effective(pod, container, "runAsNonRoot") == true

keeps_its_user(container) if container.allowPrivilegeEscalation == false

context(found) := found.securityContext if {
	is_object(found.securityContext)
} else := {}

# What the container says counts, else what the Pod says.
effective(pod, container, field) := container[field] if {
	container[field] != null
} else := pod[field]
