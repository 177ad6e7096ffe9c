package crossgate.workload.spread_test

import rego.v1

import data.crossgate.workload.spread

paths(document) := {finding.path | some finding in spread.warn with input as document}

workload(replicas, pod) := {"kind": "Deployment", "spec": {"replicas": replicas, "template": {"spec": pod}}}

test_refuses if {
	paths(workload(2, {})) == {["spec", "replicas"]}
	paths(workload(2, {"topologySpreadConstraints": [], "affinity": {"podAntiAffinity": {}}})) == {["spec", "replicas"]}
	paths(workload(2, {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": []}}})) == {["spec", "replicas"]}
	count(paths({"kind": "Object", "spec": {"forProvider": {"manifest": workload(3, {})}}})) == 1
}

test_lets_pass if {
	paths(workload(1, {})) == set()
	paths(workload(2, {"topologySpreadConstraints": [{"topologyKey": "topology.kubernetes.io/zone"}]})) == set()
	paths(workload(2, {"affinity": {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1}]}}})) == set()
}

test_silent_about_the_estate if paths([{"path": "a.yaml", "contents": workload(2, {})}]) == set()

test_bypass_by_what_a_deployment_makes if {
	every kind in ["ReplicaSet", "ReplicationController"] {
		paths({"kind": kind, "spec": {"replicas": 3, "template": {"spec": {}}}}) == {["spec", "replicas"]}
	}
}

test_bypass_by_affinity_that_is_none if {
	count(paths(workload(2, {"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{}]}}}))) == 1
	count(paths(workload(2, {"affinity": {"nodeAffinity": {}}, "topologySpreadConstraints": []}))) == 1
	count(paths({"kind": "List", "items": [workload(5, {})]})) == 1
}
