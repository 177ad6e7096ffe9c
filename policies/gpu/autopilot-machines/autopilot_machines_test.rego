package crossgate.gpu.autopilot_machines_test

import rego.v1

import data.crossgate.gpu.autopilot_machines

paths(documents) := {array.concat([finding.path[0]], array.slice(finding.path, 4, 9)) | some finding in autopilot_machines.deny with input as [{"path": "a.yaml", "contents": document} | some document in documents]}

managed(kind, name, settings) := {
	"apiVersion": "container.gcp.upbound.io/v1beta2",
	"kind": kind,
	"metadata": {"name": name, "labels": {"crossplane.io/composite": "x", "app": "ml", "name": name}},
	"spec": {"forProvider": settings},
}

autopilot := managed("Cluster", "a", {"enableAutopilot": true})

standard := managed("Cluster", "b", {"enableAutopilot": false, "removeDefaultNodePool": true})

pool(reference) := managed("NodePool", "p", object.union({"nodeConfig": {"machineType": "n1-standard-8"}}, reference))

test_refuses if {
	paths([autopilot, pool({"clusterSelector": {"matchControllerRef": true}})]) == {[1, "nodeConfig", "machineType"]}
	every field, value in {"nodeConfig": {"machineType": "n1-standard-8"}, "nodePool": [{}], "removeDefaultNodePool": true} {
		paths([managed("Cluster", "a", {"enableAutopilot": true, field: value})]) == {[0, field]}
	}
}

# However the pool names its cluster, and whatever it says of machines.
test_bypass_by_every_reference if {
	every reference in [
		{"cluster": "a"}, {"cluster": "projects/p/locations/l/clusters/a"}, {"clusterRef": {"name": "a"}},
		{"clusterSelector": {"matchLabels": {"app": "ml"}}}, {"clusterSelector": {"matchLabels": {"app": "ml", "name": "a"}}},
		{"clusterSelector": {"matchControllerRef": true, "matchLabels": {"name": "a"}}},
	] {
		count(paths([pool(reference), autopilot])) == 1
	}
	paths([autopilot, managed("NodePool", "p", {"clusterRef": {"name": "a"}})]) == {[1]}
	paths([autopilot, object.union(pool({"nodeConfig": [{"machineType": "n1"}], "cluster": "a"}), {"apiVersion": "container.gcp.m.upbound.io/v1beta1"})]) == {[1, "nodeConfig", "machineType"]}
}

test_lets_pass if {
	paths([autopilot, standard, pool({"clusterRef": {"name": "b"}}), pool({"clusterSelector": {"matchLabels": {"app": "ml", "name": "b"}}})]) == set()
	paths([managed("Cluster", "a", {"enableAutopilot": true, "removeDefaultNodePool": false, "nodeConfig": null})]) == set()
	paths([autopilot, object.union(pool({"clusterRef": {"name": "a"}}), {"apiVersion": "example.org/v1"})]) == set()
}

test_silent_about_documents if count(autopilot_machines.deny) == 0 with input as managed("Cluster", "a", {"enableAutopilot": true, "nodePool": [{}]})
