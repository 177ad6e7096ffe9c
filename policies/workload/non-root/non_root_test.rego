package crossgate.workload.non_root_test

import rego.v1

import data.crossgate.workload.non_root

messages(document) := {finding.msg | some finding in non_root.deny with input as document}

pod(own, containers) := {"kind": "Pod", "spec": {"securityContext": own, "containers": [{"name": "c", "securityContext": containers}]}}

kept := {"allowPrivilegeEscalation": false}

test_refuses if {
	messages({"kind": "Pod", "spec": {"containers": [{"name": "c"}]}}) == {
		"container c may run as root (runAsNonRoot is not true)",
		"container c may become root (allowPrivilegeEscalation is not false)",
	}
	messages(pod({"runAsNonRoot": true}, {})) == {"container c may become root (allowPrivilegeEscalation is not false)"}
	messages(pod({"runAsNonRoot": true, "runAsUser": 0}, kept)) == {"container c runs as root (runAsUser is 0)"}
}

# A container can take back what its Pod promises.
test_bypass_by_what_the_container_takes_back if {
	every own in [{"runAsNonRoot": false}, {"runAsUser": 0}] {
		count(messages(pod({"runAsNonRoot": true, "runAsUser": 1000}, object.union(kept, own)))) == 1
	}
}

test_refuses_in_every_place if {
	every document in [
		{"kind": "Pod", "spec": {"securityContext": {"runAsNonRoot": true}, "initContainers": [{"name": "i"}]}},
		{"kind": "Pod", "spec": {"securityContext": {"runAsNonRoot": true}, "ephemeralContainers": [{"name": "i"}]}},
		{"kind": "Object", "spec": {"forProvider": {"manifest": pod({"runAsNonRoot": true}, {})}}},
		{"kind": "CronJob", "spec": {"jobTemplate": {"spec": {"template": {"spec": {
			"securityContext": {"runAsNonRoot": true},
			"containers": [{"name": "c"}],
		}}}}}},
	] {
		count(messages(document)) == 1
	}
}

test_lets_pass if {
	messages(pod({"runAsNonRoot": true}, kept)) == set()
	messages(pod({}, object.union(kept, {"runAsNonRoot": true, "runAsUser": 1000}))) == set()
	messages(pod({"runAsUser": 0}, object.union(kept, {"runAsNonRoot": true, "runAsUser": 1000}))) == set()
}

# The API server drops what is null, so that the Pod's word counts.
test_bypass_by_null if {
	messages(pod({"runAsNonRoot": true}, object.union(kept, {"runAsNonRoot": null}))) == set()
	messages(pod({"runAsNonRoot": true, "runAsUser": 0}, object.union(kept, {"runAsUser": null}))) == {"container c runs as root (runAsUser is 0)"}
	count(messages(pod({"runAsNonRoot": null}, kept))) == 1
	count(messages(pod(null, null))) == 2
}

test_silent_about_the_estate if messages([{"path": "a.yaml", "contents": pod({}, {})}]) == set()

# The engine asks the rule only about the kinds that it names.
test_names_the_kinds_that_it_refuses if count({"Pod", "PodTemplate", "DaemonSet", "CronJob"} - non_root.kinds) == 0
