package crossgate.secret.external_required_test

import rego.v1

import data.crossgate.secret.external_required

paths(documents) := {array.slice(finding.path, 2, 12) | some finding in external_required.warn with input as [{"path": "a.yaml", "contents": document} | some document in documents]}

pod(spec) := {"kind": "Pod", "metadata": {"name": "p", "namespace": "a"}, "spec": spec}

user := pod({"containers": [{"env": [{"name": "X", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]}]})

place := ["spec", "containers", 0, "env", 0, "valueFrom", "secretKeyRef"]

made(kind, own) := object.union({"kind": kind, "metadata": {"name": "m", "namespace": "a"}}, own)

test_refuses if {
	paths([user]) == {place}
	paths([user, made("ExternalSecret", {"metadata": {"name": "s", "namespace": "b"}})]) == {place}
	paths([user, made("ExternalSecret", {"spec": {"target": {"name": "other"}}})]) == {place}
	paths([pod({"volumes": [{"secret": {"secretName": "s"}}]})]) == {["spec", "volumes", 0, "secret"]}
	paths([pod({"initContainers": [{"envFrom": [{"secretRef": {"name": "s"}}]}]})]) == {["spec", "initContainers", 0, "envFrom", 0, "secretRef"]}
	count(paths([{"kind": "CronJob", "metadata": {"namespace": "a"}, "spec": {"jobTemplate": {"spec": {"template": user}}}}])) == 1
}

test_lets_pass if {
	every source in [
		made("ExternalSecret", {"metadata": {"name": "s", "namespace": "a"}}),
		made("ExternalSecret", {"spec": {"target": {"name": "s"}}}),
		{"kind": "ExternalSecret", "metadata": {"generateName": "m-", "namespace": "a"}, "spec": {"target": {"name": "s"}}},
		made("SealedSecret", {"metadata": {"name": "s", "namespace": "a"}}),
		made("Certificate", {"spec": {"secretName": "s"}}),
		made("ClusterExternalSecret", {"spec": {"externalSecretName": "s"}}),
		made("ModelService", {"spec": {"writeConnectionSecretToRef": {"name": "s"}}}),
		made("Bucket", {"spec": {"writeConnectionSecretToRef": {"name": "s", "namespace": "a"}}}),
	] {
		paths([source, user]) == set()
	}
}

test_lets_optional_secrets_pass if {
	paths([pod({"containers": [{"envFrom": [{"secretRef": {"name": "s", "optional": true}}]}]})]) == set()
}

test_silent_about_documents if count(external_required.warn) == 0 with input as user

test_bypass_by_another_workload if {
	every kind in ["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController", "Job", "Rollout"] {
		count(paths([{"kind": kind, "metadata": {"namespace": "a"}, "spec": {"template": user}}])) == 1
	}
	count(paths([{"kind": "PodTemplate", "metadata": {"namespace": "a"}, "template": user}])) == 1
	count(paths([object.union(user, {"spec": {"containers": [], "ephemeralContainers": [{"envFrom": [{"secretRef": {"name": "s"}}]}]}})])) == 1
	count(paths([user, made("ConfigMap", {"metadata": {"name": "s", "namespace": "a"}})])) == 1
}

# What says a namespace that is none makes its Secret in no namespace, not in any.
test_bypass_by_a_namespace_that_is_none if {
	every namespace in [false, null, 3, "b"] {
		count(paths([user, made("Bucket", {"spec": {"writeConnectionSecretToRef": {"name": "s", "namespace": namespace}}})])) == 1
		count(paths([user, made("Bucket", {"metadata": {"name": "m", "namespace": namespace}, "spec": {"writeConnectionSecretToRef": {"name": "s"}}})])) == 1
	}
}
