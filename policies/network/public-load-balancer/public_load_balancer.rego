# METADATA
# title: Load balancers are inside, or let in named networks
# description: >-
#   A Service of type LoadBalancer, also one in Helm values, is internal or names the networks that may reach it.
# related_resources:
# - https://kubernetes.io/docs/concepts/services-networking/service/#internal-load-balancer
# custom:
#   severity: error
#   reason: PUBLIC_LOAD_BALANCER
#   remediation: Use ClusterIP behind the gateway, the cloud's annotation for an internal load balancer, or loadBalancerSourceRanges.
package crossgate.network.public_load_balancer

import rego.v1

import data.crossgate.lib.objects
import data.crossgate.lib.types

kinds := {"Service", "Release", "HelmRelease", "Application"}

# Fields and texts that ask for one name it.
first_look := `LoadBalancer`

deny contains {"msg": "the load balancer is on the Internet for every address", "path": array.concat(found[0], ["spec", "type"])} if {
	some found in objects.of({"Service"})
	service := found[1].spec
	service.type == "LoadBalancer"
	annotations := types.map(object.get(found[1], ["metadata", "annotations"], {}))
	not kept_inside(service, annotations)
}

deny contains {"msg": "Helm values ask for a load balancer on the Internet", "path": array.concat(array.concat(found[0], place), array.concat(path, ["type"]))} if {
	some found in objects.of(kinds)
	some place in [["spec", "forProvider", "values"], ["spec", "values"], ["spec", "source", "helm", "valuesObject"]]
	values := object.get(found[1], place, null)
	is_object(values)
	walk(values, [path, service])
	service.type == "LoadBalancer"
	annotations := types.map(object.get(service, "annotations", {}))
	not kept_inside(service, annotations)
}

deny contains {"msg": "Helm values ask for a load balancer on the Internet", "path": array.concat(found[0], place)} if {
	some found in objects.of(kinds)
	some place in [["spec", "source", "helm", "values"], ["spec", "forProvider", "values"], ["spec", "values"]]
	text := object.get(found[1], place, null)
	is_string(text)
	regex.match(`(?m)type["']?\s*:\s*["']?LoadBalancer`, text)
	not regex.match(`(?i)loadBalancerSourceRanges|load-balancer-type["']?\s*:\s*["']?internal|load-balancer-internal|scheme["']?\s*:\s*["']?internal`, text)
}

deny contains {"msg": "Helm values ask for a load balancer on the Internet", "path": array.concat(found[0], array.concat(place, [index, "value"]))} if {
	some found in objects.of(kinds)
	some place in [["spec", "forProvider", "set"], ["spec", "source", "helm", "parameters"]]
	some index, given in types.list(object.get(found[1], place, []))
	regex.match(`(?i)service\.type$`, types.text(given.name))
	given.value == "LoadBalancer"
}

kept_inside(service, _) if count(types.list(service.loadBalancerSourceRanges)) > 0

kept_inside(service, _) if service.loadBalancerClass == "tailscale"

kept_inside(_, annotations) if {
	some key, value in annotations
	regex.match(`^(networking\.gke\.io|cloud\.google\.com)/load-balancer-type$|/aws-load-balancer-(internal|scheme)$|/azure-load-balancer-internal$`, key)
	lower(sprintf("%v", [value])) in {"internal", "true"}
}
