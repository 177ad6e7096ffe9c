package crossgate.workload.image_pinned_test

import rego.v1

import data.crossgate.workload.image_pinned

paths(document) := {finding.path | some finding in image_pinned.deny with input as document}

pod(image) := {"kind": "Pod", "spec": {"containers": [{"image": image}]}}

place := ["spec", "containers", 0, "image"]

digest := "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

test_refuses if {
	every image in [
		"nginx", "registry.acme.com:5000/nginx", "nginx:latest", "nginx:LATEST", "nginx:main", "nginx:stable-alpine",
		"nginx@sha256:short", "registry.acme.com/a/b:edge",
	] {
		paths(pod(image)) == {place}
	}
}

test_lets_pass if {
	every image in [
		"nginx:1.27.0", "registry.acme.com:5000/nginx:1", sprintf("nginx@%s", [digest]), sprintf("nginx:latest@%s", [digest]),
		"nginx:main-20240101-3fa9c2", "", "nginx:1.27-alpine", "nginx:main-42", "nginx:v1.4.2-stable", "nginx:nightly-4f2a9c1",
	] {
		paths(pod(image)) == set()
	}
}

# What is added to a name that moves is no version of the image.
test_bypass_by_what_else_is_in_the_tag if {
	every tag in ["nightly-py3", "latest-cuda12.1", "main_py3", "py3.11-latest", "3.11-latest", "11-latest", "alpine", "lts", "mainline-slim"] {
		paths(pod(concat(":", ["registry.acme.com/x", tag]))) == {place}
	}
}

test_bypass_by_images_that_no_container_runs if {
	paths({"kind": "Pod", "spec": {"volumes": [{"name": "v", "image": {"reference": "registry.acme.com/weights"}}]}}) == {["spec", "volumes", 0, "image", "reference"]}
	runtime := {"kind": "DeploymentRuntimeConfig", "spec": {"deploymentTemplate": {"spec": {"template": {"spec": {"containers": [{"image": "nginx"}]}}}}}}
	count(paths(runtime)) == 1
	count(paths({"apiVersion": "pkg.crossplane.io/v1", "kind": "ProviderRevision", "spec": {"image": "registry.acme.com/p"}})) == 1
}

test_bypass_in_every_place if {
	every document in [
		{"kind": "Pod", "spec": {"initContainers": [{"image": "nginx"}]}},
		{"kind": "Pod", "spec": {"ephemeralContainers": [{"image": "nginx"}]}},
		{"kind": "CronJob", "spec": {"jobTemplate": {"spec": {"template": {"spec": {"containers": [{"image": "nginx"}]}}}}}},
		{"kind": "StatefulSet", "spec": {"template": {"spec": {"containers": [{"image": "nginx"}]}}}},
		{"kind": "List", "items": [{"kind": "Deployment", "spec": {"template": {"spec": {"containers": [{"image": "nginx"}]}}}}]},
		{"kind": "Object", "spec": {"forProvider": {"manifest": pod("nginx")}}},
		{"kind": "ModelService", "spec": {"image": "nginx"}},
		{"apiVersion": "pkg.crossplane.io/v1", "kind": "Provider", "spec": {"package": "registry.acme.com/provider-aws"}},
	] {
		count(paths(document)) == 1
	}
}

test_lets_other_kinds_pass if {
	paths({"apiVersion": "notification.example.org/v1", "kind": "Provider", "spec": {"package": "x"}}) == set()
	paths({"kind": "ConfigMap", "data": {"image": "nginx"}}) == set()
}

test_silent_about_the_estate if paths([{"path": "a.yaml", "contents": pod("nginx")}]) == set()

# The engine asks the rule only about the kinds that it names.
test_names_the_kinds_that_it_refuses if count({"Pod", "CronJob", "Provider", "ProviderRevision", "DeploymentRuntimeConfig", "ModelService"} - image_pinned.kinds) == 0
