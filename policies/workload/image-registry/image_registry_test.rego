package crossgate.workload.image_registry_test

import rego.v1

import data.crossgate.workload.image_registry

paths(document) := {finding.path | some finding in image_registry.deny with input as document}

pod(image) := {"kind": "Pod", "spec": {"containers": [{"image": image}]}}

test_refuses if {
	every image in [
		"evil.example.org/nginx:1", "someone/nginx:1", "docker.io/someone/nginx:1", "localhost/nginx:1",
		"registry.acme.com.evil.example.org/nginx:1", "registry.acme.com:5000/nginx:1", "evil.example.org/registry.acme.com/nginx:1",
		"registry.acme.com/../evil/nginx:1", "REGISTRY.ACME.COM/nginx:1",
	] {
		count(paths(pod(image))) == 1
	}
}

test_lets_pass if {
	every image in ["registry.acme.com/nginx:1", "nginx:1", "docker.io/library/nginx", "registry.k8s.io/pause:3.9", ""] {
		paths(pod(image)) == set()
	}
}

test_bypass_in_every_place if {
	every document in [
		{"kind": "Object", "spec": {"forProvider": {"manifest": pod("evil.example.org/a:1")}}},
		{"kind": "Job", "spec": {"template": {"spec": {"initContainers": [{"image": "evil.example.org/a:1"}]}}}},
		{"kind": "ModelService", "spec": {"image": "evil.example.org/a:1"}},
		{"apiVersion": "pkg.crossplane.io/v1", "kind": "Function", "spec": {"package": "evil.example.org/f:v1"}},
	] {
		count(paths(document)) == 1
	}
}

test_bypass_by_images_that_no_container_runs if {
	paths({"kind": "Pod", "spec": {"volumes": [{"image": {"reference": "evil.example.org/weights:1"}}]}}) == {["spec", "volumes", 0, "image", "reference"]}
	runtime := {"kind": "DeploymentRuntimeConfig", "spec": {"deploymentTemplate": {"spec": {"template": {"spec": {"containers": [{"image": "evil.example.org/p:1"}]}}}}}}
	count(paths(runtime)) == 1
	count(paths({"apiVersion": "pkg.crossplane.io/v1", "kind": "FunctionRevision", "spec": {"image": "evil.example.org/f:1"}})) == 1
}

test_bypass_by_taking_packages_from_elsewhere if {
	every prefix in ["evil.example.org", "registry.acme.com", "registry.acme.com.evil.example.org/", "registry.acme.com/../evil"] {
		paths({"kind": "ImageConfig", "spec": {"rewriteImage": {"prefix": prefix}}}) == {["spec", "rewriteImage", "prefix"]}
	}
	paths({"kind": "ImageConfig", "spec": {"rewriteImage": {"prefix": "registry.acme.com/mirror"}}}) == set()
	paths({"kind": "ImageConfig", "spec": {"matchImages": [{"prefix": "evil.example.org"}], "registry": {}}}) == set()
}

test_silent_about_the_estate if paths([{"path": "a.yaml", "contents": pod("evil.example.org/a:1")}]) == set()

# The engine asks the rule only about the kinds that it names.
test_names_the_kinds_that_it_refuses if count({"Pod", "CronJob", "Provider", "ModelService", "ImageConfig"} - image_registry.kinds) == 0
