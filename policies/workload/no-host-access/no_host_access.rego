# METADATA
# title: Pods keep off their node
# description: >-
#   No Pod shares the node's network, processes or files, also not through a PersistentVolume or the Pod that a
#   DeploymentRuntimeConfig gives a provider, and no container is privileged, unconfined or has capabilities of the
#   kernel beyond binding low ports.
# related_resources:
# - https://kubernetes.io/docs/concepts/security/pod-security-standards/
# custom:
#   severity: error
#   reason: HOST_ACCESS
#   remediation: Remove the field; what an agent needs of the node belongs to the platform's own namespace with a waiver.
package crossgate.workload.no_host_access

import rego.v1

import data.crossgate.lib.objects
import data.crossgate.lib.pods
import data.crossgate.lib.types

kinds := pods.kinds | {"PersistentVolume", "DeploymentRuntimeConfig"}

# The JSON text of what it speaks about holds one of these.
first_look := `"(?:hostNetwork|hostPID|hostIPC|privileged)":true|"hostPath":|"add":\[|"hostPort":|"procMount":"Unmasked"|"hostProcess":true|"local":\{|"type":"Unconfined"`

deny contains {"msg": sprintf("%v shares the node", [field]), "path": array.concat(pod[0], [field])} if {
	some pod in specs
	some field in ["hostNetwork", "hostPID", "hostIPC"]
	pod[1][field] == true
}

deny contains {"msg": sprintf("volume %v is a folder of the node", [object.get(volume, "name", "without a name")]), "path": path} if {
	some pod in specs
	some index, volume in types.list(pod[1].volumes)
	is_object(volume.hostPath)
	path := array.concat(pod[0], ["volumes", index, "hostPath"])
}

deny contains {"msg": sprintf("container %v is privileged", [name(found[1])]), "path": array.concat(found[0], ["securityContext", "privileged"])} if {
	some found in containers
	found[1].securityContext.privileged == true
}

deny contains {"msg": sprintf("container %v has the capability %v", [name(found[1]), capability]), "path": path} if {
	some found in containers
	some index, capability in types.list(found[1].securityContext.capabilities.add)
	plain := trim_prefix(upper(types.text(capability)), "CAP_")
	plain != "NET_BIND_SERVICE"
	path := array.concat(found[0], ["securityContext", "capabilities", "add", index])
}

deny contains {"msg": sprintf("container %v takes port %v of the node", [name(found[1]), port.hostPort]), "path": path} if {
	some found in containers
	some index, port in types.list(found[1].ports)
	types.number(port.hostPort) > 0
	path := array.concat(found[0], ["ports", index, "hostPort"])
}

deny contains {"msg": sprintf("container %v sees /proc unmasked", [name(found[1])]), "path": array.concat(found[0], ["securityContext", "procMount"])} if {
	some found in containers
	found[1].securityContext.procMount == "Unmasked"
}

deny contains {"msg": sprintf("the volume is a folder of the node (%v)", [field]), "path": array.concat(found[0], ["spec", field])} if {
	some found in objects.of({"PersistentVolume"})
	some field in ["hostPath", "local"]
	is_object(found[1].spec[field])
}

deny contains {"msg": "hostProcess shares the node", "path": array.concat(place, ["securityContext", "windowsOptions", "hostProcess"])} if {
	some [place, holder] in array.concat(specs, containers)
	holder.securityContext.windowsOptions.hostProcess == true
}

deny contains {"msg": sprintf("%v is Unconfined", [profile]), "path": array.concat(place, ["securityContext", profile, "type"])} if {
	some [place, holder] in array.concat(specs, containers)
	some profile in ["seccompProfile", "appArmorProfile"]
	holder.securityContext[profile].type == "Unconfined"
}

# Pods, and what a provider's Pod is made of.
specs := [[pod[0], pod[1]] | some list in [pods.specs, pods.runtimes]; some pod in list]

containers := [[found[0], found[1]] | some list in [pods.containers, pods.runtime_containers]; some found in list]

name(container) := object.get(container, "name", "without a name")
