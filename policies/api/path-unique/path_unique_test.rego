package crossgate.api.path_unique_test

import rego.v1

import data.crossgate.api.path_unique

paths(documents) := {finding.path | some finding in path_unique.deny with input as [{"path": "a.yaml", "contents": document} | some document in documents]}

claim(name, path) := {"kind": "ModelService", "metadata": {"name": name, "namespace": "n"}, "spec": {"api": {"path": path}}}

ingress(host, path) := {"kind": "Ingress", "metadata": {"name": "i"}, "spec": {"rules": [{"host": host, "http": {"paths": [{"path": path}]}}]}}

test_refuses if {
	place := ["spec", "api", "path"]
	both := {array.concat([0, "contents"], place), array.concat([1, "contents"], place)}
	paths([claim("a", "/fraud"), claim("b", "/fraud")]) == both
	paths([claim("a", "/fraud"), claim("b", "/fraud/")]) == both
	paths([claim("a", "/fraud/x"), claim("b", "//fraud//x")]) == both
	count(paths([ingress("a", "/x"), ingress("a", "/x")])) == 2
	count(paths([claim("a", "/"), claim("b", "//")])) == 2
}

test_lets_pass if {
	paths([claim("a", "/fraud"), claim("b", "/fraud/v2")]) == set()
	paths([ingress("a", "/x"), ingress("b", "/x")]) == set()
	paths([claim("a", "/fraud")]) == set()
}

# The Ingress that a claim's Composition makes is the claim's own.
test_lets_the_claims_own_ingress_pass if {
	paths([claim("a", "/fraud"), object.union(ingress("*", "/fraud"), {"metadata": {"labels": {"crossplane.io/composite": "x"}}})]) == set()
}

test_silent_about_documents if count(path_unique.deny) == 0 with input as claim("a", "/fraud")

test_bypass_by_saying_no_path if {
	silent := {"kind": "Ingress", "spec": {"rules": [{"host": "a", "http": {"paths": [{"backend": {}}]}}]}}
	every path in ["/", "", null] {
		count(paths([ingress("a", path), silent])) == 2
	}
}

test_bypass_by_spelling if {
	every spelling in ["/fraud/", "//fraud", "/fraud///"] {
		count(paths([claim("a", "/fraud"), claim("b", spelling)])) == 2
		count(paths([ingress("a", "/fraud"), ingress("a", spelling)])) == 2
	}
	count(paths([ingress("a", "/x"), {"kind": "Ingress", "spec": {"rules": [{"host": "b"}, {"host": "a", "http": {"paths": [{"path": "/y"}, {"path": "/x"}]}}]}}])) == 2
}

# A path that hundreds share is said to each of them without all the others' names.
test_names_few if {
	said := {finding.msg | some finding in path_unique.deny with input as [{"path": "a.yaml", "contents": claim(name, "/x")} | some name in ["a", "b", "c", "d", "e"]]}
	"path /x is also that of ModelService n/b, ModelService n/c, ModelService n/d and 1 more" in said
	"path /x is also that of ModelService n/a, ModelService n/b, ModelService n/c and 1 more" in said
	"path /x is also that of ModelService n/a, ModelService n/b, ModelService n/d and 1 more" in said
	count(said) == 4 # of d and e
}
