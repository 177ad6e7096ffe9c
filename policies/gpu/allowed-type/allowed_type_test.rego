package crossgate.gpu.allowed_type_test

import rego.v1

import data.crossgate.gpu.allowed_type

paths(document) := {finding.path | some finding in allowed_type.deny with input as document}

claim(type) := {"kind": "GPUClusterClaim", "spec": {"parameters": {"gpuType": type}}}

test_refuses_claims if {
	every type in ["h100", "H100", " h100", "l4", "b200", "anything"] {
		paths(claim(type)) == {["spec", "parameters", "gpuType"]}
	}
}

test_lets_claims_pass if {
	every type in ["t4", "v100", "a100", "A100"] {
		paths(claim(type)) == set()
	}
}

test_refuses_accelerators if {
	paths({"spec": {"forProvider": {"nodeConfig": [{"guestAccelerator": [
		{"type": "nvidia-l4", "count": 1},
		{"type": "projects/p/zones/z/acceleratorTypes/nvidia-h100-80gb"},
		{"type": "projects/p/zones/z/acceleratorTypes/nvidia-tesla-t4"},
	]}]}}}) == {
		["spec", "forProvider", "nodeConfig", 0, "guestAccelerator", 0, "type"],
		["spec", "forProvider", "nodeConfig", 0, "guestAccelerator", 1, "type"],
	}
}

test_refuses_machine_types_of_every_cloud if {
	every type in [
		"p5.48xlarge", "p5en.48xlarge", "p6-b200.48xlarge", "g5.xlarge", "g6e.12xlarge", "g4ad.xlarge", "trn1.32xlarge", "inf2.xlarge",
		"a3-highgpu-8g", "a4x-highgpu-4g", "g2-standard-4", "zones/us-central1-a/machineTypes/a3-megagpu-8g", "ct5lp-hightpu-4t",
		"Standard_ND96isr_H100_v5", "STANDARD_NC40ads_H100_v5", "Standard_NV36ads_A10_v5", "Standard_NC6",
	] {
		paths({"spec": {"machineType": type}}) == {["spec", "machineType"]}
	}
}

test_lets_machine_types_pass if {
	every type in [
		"g4dn.xlarge", "p3.2xlarge", "p3dn.24xlarge", "p4d.24xlarge", "c5.large", "m6g.xlarge", "db.r6g.large", "cache.t4g.micro",
		"n1-standard-8", "a2-highgpu-1g", "a2-ultragpu-2g", "e2-standard-4", "c3-highcpu-8",
		"Standard_NC6s_v3", "Standard_NC4as_T4_v3", "Standard_NC24ads_A100_v4", "Standard_D4s_v5",
	] {
		paths({"kind": "NodePool", "spec": {"machineType": type, "accelerator": true}}) == set()
	}
}

pod(spec) := {"kind": "Pod", "spec": spec}

test_refuses_selectors_and_affinities if {
	every spec in [
		{"nodeSelector": {"cloud.google.com/gke-accelerator": "nvidia-h100-80gb"}},
		{"nodeSelector": {"gpu-type": "h100"}},
		{"nodeSelector": {"node.kubernetes.io/instance-type": "p5.48xlarge"}},
		{"nodeSelector": {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3"}},
		{"requirements": [{"key": "karpenter.k8s.aws/instance-gpu-name", "operator": "In", "values": ["h100"]}]},
		{"requirements": [{"key": "karpenter.k8s.aws/instance-family", "operator": "In", "values": ["p5"]}]},
		{"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [{
			"key": "nvidia.com/gpu.product",
			"operator": "In",
			"values": ["NVIDIA-H100-80GB-HBM3", "NVIDIA-A100-SXM4-40GB"],
		}]}]}}}},
	] {
		count(paths(pod(spec))) == 1
	}
}

test_lets_a_selector_pass_that_keeps_away if {
	paths(pod({"matchExpressions": [{"key": "nvidia.com/gpu.product", "operator": "NotIn", "values": ["NVIDIA-H100-80GB-HBM3"]}]})) == set()
}

