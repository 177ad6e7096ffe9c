# METADATA
# title: Control planes, databases and caches are not on the Internet
# description: >-
#   The API server of a cluster is private or lets in named networks only; databases and caches have no public address.
# related_resources:
# - https://cloud.google.com/kubernetes-engine/docs/concepts/network-isolation
# custom:
#   severity: error
#   reason: PUBLIC_ENDPOINT
#   remediation: Turn the public endpoint off, or name the networks that may reach a control plane.
package crossgate.network.public_endpoint

import rego.v1

import data.crossgate.lib.objects
import data.crossgate.lib.types

kinds := {
	"Cluster", "KubernetesCluster", "DatabaseInstance", "Instance", "ClusterInstance", "ReplicationInstance", "Broker",
	"FlexibleServer", "RedisCache", "MSSQLServer", "Server", "Account",
}

deny contains {"msg": fault[0], "path": array.concat(found[0], array.concat(["spec", "forProvider"], fault[1]))} if {
	some found in objects.of(kinds)
	settings := found[1].spec.forProvider
	some fault in faults(found[1], settings)
}

# What is given only when it is made stays so.
deny contains {"msg": fault[0], "path": array.concat(found[0], array.concat(["spec", "initProvider"], fault[1]))} if {
	some found in objects.of(kinds)
	given := found[1].spec.initProvider
	kept := types.map(object.get(found[1], ["spec", "forProvider"], {}))
	some fault in open_by_word(found[1], given)
	object.get(kept, fault[1], null) == null
}

faults(managed, settings) := gke(settings) if {
	managed.kind == "Cluster"
	startswith(types.text(managed.apiVersion), "container.gcp.")
} else := eks(settings) if {
	managed.kind == "Cluster"
	startswith(types.text(managed.apiVersion), "eks.aws.")
} else := aks(settings) if {
	managed.kind == "KubernetesCluster"
} else := cloud_sql(settings) if {
	managed.kind == "DatabaseInstance"
} else := open_by_word(managed, settings) if {
	regex.match(`^[a-z0-9]+\.aws\.|^alloydb\.gcp\.`, types.text(managed.apiVersion))
} else := azure(managed, settings) if {
	of_azure(managed)
} else := set()

of_azure(managed) if managed.kind in {"FlexibleServer", "RedisCache", "MSSQLServer"}

of_azure(managed) if {
	managed.kind == "Server"
	regex.match(`^dbfor[a-z]+\.azure\.`, types.text(managed.apiVersion))
}

of_azure(managed) if {
	managed.kind == "Account"
	regex.match(`^cosmosdb\.azure\.`, types.text(managed.apiVersion))
}

gke(settings) := {["the control plane is on the Internet for every address", ["masterAuthorizedNetworksConfig"]] |
	not closed(settings)
} | {["nodes have public addresses", ["privateClusterConfig"]] |
	not nodes_are_private(settings)
}

closed(settings) if objects.at(settings, ["privateClusterConfig", "enablePrivateEndpoint"]) == true

closed(settings) if count(types.list(objects.at(settings, ["masterAuthorizedNetworksConfig", "cidrBlocks"]))) > 0

closed(settings) if objects.at(settings, ["controlPlaneEndpointsConfig", "ipEndpointsConfig", "enabled"]) == false

nodes_are_private(settings) if objects.at(settings, ["privateClusterConfig", "enablePrivateNodes"]) == true

# The node pools say it themselves where the cluster keeps none.
nodes_are_private(settings) if settings.removeDefaultNodePool == true

eks(settings) := {["the control plane is on the Internet for every address", ["vpcConfig"]] | not names_networks(settings)}

names_networks(settings) if objects.at(settings, ["vpcConfig", "endpointPublicAccess"]) == false

names_networks(settings) if count(types.list(objects.one(settings.vpcConfig).publicAccessCidrs)) > 0

aks(settings) := {["the control plane is on the Internet for every address", ["apiServerAccessProfile"]] | not lets_in_few(settings)}

lets_in_few(settings) if settings.privateClusterEnabled == true

lets_in_few(settings) if count(types.list(objects.one(settings.apiServerAccessProfile).authorizedIpRanges)) > 0

cloud_sql(settings) := {["the database has a public address (ipv4Enabled is not false)", ["settings", "ipConfiguration", "ipv4Enabled"]] |
	not private_only(settings)
}

private_only(settings) if objects.at(settings, ["settings", "ipConfiguration", "ipv4Enabled"]) == false

# What is private unless it says otherwise.
open_by_word(managed, settings) := {[sprintf("the %v has a public address", [managed.kind]), ["publiclyAccessible"]] |
	regex.match(`^[a-z0-9]+\.aws\.`, types.text(managed.apiVersion))
	settings.publiclyAccessible == true
} | {[sprintf("the %v has a public address", [managed.kind]), ["networkConfig", "enablePublicIp"]] |
	regex.match(`^alloydb\.gcp\.`, types.text(managed.apiVersion))
	objects.at(settings, ["networkConfig", "enablePublicIp"]) == true
}

# The default of Azure is public; a server in a subnet of its own is private.
azure(managed, settings) := {[sprintf("the %v is on the Internet", [managed.kind]), ["publicNetworkAccessEnabled"]] |
	not kept_off(settings)
}

kept_off(settings) if settings.publicNetworkAccessEnabled == false

kept_off(settings) if {
	some field in [
		"delegatedSubnetId", "delegatedSubnetIdRef", "delegatedSubnetIdSelector",
		"subnetId", "subnetIdRef", "subnetIdSelector",
	]
	settings[field]
}
