package crossgate.workload.no_host_access_test

import rego.v1

import data.crossgate.workload.no_host_access

paths(document) := {finding.path | some finding in no_host_access.deny with input as document}

pod(spec) := {"kind": "Pod", "spec": spec}

container(own) := pod({"containers": [object.union({"name": "c"}, own)]})

test_refuses_what_the_pod_shares if {
	every field in ["hostNetwork", "hostPID", "hostIPC"] {
		paths(pod({field: true})) == {["spec", field]}
	}
	paths(pod({"volumes": [{"name": "a", "emptyDir": {}}, {"name": "b", "hostPath": {"path": "/"}}]})) == {["spec", "volumes", 1, "hostPath"]}
	paths(pod({"volumes": [{"hostPath": {}}]})) == {["spec", "volumes", 0, "hostPath"]}
}

test_refuses_what_a_container_takes if {
	every own in [
		{"securityContext": {"privileged": true}}, {"securityContext": {"procMount": "Unmasked"}}, {"ports": [{"hostPort": 80}]},
		{"securityContext": {"capabilities": {"add": ["NET_BIND_SERVICE", "SYS_ADMIN"]}}},
		{"securityContext": {"capabilities": {"add": ["ALL"]}}}, {"securityContext": {"capabilities": {"add": ["CAP_NET_RAW"]}}},
	] {
		count(paths(container(own))) == 1
	}
}

test_bypass_in_every_place if {
	every list in ["initContainers", "ephemeralContainers"] {
		count(paths(pod({list: [{"name": "c", "securityContext": {"privileged": true}}]}))) == 1
	}
	count(paths({"kind": "Object", "spec": {"forProvider": {"manifest": pod({"hostNetwork": true})}}})) == 1
	count(paths({"kind": "DaemonSet", "spec": {"template": {"spec": {"hostPID": true}}}})) == 1
}

test_bypass_by_the_windows_of_a_node if {
	count(paths(pod({"securityContext": {"windowsOptions": {"hostProcess": true}}}))) == 1
	count(paths(container({"securityContext": {"windowsOptions": {"hostProcess": true}}}))) == 1
}

test_bypass_by_profiles_that_confine_nothing if {
	count(paths(pod({"securityContext": {"seccompProfile": {"type": "Unconfined"}}}))) == 1
	count(paths(container({"securityContext": {"appArmorProfile": {"type": "Unconfined"}}}))) == 1
	paths(pod({"securityContext": {"seccompProfile": {"type": "RuntimeDefault"}}})) == set()
}

# A claim for it hides the folder from the Pod.
test_bypass_by_a_persistent_volume if {
	paths({"kind": "PersistentVolume", "spec": {"hostPath": {"path": "/"}}}) == {["spec", "hostPath"]}
	paths({"kind": "PersistentVolume", "spec": {"local": {"path": "/etc"}}}) == {["spec", "local"]}
	paths({"kind": "PersistentVolume", "spec": {"csi": {"driver": "d"}, "hostPath": null}}) == set()
}

# Crossplane makes a provider's Pod of it.
test_bypass_by_the_pod_of_a_provider if {
	runtime := {"kind": "DeploymentRuntimeConfig", "spec": {"deploymentTemplate": {"spec": {"template": {"spec": {
		"hostNetwork": true,
		"containers": [{"name": "package-runtime", "securityContext": {"privileged": true}}],
		"volumes": [{"name": "v", "hostPath": {"path": "/"}}],
	}}}}}}
	count(paths(runtime)) == 3
	paths({"kind": "DeploymentRuntimeConfig", "spec": {"deploymentTemplate": {"spec": {"template": {"spec": {"containers": [{"name": "c"}]}}}}}}) == set()
	paths({"kind": "DeploymentRuntimeConfig", "spec": {}}) == set()
}

test_lets_pass if {
	paths(pod({"hostNetwork": false, "hostUsers": false, "volumes": [{"name": "a", "emptyDir": {}}]})) == set()
	paths(container({
		"ports": [{"containerPort": 80}, {"containerPort": 81, "hostPort": 0}],
		"securityContext": {"privileged": false, "capabilities": {"drop": ["ALL"], "add": ["CAP_NET_BIND_SERVICE"]}},
	})) == set()
}

test_silent_about_the_estate if paths([{"path": "a.yaml", "contents": pod({"hostNetwork": true})}]) == set()

# The engine asks the rule only about the kinds that it names.
test_names_the_kinds_that_it_refuses if count({"Pod", "PodTemplate", "DaemonSet", "CronJob", "PersistentVolume", "DeploymentRuntimeConfig"} - no_host_access.kinds) == 0
