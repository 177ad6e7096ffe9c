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

test_lets_other_clusters_pass if paths(managed("elasticache.aws.upbound.io/v1beta1", "Cluster", {})) == set()

test_silent_about_the_estate if paths([{"path": "a.yaml", "contents": gke({})}]) == set()

test_bypass_by_another_type if {
	every value in ["true", 1, [], null] {
		count(paths(gke({"privateClusterConfig": {"enablePrivateEndpoint": value}}))) == 1
		count(paths(eks({"endpointPublicAccess": value}))) == 1
	}
	count(paths({"kind": "Object", "spec": {"forProvider": {"manifest": gke({})}}})) == 1
}
