package crossgate.network.public_load_balancer_test

import rego.v1

import data.crossgate.network.public_load_balancer

paths(document) := {finding.path | some finding in public_load_balancer.deny with input as document}

service(annotations, spec) := {"kind": "Service", "metadata": {"annotations": annotations}, "spec": object.union({"type": "LoadBalancer"}, spec)}

test_refuses if {
	paths(service({}, {})) == {["spec", "type"]}
	paths(service({"networking.gke.io/load-balancer-type": "External"}, {"loadBalancerSourceRanges": []})) == {["spec", "type"]}
	paths({"kind": "Service", "spec": {"type": "LoadBalancer"}}) == {["spec", "type"]}
	count(paths({"kind": "Object", "spec": {"forProvider": {"manifest": service({}, {})}}})) == 1
	count(paths({"kind": "ServiceList", "items": [service({}, {})]})) == 1
}

test_lets_pass if {
	paths(service({}, {"type": "ClusterIP"})) == set()
	paths(service({}, {"loadBalancerSourceRanges": ["10.0.0.0/8"]})) == set()
	every annotations in [
		{"networking.gke.io/load-balancer-type": "Internal"}, {"cloud.google.com/load-balancer-type": "Internal"},
		{"service.beta.kubernetes.io/aws-load-balancer-internal": "true"},
		{"service.beta.kubernetes.io/aws-load-balancer-scheme": "internal"},
		{"service.beta.kubernetes.io/azure-load-balancer-internal": "true"},
	] {
		paths(service(annotations, {})) == set()
	}
}

test_bypass_in_helm_values if {
	every document in [
		{"kind": "Release", "spec": {"forProvider": {"values": {"service": {"type": "LoadBalancer"}}}}},
		{"kind": "Release", "spec": {"forProvider": {"values": {"grafana": {"service": {"type": "LoadBalancer", "annotations": {"a": "internal"}}}}}}},
		{"kind": "Release", "spec": {"forProvider": {"set": [{"name": "service.type", "value": "LoadBalancer"}]}}},
		{"kind": "Application", "spec": {"source": {"helm": {"values": "service:\n  type: \"LoadBalancer\"\n"}}}},
		{"kind": "Application", "spec": {"source": {"helm": {"valuesObject": {"service": {"type": "LoadBalancer"}}}}}},
	] {
		count(paths(document)) == 1
	}
}

helm(values) := {"kind": "Application", "spec": {"source": {"helm": {"values": values}}}}

test_bypass_by_other_places_of_helm_values if {
	values := {"service": {"type": "LoadBalancer"}}
	every document in [
		{"kind": "Application", "spec": {"sources": [{"path": "a"}, {"helm": {"valuesObject": values}}]}},
		{"kind": "ApplicationSet", "spec": {"template": {"spec": {"source": {"helm": {"valuesObject": values}}}}}},
		{"kind": "ApplicationSet", "spec": {"template": {"spec": {"sources": [{"helm": {"parameters": [{"name": "service.type", "value": "LoadBalancer"}]}}]}}}},
		{"kind": "ApplicationSet", "spec": {"templatePatch": "spec: {source: {helm: {valuesObject: {type: LoadBalancer}}}}"}},
		{"kind": "Release", "spec": {"initProvider": {"values": values}}},
		{"kind": "Release", "spec": {"forProvider": {"values": {"serviceType": "LoadBalancer"}}}},
		{"kind": "Release", "spec": {"forProvider": {"set": [{"name": "controller.serviceType", "value": "LoadBalancer"}]}}},
	] {
		count(paths(document)) == 1
	}
}

test_bypass_by_words_that_keep_nothing_inside if {
	every values in [
		"type: LoadBalancer\n# loadBalancerSourceRanges: [10.0.0.0/8]\n",
		"type: LoadBalancer\nloadBalancerSourceRanges: []\n",
		"a: {type: LoadBalancer, loadBalancerSourceRanges: [10.0.0.0/8]}\nb: {type: LoadBalancer}\n",
		"type: !!str LoadBalancer\n", "type: &a LoadBalancer\n", "serviceType: 'LoadBalancer'\n",
	] {
		count(paths(helm(values))) == 1
	}
	paths(helm("type: LoadBalancer\nannotations:\n  networking.gke.io/load-balancer-type: Internal\n")) == set()
	paths(helm("type: LoadBalancer\nloadBalancerSourceRanges:\n- 10.0.0.0/8\n")) == set()
	every annotations in [
		{"example.org/aws-load-balancer-internal": "true"}, {"networking.gke.io/load-balancer-type": "true"},
		{"cloud.google.com/load-balancer-type": "Internal", "networking.gke.io/load-balancer-type": "External"},
		{
			"service.beta.kubernetes.io/aws-load-balancer-internal": "true",
			"service.beta.kubernetes.io/aws-load-balancer-scheme": "internet-facing",
		},
	] {
		paths(service(annotations, {})) == {["spec", "type"]}
	}
	paths({"kind": "Release", "spec": {"forProvider": {"values": {"serviceType": "LoadBalancer", "serviceAnnotations": {"networking.gke.io/load-balancer-type": "Internal"}}}}}) == set()
}

test_lets_helm_values_pass if {
	every document in [
		{"kind": "Release", "spec": {"forProvider": {"values": {"service": {"type": "ClusterIP"}}}}},
		{"kind": "Release", "spec": {"forProvider": {"values": {"service": {"type": "LoadBalancer", "loadBalancerSourceRanges": ["10.0.0.0/8"]}}}}},
		{"kind": "Application", "spec": {"source": {"helm": {"values": "service:\n  type: LoadBalancer\n  loadBalancerSourceRanges: [10.0.0.0/8]\n"}}}},
	] {
		paths(document) == set()
	}
}

test_silent_about_the_estate if paths([{"path": "a.yaml", "contents": service({}, {})}]) == set()
