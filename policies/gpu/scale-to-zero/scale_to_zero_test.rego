package crossgate.gpu.scale_to_zero_test

import rego.v1

import data.crossgate.gpu.scale_to_zero

paths(documents) := {array.slice(finding.path, 2, 9) | some finding in scale_to_zero.deny with input as [{"path": "a.yaml", "contents": document} | some document in documents]}

claim(nodes, environment) := {
	"kind": "GPUClusterClaim",
	"metadata": {"name": "c", "namespace": "ml-team-fraud"},
	"spec": {"parameters": {"minNodes": nodes}, "compositionSelector": {"matchLabels": {"environment": environment}}},
}

pool(config) := {"kind": "NodePool", "metadata": {"labels": {"crossplane.io/composite": "x"}}, "spec": {"forProvider": config}}

xr := {"kind": "GPUCluster", "metadata": {"name": "x", "labels": {"env": "dev"}}}

test_refuses if {
	paths([claim(1, "dev")]) == {["spec", "parameters", "minNodes"]}
	paths([claim(2, "Staging")]) == {["spec", "parameters", "minNodes"]}
	paths([xr, pool({"autoscaling": {"minNodeCount": 1}, "nodeConfig": {"guestAccelerator": [{}]}})]) == {["spec", "forProvider", "autoscaling", "minNodeCount"]}
	paths([xr, pool({"autoscaling": [{"minNodeCount": 1}], "nodeConfig": [{"guestAccelerator": [{}]}]})]) == {["spec", "forProvider", "autoscaling", "minNodeCount"]}
	paths([{"kind": "Namespace", "metadata": {"name": "ml-team-fraud", "labels": {"environment": "dev"}}}, claim(1, "gcp")]) == {["spec", "parameters", "minNodes"]}
}

test_lets_pass if {
	paths([claim(0, "dev"), claim(3, "production"), claim(3, "gcp")]) == set()
	paths([xr, pool({"autoscaling": {"minNodeCount": 1}, "nodeConfig": {}}), pool({"autoscaling": {"minNodeCount": 0}, "nodeConfig": {"guestAccelerator": [{}]}})]) == set()
}

test_bypass_by_other_pools_with_gpus if {
	dev := {"metadata": {"name": "p", "labels": {"env": "dev"}}}
	every pool in [
		{"kind": "NodePool", "spec": {"forProvider": {"autoscaling": {"minNodeCount": 1}, "nodeConfig": {"machineType": "a2-highgpu-1g"}}}},
		{"kind": "NodePool", "spec": {"forProvider": {"autoscaling": [{"totalMinNodeCount": 2}], "nodeConfig": [{"machineType": "G2-standard-4"}]}}},
		{"kind": "NodePool", "spec": {"forProvider": {"nodeCount": 3, "nodeConfig": {"guestAccelerator": [{"type": "nvidia-tesla-t4"}]}}}},
		{"kind": "NodeGroup", "spec": {"forProvider": {"instanceTypes": ["m5.large", "p3.2xlarge"], "scalingConfig": {"minSize": 1}}}},
		{"kind": "KubernetesClusterNodePool", "spec": {"forProvider": {"vmSize": "Standard_NC6s_v3", "minCount": 1, "autoScalingEnabled": true}}},
		{"kind": "KubernetesClusterNodePool", "spec": {"forProvider": {"vmSize": "Standard_NC6s_v3", "nodeCount": 1}}},
	] {
		count(paths([object.union(dev, pool)])) == 1
	}
	every pool in [
		{"kind": "NodePool", "spec": {"forProvider": {"autoscaling": {"minNodeCount": 0}, "initialNodeCount": 1, "nodeConfig": {"machineType": "a2-highgpu-1g"}}}},
		{"kind": "NodeGroup", "spec": {"forProvider": {"instanceTypes": ["m5.large"], "scalingConfig": {"minSize": 1}}}},
		{"kind": "KubernetesClusterNodePool", "spec": {"forProvider": {"vmSize": "Standard_NC6s_v3", "nodeCount": 1, "minCount": 0, "enableAutoScaling": true}}},
	] {
		paths([object.union(dev, pool)]) == set()
	}
}

test_silent_about_documents if count(scale_to_zero.deny) == 0 with input as claim(1, "dev")

test_bypass_by_spelling_the_environment if {
	every word in ["DEV", "Development", "sandbox"] {
		count(paths([claim(1, word)])) == 1
		count(paths([object.union(claim(1, "gcp"), {"metadata": {"labels": {"env": word}}})])) == 1
	}
	count(paths([object.union(xr, {"spec": {"crossplane": {"compositionSelector": {"matchLabels": {"environment": "dev"}}}}}), pool({"autoscaling": {"minNodeCount": 2}, "nodeConfig": [{"guestAccelerator": [{}]}]})])) == 1
}