test_lets_allowed_selectors_pass if {
	paths(pod({"nodeSelector": {
		"cloud.google.com/gke-accelerator": "nvidia-tesla-t4",
		"gpu-type": "a100",
		"nvidia.com/gpu.present": "true",
		"node.kubernetes.io/instance-type": "g4dn.xlarge",
	}})) == set()
}

container(resources) := {"name": "c", "image": "nvidia/cuda:12", "resources": resources}

# A container of any kind, at any depth.
test_refuses_resources_in_every_container if {
	other := {"limits": {"amd.com/gpu": 1}}
	every spec in [
		{"containers": [container(other)]},
		{"initContainers": [container(other)]},
		{"ephemeralContainers": [container(other)]},
		{"jobTemplate": {"spec": {"template": {"spec": {"initContainers": [container(other)]}}}}},
		{"forProvider": {"manifest": {"spec": {"template": {"spec": {"containers": [container(other)]}}}}}},
		{"forProvider": {"values": {"resources": {"requests": {"habana.ai/gaudi": 1}}}}},
		{"containers": [container({"limits": {"nvidia.com/mig-1g.10gb": 1}})]},
		{"hard": {"requests.amd.com/gpu": 2}},
	] {
		count(paths(pod(spec))) == 1
	}
	count(paths({"kind": "List", "items": [pod({"containers": [container(other)]})]})) == 1
}

test_bypass_by_accelerators_of_other_makers if {
	every resource in ["huawei.com/Ascend910", "cambricon.com/mlu", "aliyun.com/gpu-mem", "volcano.sh/vgpu-number", "google.com/tpu"] {
		count(paths(pod({"containers": [container({"limits": {resource: 1}})]}))) == 1
	}
	paths({"spec": {"machineType": "tpu7x-standard-4t"}}) == {["spec", "machineType"]}
}

selecting(product) := {"kind": "ResourceClaim", "spec": {"selectors": [{"cel": {"expression": product}}]}}

test_bypass_by_a_claim_of_devices if {
	count(paths(selecting("device.attributes['gpu.nvidia.com'].productName == 'NVIDIA H100 80GB HBM3'"))) == 1
	paths(selecting("device.attributes['gpu.nvidia.com'].productName == 'NVIDIA A100 SXM4 40GB'")) == set()
}

test_lets_allowed_resources_pass if {
	paths(pod({
		"containers": [container({"limits": {"nvidia.com/gpu": 1, "nvidia.com/mig-1g.5gb": 1, "cpu": 1}})],
		"hard": {"requests.nvidia.com/gpu": 4},
	})) == set()
}

test_bypass_inside_texts if {
	every value in [
		"nodeSelector:\n  cloud.google.com/gke-accelerator: nvidia-tesla-p100\n",
		"machine: \"p5.48xlarge\"\n",
		"--machine-type=p5.48xlarge",
		"{\"instanceTypes\": [\"g4dn.xlarge\", \"g5.xlarge\"]}",
	] {
		paths({"kind": "Release", "spec": {"values": value}}) == {["spec", "values"]}
	}
}

test_lets_other_texts_pass if {
	every value in ["nvidia-device-plugin", "nvidia/cuda:12.4.1", "# was p5.48xlarge\nmachine: g4dn.xlarge\n", "an nvidia-h100 would be nice"] {
		paths({"kind": "Release", "spec": {"values": value, "gpu": true}}) == set()
	}
}

schema(choices) := {"kind": "CompositeResourceDefinition", "spec": {"versions": [{"schema": {"openAPIV3Schema": {"properties": {
	"gpuType": {"type": "string", "enum": ["t4"]},
	"accelerators": {"type": "array"},
	"instanceType": {"enum": choices},
}}}}]}}

# An XRD says what a claim may name; its own keywords are no types.
test_judges_the_choices_of_an_xrd if {
	paths(schema(["g4dn.xlarge", "c5.large"])) == set()
	count(paths(schema(["g4dn.xlarge", "p5.48xlarge"]))) == 1
}

test_silent_about_the_estate if paths([{"path": "a.yaml", "contents": claim("h100")}]) == set()
