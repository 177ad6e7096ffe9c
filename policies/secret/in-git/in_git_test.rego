package crossgate.secret.in_git_test

import rego.v1

import data.crossgate.secret.in_git

paths(document) := {finding.path | some finding in in_git.deny with input as document}

secret(own) := object.union({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}}, own)

composition(base) := {"kind": "Composition", "spec": {"pipeline": [{"input": {"resources": [{"base": base}]}}]}}

test_refuses if {
	paths(secret({"data": {"a": "YQ=="}})) == {["data"]}
	paths(secret({"stringData": {"a": "a"}, "data": {"b": "Yg=="}})) == {["data"], ["stringData"]}
}

test_bypass_in_every_place if {
	paths({"kind": "List", "items": [secret({"data": {"a": "YQ=="}})]}) == {["items", 0, "data"]}
	paths({"kind": "Object", "spec": {"forProvider": {"manifest": secret({"data": {"a": "YQ=="}})}}}) == {["spec", "forProvider", "manifest", "data"]}
	count(paths(composition(secret({"stringData": {"a": "a"}})))) == 1
	count(paths(composition({"kind": "Object", "spec": {"forProvider": {"manifest": secret({"data": {"a": "YQ=="}})}}}))) == 1
}

test_lets_pass if {
	paths(secret({})) == set()
	paths(secret({"data": {}, "type": "kubernetes.io/service-account-token"})) == set()
	paths({"apiVersion": "secretsmanager.aws.upbound.io/v1beta1", "kind": "Secret", "data": {"a": "b"}}) == set()
	paths({"apiVersion": "external-secrets.io/v1", "kind": "ExternalSecret", "spec": {"data": [{}]}}) == set()
	paths(composition(secret({"data": {"a": ""}}))) == set()
}

test_silent_about_the_estate if paths([{"path": "a.yaml", "contents": secret({"data": {"a": "YQ=="}})}]) == set()

test_bypass_by_manifests_in_helm_values if {
	given := secret({"stringData": {"a": "a"}})
	paths({"kind": "Release", "spec": {"forProvider": {"values": {"extraObjects": [given]}}}}) == {["spec", "forProvider", "values", "extraObjects", 0, "stringData"]}
	count(paths({"kind": "Application", "spec": {"sources": [{"helm": {"valuesObject": {"extraDeploy": [given]}}}]}})) == 1
	paths({"kind": "Release", "spec": {"forProvider": {"values": {"extraObjects": [secret({})], "data": {"a": "b"}}}}}) == set()
}

# The engine asks the rule only where its text shows what it looks for.
test_shows_in_the_text if {
	every own in [{"data": {"a": "YQ=="}}, {"stringData": {"a": "a"}}] {
		regex.match(in_git.first_look, json.marshal(secret(own)))
		regex.match(in_git.first_look, json.marshal(composition(secret(own))))
	}
	not regex.match(in_git.first_look, json.marshal({"kind": "ConfigMap", "data": {"a": "b"}}))
}
