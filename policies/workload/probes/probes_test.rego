package crossgate.workload.probes_test

import rego.v1

import data.crossgate.workload.probes

messages(document) := {finding.msg | some finding in probes.deny with input as document}

workload(kind, container) := {"kind": kind, "spec": {"template": {"spec": {"containers": [container], "initContainers": [{"name": "i"}]}}}}

probe := {"httpGet": {"path": "/readyz", "port": 8000}}

test_refuses if {
	every kind in ["Deployment", "StatefulSet", "DaemonSet", "Rollout"] {
		messages(workload(kind, {"name": "c"})) == {"container c has no readinessProbe", "container c has no livenessProbe"}
	}
	messages(workload("Deployment", {"name": "c", "readinessProbe": probe, "livenessProbe": {}})) == {"container c has no livenessProbe"}
	count(messages({"kind": "Object", "spec": {"forProvider": {"manifest": workload("Deployment", {"name": "c"})}}})) == 2
}

test_lets_pass if {
	every how in ["httpGet", "tcpSocket", "exec", "grpc"] {
		messages(workload("Deployment", {"readinessProbe": {how: {"port": 1}}, "livenessProbe": {how: {"port": 1}}})) == set()
	}
}

test_lets_jobs_pass if {
	messages(workload("Job", {"name": "c"})) == set()
	messages({"kind": "Pod", "spec": {"containers": [{"name": "c"}]}}) == set()
}

test_silent_about_the_estate if messages([{"path": "a.yaml", "contents": workload("Deployment", {"name": "c"})}]) == set()

test_bypass_by_probes_that_are_none if {
	every value in [{}, {"initialDelaySeconds": 3}] {
		count(messages(workload("Deployment", {"readinessProbe": value, "livenessProbe": value}))) == 2
	}
	count(messages(workload("Deployment", {"startupProbe": probe}))) == 2
}
