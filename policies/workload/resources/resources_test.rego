package crossgate.workload.resources_test

import rego.v1

import data.crossgate.workload.resources

paths(document) := {finding.path | some finding in resources.deny with input as document}

pod(given) := {"kind": "Pod", "spec": {"containers": [{"name": "c", "resources": given}]}}

test_refuses if {
	every given in [
		{}, {"requests": {"cpu": "1"}}, {"requests": {"cpu": "1", "memory": "1Gi"}}, {"limits": {"memory": "1Gi"}},
		{"requests": {"cpu": "0", "memory": "1Gi"}, "limits": {"memory": "1Gi"}},
		{"requests": {"cpu": 0, "memory": "1Gi"}, "limits": {"memory": "0Mi"}},
	] {
		paths(pod(given)) == {["spec", "containers", 0]}
	}
	count(paths({"kind": "Pod", "spec": {"containers": [{}]}})) == 1
}

test_bypass_by_spellings_of_nothing if {
	every nothing in ["0e5", "0E3", "0.0", "00", "0Ki", "0m", "+0", "-1", null, 0.0, "Mi1"] {
		paths(pod({"requests": {"cpu": nothing, "memory": "1Gi"}, "limits": {"memory": "1Gi"}})) == {["spec", "containers", 0]}
	}
	every something in ["1e3", "0.5", ".5", "+1", "1e-3", 0.1, 2] {
		paths(pod({"requests": {"cpu": something, "memory": "1Gi"}, "limits": {"memory": "1Gi"}})) == set()
	}
}

test_lets_pass if {
	every given in [
		{"requests": {"cpu": "100m", "memory": "1Gi"}, "limits": {"memory": "1Gi"}},
		{"requests": {"cpu": 1}, "limits": {"memory": "1Gi"}},
		{"limits": {"cpu": "1", "memory": "1Gi"}},
	] {
		paths(pod(given)) == set()
	}
}

test_bypass_in_every_place if {
	every document in [
		{"kind": "Deployment", "spec": {"template": {"spec": {"initContainers": [{"name": "i"}]}}}},
		{"kind": "CronJob", "spec": {"jobTemplate": {"spec": {"template": {"spec": {"containers": [{"name": "c"}]}}}}}},
		{"kind": "Object", "spec": {"forProvider": {"manifest": pod({})}}},
		{"kind": "List", "items": [pod({})]},
	] {
		count(paths(document)) == 1
	}
}

test_lets_ephemeral_containers_pass if paths({"kind": "Pod", "spec": {"ephemeralContainers": [{"name": "e"}]}}) == set()

test_silent_about_the_estate if paths([{"path": "a.yaml", "contents": pod({})}]) == set()

# The engine asks the rule only about the kinds that it names.
test_names_the_kinds_that_it_refuses if count({"Pod", "PodTemplate", "DaemonSet", "CronJob"} - resources.kinds) == 0
