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
		"nginx:main-20240101-3fa9c2", "",
	] {
		paths(pod(image)) == set()
	}
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
test_names_the_kinds_that_it_refuses if count({"Pod", "CronJob", "Provider", "ModelService"} - image_pinned.kinds) == 0
