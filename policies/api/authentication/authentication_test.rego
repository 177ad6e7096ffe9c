package crossgate.api.authentication_test

import rego.v1

import data.crossgate.api.authentication

paths(documents) := {array.slice(finding.path, 2, 9) | some finding in authentication.warn with input as [{"path": "a.yaml", "contents": document} | some document in documents]}

claim(method) := {"kind": "ModelService", "spec": {"api": {"authentication": {"method": method}}}}

ingress(plugins) := {"kind": "Ingress", "metadata": {"name": "i", "annotations": {"konghq.com/plugins": plugins}}, "spec": {"ingressClassName": "kong"}}

plugin(type) := {"kind": "KongPlugin", "metadata": {"name": "auth"}, "plugin": type}

test_refuses if {
	paths([claim("none")]) == {["spec", "api", "authentication", "method"]}
	paths([ingress("")]) == {["metadata", "annotations"]}
	paths([ingress("auth")]) == {["metadata", "annotations"]}
	paths([ingress("auth"), plugin("rate-limiting")]) == {["metadata", "annotations"]}
	paths([ingress("auth"), object.union(plugin("key-auth"), {"disabled": true})]) == {["metadata", "annotations"]}
	count(paths([{"kind": "Ingress", "metadata": {"annotations": {"kubernetes.io/ingress.class": "kong"}}}])) == 1
}

test_lets_pass if {
	paths([claim("key-auth"), ingress("limits, auth"), plugin("key-auth")]) == set()
	paths([{"kind": "Ingress", "spec": {"ingressClassName": "internal"}}]) == set()
}

# What a claim's Composition makes is the claim's to answer for.
test_lets_composed_pass if paths([object.union(ingress(""), {"metadata": {"labels": {"crossplane.io/composite": "x"}}})]) == set()

test_silent_about_documents if count(authentication.warn) == 0 with input as claim("none")

test_bypass_with_a_plugin_that_does_not_ask if {
	count(paths([in_namespace(ingress("auth"), "a"), in_namespace(plugin("key-auth"), "b")])) == 1
	count(paths([ingress("auth"), plugin("cors")])) == 1
	count(paths([ingress("key-auth"), plugin("key-auth")])) == 1
	paths([in_namespace(ingress("auth"), "a"), in_namespace(plugin("key-auth"), "a")]) == set()
	paths([in_namespace(ingress("auth"), "a"), object.union(plugin("jwt"), {"kind": "KongClusterPlugin"})]) == set()
}

test_bypass_with_a_plugin_that_lets_strangers_pass if {
	count(paths([ingress("auth"), object.union(plugin("key-auth"), {"config": {"anonymous": "guest"}})])) == 1
	paths([ingress("auth"), object.union(plugin("key-auth"), {"config": {"anonymous": null, "key_names": ["apikey"]}})]) == set()
}

in_namespace(found, namespace) := object.union(found, {"metadata": {"namespace": namespace}})
