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

kinds := {"Service", "Release", "HelmRelease", "Application", "ApplicationSet"}

# Fields and texts that ask for one name it.
first_look := `LoadBalancer`

deny contains {"msg": "the load balancer is on the Internet for every address", "path": array.concat(found[0], ["spec", "type"])} if {
	some found in objects.of({"Service"})
	service := found[1].spec
	service.type == "LoadBalancer"
	annotations := types.map(object.get(found[1], ["metadata", "annotations"], {}))
	not kept_inside(service, annotations)
}

deny contains {"msg": "Helm values ask for a load balancer on the Internet", "path": array.concat(place, array.concat(path, [field]))} if {
	some [place, values] in helm_values
	is_object(values)
	walk(values, [path, service])
	some field, value in types.map(service)
	value == "LoadBalancer"
	regex.match(`(?i)type$`, field)
	annotations := object.union(annotations_in(service, "serviceAnnotations"), annotations_in(service, "annotations"))
	not kept_inside(service, annotations)
}

annotations_in(service, field) := service[field] if {
	is_object(service[field])
} else := {}

# A text names each that it keeps inside.
deny contains {"msg": "Helm values ask for a load balancer on the Internet", "path": place} if {
	some [place, values] in helm_values
	is_string(values)
	text := regex.replace(values, `(?m)(^|\s)#.*$`, "")
	asked := regex.find_n(`:\s*(?:[!&][^\s]*\s+)*["']?LoadBalancer\b`, text, -1)
	inside := regex.find_n(`loadBalancerSourceRanges["']?\s*:\s*(?:\[\s*["']?[0-9a-fA-F]|-\s)|(?:networking\.gke\.io|cloud\.google\.com)/load-balancer-type["']?\s*:\s*["']?[iI]nternal|service\.beta\.kubernetes\.io/(?:(?:aws|azure)-load-balancer-internal["']?\s*:\s*["']?true|aws-load-balancer-scheme["']?\s*:\s*["']?internal\b)`, text, -1)
	count(asked) > count(inside)
}

deny contains {"msg": "Helm values ask for a load balancer on the Internet", "path": array.concat(place, [index, "value"])} if {
	some [place, given] in single_values
	some index, one in types.list(given)
	regex.match(`(?i)type$`, types.text(one.name))
	one.value == "LoadBalancer"
}

# [path, values]: a tree, or a text.
helm_values := array.concat(
	[[array.concat(found[0], place), values] |
		some found in objects.of({"Release", "HelmRelease", "ApplicationSet"})
		some place in [["spec", "forProvider", "values"], ["spec", "initProvider", "values"], ["spec", "values"], ["spec", "templatePatch"]]
		values := object.get(found[1], place, null)
	],
	[[array.concat(source[0], ["helm", field]), values] |
		some source in sources
		some field in ["valuesObject", "values"]
		values := object.get(source[1], ["helm", field], null)
	],
)

# [path, list of names and values]
single_values := array.concat(
	[[array.concat(found[0], place), object.get(found[1], place, null)] |
		some found in objects.of({"Release"})
		some place in [["spec", "forProvider", "set"], ["spec", "initProvider", "set"]]
	],
	[[array.concat(source[0], ["helm", "parameters"]), object.get(source[1], ["helm", "parameters"], null)] | some source in sources],
)

# [path, source] of Applications and of the templates of ApplicationSets
sources := array.concat(
	[[array.concat(spec[0], ["source"]), spec[1].source] | some spec in applications; is_object(spec[1].source)],
	[[array.concat(spec[0], ["sources", index]), source] |
		some spec in applications
		some index, source in types.list(spec[1].sources)
		is_object(source)
	],
)

applications := [[array.concat(found[0], place), spec] |
	some found in objects.of({"Application", "ApplicationSet"})
	some place in {"Application": [["spec"]], "ApplicationSet": [["spec", "template", "spec"]]}[found[1].kind]
	spec := types.map(object.get(found[1], place, null))
]

kept_inside(service, _) if count(types.list(service.loadBalancerSourceRanges)) > 0

kept_inside(service, _) if service.loadBalancerClass == "tailscale"

# All that is said to one cloud must say so.
kept_inside(_, annotations) if {
	some cloud in ["gke", "aws", "azure"]
	{true} == {said |
		some annotation, meant in inside_of[cloud]
		said := lower(sprintf("%v", [annotations[annotation]])) == meant
	}
}

inside_of := {
	"gke": {"networking.gke.io/load-balancer-type": "internal", "cloud.google.com/load-balancer-type": "internal"},
	"aws": {
		"service.beta.kubernetes.io/aws-load-balancer-internal": "true",
		"service.beta.kubernetes.io/aws-load-balancer-scheme": "internal",
	},
	"azure": {"service.beta.kubernetes.io/azure-load-balancer-internal": "true"},
}
