package crossgate.network.public_endpoint_test

import rego.v1

import data.crossgate.network.public_endpoint

paths(document) := {array.slice(finding.path, 2, 9) | some finding in public_endpoint.deny with input as document}

managed(version, kind, settings) := {"apiVersion": version, "kind": kind, "spec": {"forProvider": settings}}

gke(settings) := managed("container.gcp.upbound.io/v1beta2", "Cluster", object.union({"removeDefaultNodePool": true}, settings))

test_refuses_gke if {
	every settings in [
		{}, {"privateClusterConfig": {"enablePrivateEndpoint": false}}, {"masterAuthorizedNetworksConfig": {"cidrBlocks": []}},
		{"privateClusterConfig": [{"enablePrivateEndpoint": false}], "masterAuthorizedNetworksConfig": [{}]},
	] {
		paths(gke(settings)) == {["masterAuthorizedNetworksConfig"]}
	}
	paths(gke({"removeDefaultNodePool": false, "privateClusterConfig": {"enablePrivateEndpoint": true}})) == {["privateClusterConfig"]}
	count(paths(managed("container.gcp.m.upbound.io/v1beta1", "Cluster", {"removeDefaultNodePool": true}))) == 1
}

test_lets_gke_pass if {
	every settings in [
		{"privateClusterConfig": {"enablePrivateEndpoint": true}}, {"privateClusterConfig": [{"enablePrivateEndpoint": true}]},
		{"masterAuthorizedNetworksConfig": {"cidrBlocks": [{"cidrBlock": "10.0.0.0/8"}]}},
		{"controlPlaneEndpointsConfig": {"ipEndpointsConfig": {"enabled": false}}},
	] {
		paths(gke(settings)) == set()
	}
}

eks(config) := managed("eks.aws.upbound.io/v1beta2", "Cluster", {"vpcConfig": config})

test_refuses_eks if {
	every config in [{}, [{}], {"endpointPublicAccess": true}, {"endpointPublicAccess": true, "publicAccessCidrs": []}] {
		paths(eks(config)) == {["vpcConfig"]}
	}
	count(paths(managed("eks.aws.upbound.io/v1beta1", "Cluster", {}))) == 1
}

test_lets_eks_pass if {
	every config in [{"endpointPublicAccess": false}, [{"endpointPublicAccess": false}], {"publicAccessCidrs": ["10.0.0.0/8"]}] {
		paths(eks(config)) == set()
	}
}

test_refuses_aks if {
	paths(managed("containerservice.azure.upbound.io/v1beta2", "KubernetesCluster", {})) == {["apiServerAccessProfile"]}
	paths(managed("containerservice.azure.upbound.io/v1beta2", "KubernetesCluster", {"apiServerAccessProfile": [{"authorizedIpRanges": []}]})) == {["apiServerAccessProfile"]}
}

test_lets_aks_pass if {
	paths(managed("containerservice.azure.upbound.io/v1beta2", "KubernetesCluster", {"privateClusterEnabled": true})) == set()
	paths(managed("containerservice.azure.upbound.io/v1beta2", "KubernetesCluster", {"apiServerAccessProfile": {"authorizedIpRanges": ["10.0.0.0/8"]}})) == set()
}

sql(config) := managed("sql.gcp.upbound.io/v1beta2", "DatabaseInstance", {"settings": config})

test_refuses_databases_and_caches if {
	every config in [{}, [{}], {"ipConfiguration": {}}, [{"ipConfiguration": [{"ipv4Enabled": true}]}]] {
		paths(sql(config)) == {["settings", "ipConfiguration", "ipv4Enabled"]}
	}
	paths(managed("rds.aws.upbound.io/v1beta1", "Instance", {"publiclyAccessible": true})) == {["publiclyAccessible"]}
	paths(managed("dbforpostgresql.azure.upbound.io/v1beta1", "FlexibleServer", {})) == {["publicNetworkAccessEnabled"]}
	paths(managed("cache.azure.upbound.io/v1beta1", "RedisCache", {"publicNetworkAccessEnabled": true})) == {["publicNetworkAccessEnabled"]}
}

test_lets_databases_and_caches_pass if {
	paths(sql({"ipConfiguration": {"ipv4Enabled": false}})) == set()
	paths(sql([{"ipConfiguration": [{"ipv4Enabled": false}]}])) == set()
	paths(managed("rds.aws.upbound.io/v1beta1", "Instance", {})) == set()
	paths(managed("dbforpostgresql.azure.upbound.io/v1beta1", "FlexibleServer", {"delegatedSubnetIdSelector": {}})) == set()
	paths(managed("cache.azure.upbound.io/v1beta1", "RedisCache", {"publicNetworkAccessEnabled": false})) == set()
}

test_bypass_by_kinds_beside_the_usual_ones if {
	paths(managed("rds.aws.upbound.io/v1beta1", "ClusterInstance", {"publiclyAccessible": true})) == {["publiclyAccessible"]}
	paths(managed("dms.aws.upbound.io/v1beta1", "ReplicationInstance", {"publiclyAccessible": true})) == {["publiclyAccessible"]}
	paths(managed("mq.aws.m.upbound.io/v1beta1", "Broker", {"publiclyAccessible": true})) == {["publiclyAccessible"]}
	paths(managed("alloydb.gcp.upbound.io/v1beta2", "Instance", {"networkConfig": {"enablePublicIp": true}})) == {["networkConfig", "enablePublicIp"]}
	every database in [["sql", "MSSQLServer"], ["dbforpostgresql", "Server"], ["dbformysql", "Server"], ["cosmosdb", "Account"]] {
		paths(managed(sprintf("%v.azure.upbound.io/v1beta1", [database[0]]), database[1], {})) == {["publicNetworkAccessEnabled"]}
	}
	count(paths(managed("container.gcp.crossplane.io/v1beta2", "Cluster", {"removeDefaultNodePool": true}))) == 1
}

# Crossplane gives it to the cloud when it makes the resource, and never looks at it again.
given_at_first(settings, later) := {"apiVersion": "rds.aws.upbound.io/v1beta1", "kind": "Instance", "spec": {"initProvider": settings, "forProvider": later}}

test_bypass_by_what_is_given_at_first if {
	every later in [{}, {"publiclyAccessible": null}] {
		paths(given_at_first({"publiclyAccessible": true}, later)) == {["publiclyAccessible"]}
	}
	paths(given_at_first({"publiclyAccessible": true}, {"publiclyAccessible": false})) == set()
	paths(given_at_first({}, {})) == set()
}

test_lets_clusters_of_other_services_pass if {
	paths(managed("dataproc.gcp.upbound.io/v1beta2", "Cluster", {})) == set()
	paths(managed("storage.azure.upbound.io/v1beta2", "Account", {})) == set()
}

test_lets_other_clusters_pass if paths(managed("elasticache.aws.upbound.io/v1beta1", "Cluster", {})) == set()

test_silent_about_the_estate if paths([{"path": "a.yaml", "contents": gke({})}]) == set()

test_bypass_by_another_type if {
	every value in ["true", 1, [], null] {
		count(paths(gke({"privateClusterConfig": {"enablePrivateEndpoint": value}}))) == 1
		count(paths(eks({"endpointPublicAccess": value}))) == 1
	}
	count(paths({"kind": "Object", "spec": {"forProvider": {"manifest": gke({})}}})) == 1
}
